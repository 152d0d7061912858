/** Ids of the components on the public status page; null if there is no page. */
export type Shown = readonly string[] | null

const names = new Intl.ListFormat('en-GB')
const maxNames = 5
export const namesOf = (ids: readonly string[]) =>
  ids.length > maxNames ? `${ids.length} components` : names.format(ids)

/** Who outside reads what is said about these components; none: about the service as a whole. */
export function readersText(shown: Shown, components: readonly string[]): string {
  if (shown === null) return 'Nobody outside sees it: the status page is off.'
  const hidden = components.filter((id) => !shown.includes(id))
  if (hidden.length === 0) return 'The status page shows it to everybody, within 10 seconds.'
  const missing = `${namesOf(hidden)} ${hidden.length === 1 ? 'is' : 'are'} not on the status page.`
  if (hidden.length === components.length) return `Nobody outside sees it: ${missing}`
  return `The status page shows it to everybody, within 10 seconds, but ${missing}`
}
