import { type ApiRoute, defineApiRoute, publicPage } from '../accounts/api-route.ts'
import { type Headers, pageHeaders } from '../http/headers.ts'
import { type PreparedText, prepareText } from '../http/prepared-text.ts'
import { notModified } from '../http/route.ts'
import { once } from '../lib/once.ts'
import type { Documents } from '../reference/documents.ts'

const plain = { 'Cache-Control': 'no-cache' }

type Name = Exclude<keyof Documents, 'integrity'>

export interface DocsDeps {
  document(name: Name): Promise<PreparedText>
}

interface Page {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly type: string
  readonly headers: Headers | ((documents: Documents) => Promise<Headers>)
}

const withScript = async ({ integrity }: Documents) => pageHeaders(`'${await integrity()}'`, 'reference')

const pages: Readonly<Record<Name, Page>> = {
  html: {
    path: '/docs',
    operationId: 'getReference',
    summary: 'Get the reference as a page',
    type: 'text/html; charset=utf-8',
    headers: withScript,
  },
  decisions: {
    path: '/docs/decisions',
    operationId: 'getDecisions',
    summary: 'Get the decisions behind the reference as a page',
    type: 'text/html; charset=utf-8',
    headers: withScript,
  },
  markdown: {
    path: '/docs.md',
    operationId: 'getReferenceAsMarkdown',
    summary: 'Get the reference as Markdown',
    type: 'text/markdown; charset=utf-8',
    headers: plain,
  },
  script: {
    path: '/docs.js',
    operationId: 'getReferenceScript',
    summary: 'Get the script of the reference',
    type: 'text/javascript; charset=utf-8',
    headers: pageHeaders(),
  },
  css: {
    path: '/docs.css',
    operationId: 'getReferenceStyle',
    summary: 'Get the style sheet of the reference',
    type: 'text/css; charset=utf-8',
    headers: pageHeaders(),
  },
  icon: {
    path: '/docs.svg',
    operationId: 'getReferenceIcon',
    summary: 'Get the icon of the reference',
    type: 'image/svg+xml',
    headers: pageHeaders(),
  },
  openapi: {
    path: '/openapi.json',
    operationId: 'getOpenapi',
    summary: 'Get the API as OpenAPI 3.1',
    type: 'application/json; charset=utf-8',
    headers: plain,
  },
}

/** Each document is created on first request. */
export function prepareDocuments(load: () => Promise<Documents>): DocsDeps['document'] {
  const entries = Object.entries(pages).map(([name, { type, headers }]) => {
    const prepare = async () => {
      const documents = await load()
      const own = typeof headers === 'function' ? await headers(documents) : headers
      return prepareText(type, await documents[name as Name](), own)
    }
    return [name, once(prepare)] as const
  })
  const prepared = Object.fromEntries(entries) as Record<Name, () => Promise<PreparedText>>
  return (name) => prepared[name]()
}

export const docsRoutes: readonly ApiRoute<DocsDeps, unknown>[] = Object.entries(pages).map(
  ([name, { path, operationId, summary, type }]) =>
    defineApiRoute({
      ...publicPage,
      path,
      operationId,
      summary,
      reply: [{ status: 200, type }, notModified],
      handle: async (call, { document }: DocsDeps) => (await document(name as Name))(call),
    }),
)
