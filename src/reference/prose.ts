import MarkdownIt from 'markdown-it'
import { highlight } from './highlight.ts'
import { Markup } from './markup.ts'
import { slug } from './slug.ts'

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

/** Renders our Markdown, without inline HTML and images. `ids`: the anchors of its headings. */
export function renderProse(markdown: string, ids: readonly string[]) {
  const parser = new MarkdownIt({ html: false, highlight: (code, language) => highlight(code, language).text })
  parser.disable('image')
  const tokens = parser.parse(markdown, {})
  const anchors = ids.values()
  const headings = tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open' && token.type !== 'heading_close') return []
    const level = Number(token.tag.slice(1))
    if (token.type === 'heading_close') return []
    const text = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join('')
    const { value: id = slug(text) } = anchors.next()
    token.attrSet('id', id)
    return [{ level, id, text }]
  })
  return { markup: new Markup(parser.renderer.render(tokens, parser.options, {})), headings }
}
