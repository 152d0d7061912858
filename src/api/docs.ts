import { type ApiRoute, defineApiRoute, untagged } from '../accounts/api-route.ts'
import { type Headers, pageHeaders } from '../http/headers.ts'
import { TextResponse } from '../http/responses.ts'
import { open } from '../http/route.ts'
import type { Documents } from '../reference/documents.ts'

const always = { 'Cache-Control': 'no-cache' }

export interface DocsDeps {
  /** Made at the first request. */
  documents(): Promise<Documents>
}

const page = (path: string, summary: string, document: keyof Documents, type: string, headers: Headers) =>
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
  })

export const docsRoutes: readonly ApiRoute<DocsDeps, unknown>[] = [
  page('/docs', 'Get the reference as a page', 'html', 'text/html; charset=utf-8', pageHeaders),
  page('/docs.md', 'Get the reference as Markdown', 'markdown', 'text/markdown; charset=utf-8', always),
  page('/docs.css', 'Get the style sheet of the reference', 'css', 'text/css; charset=utf-8', pageHeaders),
  page('/docs.svg', 'Get the icon of the reference', 'icon', 'image/svg+xml', pageHeaders),
  page('/openapi.json', 'Get the API as OpenAPI 3.1', 'openapi', 'application/json; charset=utf-8', always),
]
