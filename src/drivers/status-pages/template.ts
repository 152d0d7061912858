/** What a template may name. */
export const templateFields = {
  title: 'such as `[DOWN] Website`',
  text: 'what the message says without a template, without its links',
  event: '`DOWN`, `STILL DOWN`, `ACKNOWLEDGED`, `UP`; for a webhook also `DEGRADED` and `MAINTENANCE`',
  component: 'its id',
  label: 'its label in `STATUS_PAGE_COMPONENTS`, or its id',
  status: '`outage`, `partial` and so on',
  message: "the heartbeat's message, or which run did not end in time",
  by: 'who acknowledged the outage',
  since: 'when the status changed',
  duration: 'of a recovery: how long it was down, such as `1 h 5 min`',
  link: "to the status page, or the component's page in the console",
  acknowledge: 'the link that acknowledges the outage',
} as const

export type Fields = Readonly<Record<keyof typeof templateFields, string>>

/** Texts and, between them, names of fields. */
export type Template = readonly (string | { readonly field: keyof Fields })[]

const maxLength = 2_000
const names = Object.keys(templateFields)

/** Replaces `{{name}}` and nothing else: a template cannot compute. What is wrong with it is a string. */
export function parseTemplate(text: string): Template | string {
  if (text.length > maxLength) return `at most ${maxLength} characters, got ${text.length}`
  const pieces: Template[number][] = []
  let from = 0
  for (let start = text.indexOf('{{'); start !== -1; start = text.indexOf('{{', from)) {
    const end = text.indexOf('}}', start)
    if (end === -1) return `}} after the {{ at character ${start + 1}, got none`
    const name = text.slice(start + 2, end).trim()
    if (!names.includes(name))
      return `one of ${names.join(', ')} at character ${start + 1}, got ${JSON.stringify(name.slice(0, 40))}`
    pieces.push(text.slice(from, start), { field: name as keyof Fields })
    from = end + 2
  }
  return [...pieces, text.slice(from)]
}

export const fillTemplate = (template: Template, fields: Fields): string =>
  template.map((piece) => (typeof piece === 'string' ? piece : fields[piece.field])).join('')
