import type { Notice } from '../../status/publication.ts'
import { isDown, maxLinked, maxNamed } from '../../status/statuses.ts'
import { eventOf, fieldsOf, lineOf, type Names } from './alert-text.ts'
import type { Escape } from './escape.ts'
import { type Fields, fillTemplate, type Template } from './template.ts'

/** A message to an alert channel. */
export interface Alert {
  /** Not escaped. */
  readonly title: string
  readonly text: string
  readonly isDown: boolean
  readonly links: readonly Link[]
}

export interface Link {
  readonly name: string
  readonly url: string
}

export interface Style {
  readonly names: Names
  readonly escapeText: Escape
  /** Null: our own text. */
  readonly template: Template | null
  /** The channel shows links apart from the text. */
  readonly hasButtons: boolean
}

/** What a test fills a template with. */
export function testFieldsOf(names: Names, now: number): Fields {
  const notice: Notice = {
    componentId: 'example',
    status: 'outage',
    previousStatus: 'operational',
    source: 'heartbeat',
    reportedAt: now,
    incidentId: null,
    sequence: 0,
    message: 'exit code 1',
  }
  return { ...fieldsOf(notice, names), title: '[TEST]', text: 'Alerts from Menagerie arrive here.' }
}

export const testAlertOf = (style: Style, now: number): Alert => ({
  title: '[TEST]',
  text: textOf(testFieldsOf(style.names, now), style),
  isDown: false,
  links: [],
})

/** Discord allows 2,000 characters, with the title. */
const maxTextLength = 1_800

/** In the order in which a message lists them. A notice that repeats the last reported status is a reminder. */
const words = ['DOWN', 'STILL DOWN', 'ACKNOWLEDGED', 'UP']
const wordOf = (notice: Notice) => (isDown(notice.status) ? eventOf(notice) : 'UP')

/** Names up to 20 components, and counts all. */
export function alertOf(notices: readonly Notice[], style: Style): Alert {
  const isAnyDown = notices.some(({ status }) => isDown(status))
  const sorted = words.flatMap((word) => notices.filter((notice) => wordOf(notice) === word))
  const links = linksOf(sorted, style.names)
  const [first, ...others] = sorted
  if (first && others.length === 0) {
    const fields = fieldsOf(first, style.names)
    return { title: fields.title, text: withLinks(textOf(fields, style), links, style), isDown: isAnyDown, links }
  }
  const counts = words.map((word) => [word, sorted.filter((notice) => wordOf(notice) === word).length] as const)
  const present = counts.filter(([, count]) => count > 0)
  const title = present.map(([word, count]) => `[${word}] ${count} component${count === 1 ? '' : 's'}`).join(', ')
  const maxLength = maxTextLength - links.reduce((sum, { name, url }) => sum + name.length + url.length + 3, 0)
  return { title, text: withLinks(listOf(sorted, style, maxLength), links, style), isDown: isAnyDown, links }
}

/** A template has the links that it names. */
const withLinks = (text: string, links: readonly Link[], { template, hasButtons }: Style) =>
  hasButtons || template !== null ? text : [text, ...links.map(({ name, url }) => `${name}: ${url}`)].join('\n')

function linksOf(notices: readonly Notice[], { labelOf, linkOf }: Names): Link[] {
  const acknowledged = notices.flatMap(({ componentId, acknowledgeUrl: url }) =>
    url === undefined
      ? []
      : [{ name: notices.length === 1 ? 'Acknowledge' : `Acknowledge ${labelOf(componentId)}`, url }],
  )
  const page = linkOf(notices.map(({ componentId }) => componentId))
  return [...(page === null ? [] : [{ name: 'Details', url: page }]), ...acknowledged.slice(0, maxLinked)]
}

/** Our own URLs need no escapes. */
export function filled(template: Template, fields: Fields, escapeText: Escape): string {
  const isUrl = (name: string) => name === 'link' || name === 'acknowledge'
  const escaped = Object.entries(fields).map(([name, value]) => [name, isUrl(name) ? value : escapeText(value)])
  return fillTemplate(template, Object.fromEntries(escaped))
}

function textOf(fields: Fields, { template, escapeText }: Style): string {
  if (template === null) return escapeText(fields.text)
  const text = filled(template, fields, escapeText)
  if (text.length <= maxTextLength) return text
  // It could only be cut within its markup, so our own text replaces it, with what stands outside of our texts otherwise.
  const { title, link, acknowledge } = fields
  return [escapeText(`${title}: ${fields.text}`), link, acknowledge].filter((part) => part !== '').join('\n')
}

function listOf(notices: readonly Notice[], style: Style, maxLength: number): string {
  const lines: string[] = []
  let length = 0
  for (const notice of notices.slice(0, maxNamed)) {
    const own = style.template && textOf(fieldsOf(notice, style.names), style)
    const line = own ?? style.escapeText(lineOf(notice, style.names))
    length += line.length + 1
    if (length > maxLength) break
    lines.push(line)
  }
  const others = notices.length - lines.length
  return [...lines, ...(others > 0 ? [`and ${others} more`] : [])].join('\n')
}
