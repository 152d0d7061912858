import type { IncomingMessage } from 'node:http'
import { type Headers, linesOf } from './headers.ts'

export interface Cors {
  readonly origins: readonly string[] | '*'
}

const exposed =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Upload-Warning, X-Upload-Metadata, X-Upload-Duplicate-Of, X-Images-Remaining, Content-Location'

/** `origin`: null if it is not allowed. */
const corsHeaders = (origin: string | null): Headers =>
  origin === null
    ? { Vary: 'Origin' }
    : {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': exposed,
        ...(origin !== '*' && { Vary: 'Origin' }),
      }

const allowedOrigin = ({ origins }: Cors, { headers: { origin } }: IncomingMessage): string | null => {
  if (origins === '*') return '*'
  return origin !== undefined && origins.includes(origin) ? origin : null
}

/** The CORS lines for a request, joined once per origin. */
export function createCorsLines(cors: Cors | null): (req: IncomingMessage) => string {
  if (cors === null) return () => ''
  const lines = new Map([...cors.origins, null].map((origin) => [origin, linesOf(corsHeaders(origin))]))
  return (req) => lines.get(allowedOrigin(cors, req)) as string
}

export function preflightHeaders(cors: Cors, req: IncomingMessage, methods: readonly string[]): Headers | null {
  if (
    req.headers.origin === undefined ||
    req.headers['access-control-request-method'] === undefined ||
    methods.length === 0
  )
    return null
  const origin = allowedOrigin(cors, req)
  const { 'Access-Control-Expose-Headers': _, ...headers } = corsHeaders(origin)
  if (origin === null) return headers
  return {
    ...headers,
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match, If-None-Match, X-API-Key',
    'Access-Control-Max-Age': '600',
  }
}
