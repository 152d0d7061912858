import type { IncomingMessage } from 'node:http'
import type { Call } from './call.ts'
import { createCorsLines, preflightHeaders } from './cors.ts'
import { apiHeaders, type Headers, linesOf, securityHeaders } from './headers.ts'
import type { BytesResponse, TextResponse } from './responses.ts'
import type { Route } from './route.ts'
import type { ServiceOptions } from './service.ts'

const jsonType = 'application/json; charset=utf-8'

/** The header lines for each kind of response. Lines that never change are joined once. */
export function createHeaderLines({ cors = null, headersUnder, secureTransport }: ServiceOptions) {
  const secureLines = linesOf(securityHeaders(secureTransport))
  const linesFor = (type: string, headers: Headers = {}) =>
    secureLines + linesOf({ ...apiHeaders, ...headers, 'Content-Type': type })
  const jsonLines = linesFor(jsonType)
  const ownJsonLines = new WeakMap<Headers, string>()
  const corsLines = createCorsLines(cors)

  function ownLines(headers: Headers): string {
    const lines = ownJsonLines.get(headers) ?? linesFor(jsonType, headers)
    ownJsonLines.set(headers, lines)
    return lines
  }

  return {
    /** A route with its own headers sets CORS by them, too. */
    json({ route, path, req }: Call): string {
      if (route?.headers) return ownLines(route.headers)
      if (route === null && headersUnder?.prefixes.some((prefix) => path.startsWith(prefix)))
        return ownLines(headersUnder.headers)
      return jsonLines + corsLines(req)
    },

    text({ req }: Call, route: Route, { type, headers }: TextResponse): string {
      return linesFor(type, headers) + (type.startsWith('application/json') || needsCors(route) ? corsLines(req) : '')
    },

    bytes: ({ req }: Call, route: Route, { lines }: BytesResponse): string =>
      secureLines + lines + (needsCors(route) ? corsLines(req) : ''),

    /** Null if the request is not a preflight for one of these methods. */
    preflight(req: IncomingMessage, methods: readonly string[]): string | null {
      const headers = cors && preflightHeaders(cors, req, methods)
      return headers && secureLines + linesOf({ ...apiHeaders, ...headers })
    },
  }
}

export type HeaderLines = ReturnType<typeof createHeaderLines>

/** CORS_ORIGINS does not apply to public pages and images. */
const needsCors = ({ access }: Route) => access.errors.length > 0
