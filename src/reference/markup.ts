/** Safe HTML, created only by the `html` tag, which escapes every interpolated text. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Fragment = string | number | false | null | undefined | Markup | readonly Fragment[]

export function html(strings: TemplateStringsArray, ...parts: readonly Fragment[]): Markup {
  let written = strings[0] ?? ''
  let text = written
  for (const [index, part] of parts.entries()) {
    const next = strings[index + 1] ?? ''
    text += render(part, endsInTag(written)) + next
    written += next
  }
  return new Markup(text)
}

/** Also true for markup that is itself part of a tag, such as ` title="`. */
const endsInTag = (written: string) => written.endsWith('="') || written.lastIndexOf('<') > written.lastIndexOf('>')

/** Quotes are escaped only in attributes, which keeps the reference small. */
function render(part: Fragment, isInTag: boolean): string {
  if (part === undefined || part === null || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map((each) => render(each, isInTag)).join('')
  return String(part).replace(isInTag ? inTag : inText, (mark) => entities[mark] ?? mark)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const inTag = /[&<>"']/g
const inText = /[&<>]/g

/** Text in which only backticks are markup. */
export const words = (text: string): Markup =>
  html`${text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
