import { type ApiRoute, defineApiRoute, untagged } from '../accounts/api-route.ts'
import { pageHeaders } from '../http/headers.ts'
import { TextResponse } from '../http/responses.ts'
import { open } from '../http/route.ts'
import type { Documents } from '../reference/documents.ts'

const always = { 'Cache-Control': 'no-cache' }

const pages = [
  {
    path: '/docs',
    summary: 'Get the reference as a page',
    document: 'html',
    type: 'text/html; charset=utf-8',
    headers: pageHeaders,
  },
  {
    path: '/docs.md',
    summary: 'Get the reference as Markdown',
    document: 'markdown',
    type: 'text/markdown; charset=utf-8',
    headers: always,
  },
  {
    path: '/docs.css',
    summary: 'Get the style sheet of the reference',
    document: 'css',
    type: 'text/css; charset=utf-8',
    headers: pageHeaders,
  },
  {
    path: '/docs.svg',
    summary: 'Get the icon of the reference',
    document: 'icon',
    type: 'image/svg+xml',
    headers: pageHeaders,
  },
  {
    path: '/openapi.json',
    summary: 'Get the API as OpenAPI 3.1',
    document: 'openapi',
    type: 'application/json; charset=utf-8',
    headers: always,
  },
] as const

export interface DocsDeps {
  /** Made at the first request. */
  documents(): Promise<Documents>
}

export const docsRoutes: readonly ApiRoute<DocsDeps, unknown>[] = pages.map(
  ({ path, summary, document, type, headers }) =>
    defineApiRoute({
      method: 'GET',
      path,
      summary,
      access: open,
      ...untagged,
      reply: { status: 200, type },
      errors: [],
      handle: async (_call, { documents }: DocsDeps) =>
        new TextResponse(200, type, await (await documents())[document](), headers),
    }),
)
