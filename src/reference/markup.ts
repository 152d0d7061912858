/** Safe HTML, created only by the `html` tag, which escapes every interpolated text. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Fragment = string | number | false | null | undefined | Markup | readonly Fragment[]

export function html(strings: TemplateStringsArray, ...parts: readonly Fragment[]): Markup {
  return new Markup(strings.reduce((text, next, index) => `${text}${render(parts[index - 1])}${next}`))
}

function render(part: Fragment): string {
  if (part === undefined || part === null || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return escapeHtml(String(part))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark)

/** Text in which only backticks are markup. */
export const words = (text: string): Markup =>
  html`${text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
