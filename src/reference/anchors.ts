import { markdownHeadings } from './headings.ts'
import { slug, uniqueNames } from './slug.ts'

export const anywhereTitle = (service: string) => `Errors on any path: ${lowerFirst(service)}`
export const sharedTitle = (label: string) => `Errors: ${label}`
export const sectionTitle = (title: string) => `Settings: ${title}`

export const lowerFirst = (text: string) => (/^The /.test(text) ? `the ${text.slice(4)}` : text)

/** The anchors that GitHub gives headings, to be requested in the order of the Markdown. The page uses the same. */
export function createAnchors(title: string) {
  const nameOnce = uniqueNames()
  const idOf = (heading: string) => nameOnce(slug(heading))
  for (const first of [title, 'Contents']) idOf(first)
  return { idOf, idsIn: (markdown: string) => markdownHeadings(markdown).map(({ text }) => idOf(text)) }
}
