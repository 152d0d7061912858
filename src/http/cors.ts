import type { IncomingMessage } from 'node:http'

export interface Cors {
  readonly origins: readonly string[] | '*'
}

const exposed = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After'

/** What a JSON answer says to a page of another origin; nothing to an origin that is not listed. */
export function corsHeaders({ origins }: Cors, req: IncomingMessage): Record<string, string> {
  const { origin } = req.headers
  if (origins === '*') return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed }
  if (origin === undefined || !origins.includes(origin)) return { Vary: 'Origin' }
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' }
}

export function preflightHeaders(
  cors: Cors,
  req: IncomingMessage,
  methods: readonly string[],
): Record<string, string> | null {
  if (
    req.headers.origin === undefined ||
    req.headers['access-control-request-method'] === undefined ||
    methods.length === 0
  )
    return null
  const { 'Access-Control-Expose-Headers': _, ...headers } = corsHeaders(cors, req)
  if (!headers['Access-Control-Allow-Origin']) return headers
  return {
    ...headers,
    'Access-Control-Allow-Methods': methods.join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': '600',
  }
}
