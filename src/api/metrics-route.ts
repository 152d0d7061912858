import { isIP } from 'node:net'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { Call } from '../http/call.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { TextResponse } from '../http/responses.ts'
import type { Access } from '../http/route.ts'
import { type Networks, plainAddress } from '../lib/address.ts'

export interface MetricsRouteDeps {
  readonly metricsPage: {
    readonly allow: Networks
    /** The proxies whose X-Forwarded-For is trusted. */
    readonly trusted: Networks | null
    isAllowedHost(host: string | undefined, target: string): boolean
    render(): string
  }
}

const closed: Refusal = {
  status: 403,
  message: 'Metrics are only available to the networks of METRICS_ALLOW',
  envelope: 'status',
  when: 'the client is in none of them, or uses a proxy that is not in `TRUST_PROXY`',
}

const foreignHost: Refusal = {
  status: 403,
  message: 'This host name is not allowed: use an IP address, or add it to ALLOWED_HOSTS',
  envelope: 'status',
  when: 'the `Host` is not an allowed name (protection against DNS rebinding)',
}

const type = 'text/plain; version=0.0.4; charset=utf-8'

const access: Access<null, MetricsRouteDeps> = {
  label: 'addresses in METRICS_ALLOW',
  // Empty, since errors of an access mean that the route needs a token.
  errors: [],
  admit(call, { metricsPage: { allow, trusted, isAllowedHost } }) {
    const { headers, url = '' } = call.req
    if (isHidden(call, trusted) || !allow.has(call.address)) refuse(closed)
    if (!isAllowedHost(headers.host, url)) refuse(foreignHost)
    return null
  },
}

export const metricsRoute: ApiRoute<MetricsRouteDeps, unknown> = defineApiRoute({
  method: 'GET',
  path: '/metrics',
  operationId: 'getMetrics',
  summary: 'Get metrics for Prometheus',
  description:
    'Requests, rate limits, password hashes, images, the object store, the database and the process, in text format 0.0.4.',
  access,
  envelope: 'status',
  limit: null,
  counts: null,
  audit: null,
  keyScope: null,
  // No CORS headers: pages of other origins must not read it.
  headers: {},
  reply: { status: 200, type },
  errors: [closed, foreignHost],
  handle: (_call, { metricsPage }: MetricsRouteDeps) => new TextResponse(200, type, metricsPage.render()),
})

const ofProxies = /^(?:x-forwarded.*|forwarded|via|(?:.+-)?(?:client|connecting|real)-ip|cdn-loop)$/

/**
 * Behind an untrusted proxy, or one whose header is unreadable, every client would have the proxy's address. One that
 * adds no header may be known by HTTP/1.0, which nginx sends with its defaults.
 */
function isHidden({ req: { headers, socket, httpVersion } }: Call, trusted: Networks | null): boolean {
  if (!Object.keys(headers).some((name) => ofProxies.test(name))) return httpVersion === '1.0'
  const forwardedFor = headers['x-forwarded-for']
  if (typeof forwardedFor !== 'string' || !trusted?.has(plainAddress(socket.remoteAddress ?? ''))) return true
  return forwardedFor.split(',').some((entry) => isIP(entry.trim()) === 0)
}
