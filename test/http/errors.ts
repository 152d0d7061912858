import assert from 'node:assert/strict'
import type { Envelope } from '../../src/http/refusal.ts'
import type { Route } from '../../src/http/route.ts'

/** The body of a refusal, as decisions.md §4 writes the envelopes. */
export function inEnvelope(envelope: Envelope, status: number, message: string): object {
  if (envelope === 'error') return { error: message }
  if (envelope === 'status') return { status, message }
  if (envelope === 'ok') return { ok: false, error: message }
  return { message, stack: 'N/A' }
}

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The headers of every response to a program, error or not. */
export function assertSafeHeaders(header: (name: string) => string | null | undefined): void {
  assert.equal(header('x-content-type-options'), 'nosniff')
  assert.equal(header('referrer-policy'), 'no-referrer')
  assert.match(
    header('content-security-policy') ?? '',
    /^default-src '(none|self)'; (frame-ancestors 'none'; base-uri 'none'|style-src 'unsafe-inline'; img-src data:; sandbox$)/,
  )
  assert.match(header('cache-control') ?? '', /^no-(store|cache)$/)
  assert.match(header('x-request-id') ?? '', uuid7)
  for (const name of ['server', 'x-powered-by', 'via']) assert.ok(header(name) == null, name)
}

export const isGuarded = (route: Route) => route.access.errors.some(({ status }) => status === 401)
/** A path of this route, with a value for each parameter. */
export const pathOf = (route: Route) => route.path.replaceAll(/:\w+/g, 'x')
export const nameOf = (route: Route) => `${route.method} ${route.path}`
