const fence = /^(```.*\n[\s\S]*?^```)$/m
const isFence = (part: string) => part.startsWith('```')

export interface MarkdownHeading {
  readonly level: number
  readonly text: string
}

/** The headings of a Markdown text, ignoring comments in fenced code. */
export const markdownHeadings = (markdown: string): MarkdownHeading[] =>
  markdown
    .split(fence)
    .filter((part) => !isFence(part))
    .flatMap((part) => [...part.matchAll(/^(#+) (.+)$/gm)])
    .map(([, marks = '', text = '']) => ({ level: marks.length, text }))
