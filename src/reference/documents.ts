import { readFileSync } from 'node:fs'
import { once } from '../lib/once.ts'
import type { Reference } from './model.ts'

/** In cascading order. */
const styles = ['base', 'frame', 'contents', 'chapters', 'routes', 'wide-and-print'] as const
const readStyle = (name: string) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8')

/** Each document is rendered on first use, and cached. Printers are loaded then: the Markdown parser is large. */
export function renderDocuments(model: Reference) {
  return {
    html: once(async () => (await import('./html.ts')).printHtml(model)),
    markdown: once(async () => (await import('./markdown.ts')).printMarkdown(model)),
    openapi: once(async () => (await import('./openapi.ts')).printOpenapi(model)),
    icon: once(async () => (await import('./mark.ts')).icon.text),
    css: once(async () => styles.map(readStyle).join('\n')),
  }
}

export type Documents = ReturnType<typeof renderDocuments>
