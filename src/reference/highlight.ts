import { html, type Markup } from './markup.ts'

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g
const shellToken = /(^curl\b)|('(?:[^'])*'|"(?:[^"\\]|\\.)*")|((?<=\s)-{1,2}[A-Za-z][\w-]*)|(\$\w+|#.*$)/gm

/** Tokens of JavaScript, TypeScript and Python. */
const programToken =
  /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)|\b(as|await|const|from|if|import|new|throw|with)\b|\b(\d+|true|false|null|True|False|None)\b/g

/** Syntax highlighting by classes; an unknown language stays plain. */
export function highlight(code: string, language: string): Markup {
  if (language === 'json') {
    return mark(code, jsonToken, ([all, text, colon]) =>
      text === undefined
        ? html`<span class="t-lit">${all}</span>`
        : html`<span class="${colon === undefined ? 't-str' : 't-key'}">${text}</span>${colon}`,
    )
  }
  if (language === 'sh') {
    return mark(code, shellToken, ([all, command, text, flag]) => {
      const kind = command ? 't-cmd' : text ? 't-str' : flag ? 't-key' : 't-lit'
      return html`<span class="${kind}">${all}</span>`
    })
  }
  if (['js', 'ts', 'python'].includes(language)) {
    return mark(code, programToken, ([all, text, keyword]) => {
      const kind = text ? 't-str' : keyword ? 't-key' : 't-lit'
      return html`<span class="${kind}">${all}</span>`
    })
  }
  return html`${code}`
}

function mark(code: string, token: RegExp, render: (match: RegExpExecArray) => Markup): Markup {
  const parts: (string | Markup)[] = []
  let end = 0
  for (const match of code.matchAll(token)) {
    parts.push(code.slice(end, match.index), render(match))
    end = match.index + match[0].length
  }
  return html`${[...parts, code.slice(end)]}`
}
