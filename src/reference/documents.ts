import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { once } from '../lib/once.ts'
import type { Reference } from './model.ts'

/** In cascading order. */
const styles = ['base', 'frame', 'contents', 'chapters', 'routes', 'script', 'wide-and-print'] as const
/** Each is a block of its own, after what they share. */
const shared = ['base', 'later'] as const
const scripts = ['contents', 'samples', 'search', 'try'] as const
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

export const styleOf = (names: readonly string[]) => names.map((name) => read(`./style/${name}.css`)).join('\n')

/** As the `integrity` of a script, and in the policy of its page. */
export const integrityOf = (script: string) => `sha256-${createHash('sha256').update(script).digest('base64')}`

/** The only script of the pages of the status. */
export const statusScript = () => read('./script/status.js')

/** Each document is rendered on first use and cached. Printers are loaded only then: the Markdown parser is large. */
export function renderDocuments(model: Reference) {
  const script = once(async () => {
    const parts = scripts.map((name) => `{\n${read(`./script/${name}.js`)}}\n`)
    return ["'use strict'\n", ...shared.map((name) => read(`./script/${name}.js`)), ...parts].join('')
  })
  const integrity = once(async () => integrityOf(await script()))
  return {
    html: once(async () => (await import('./html.ts')).printHtml(model, await integrity())),
    decisions: once(async () => (await import('./html.ts')).printDecisions(model, await integrity())),
    script,
    /** Hash of the script, for the pages and their policy. */
    integrity,
    markdown: once(async () => (await import('./markdown.ts')).printMarkdown(model)),
    openapi: once(async () => (await import('./openapi.ts')).printOpenapi(model)),
    icon: once(async () => (await import('./mark.ts')).icon.text),
    css: once(async () => styleOf(styles)),
  }
}

export type Documents = ReturnType<typeof renderDocuments>
