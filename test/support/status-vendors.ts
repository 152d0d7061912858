import { createHmac } from 'node:crypto'
import { type Asked, json, type Reply, type Vendor } from './status-servers.ts'

type Complain = (about: string) => void

/** What a page shows: the vendor's status for each of its names. */
export type Shown = Map<string, string>

const isJson = ({ headers }: Asked) => headers['content-type'] === 'application/json'

function parsed(body: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(body)
    return value && typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

const statuses = ['operational', 'degraded', 'partial', 'outage', 'maintenance']
const isTime = (value: unknown) => typeof value === 'string' && new Date(value).toISOString() === value

/** What is wrong with an event; the native protocol and webhooks share their fields. */
function mistakeIn(body: Record<string, unknown>, extra: readonly string[]): string | null {
  const fields = ['componentId', 'status', 'previousStatus', 'source', 'reportedAt', 'incidentId', 'sequence', ...extra]
  if (Object.keys(body).sort().join() !== fields.sort().join()) return `fields ${Object.keys(body)}`
  const { status, previousStatus, source, reportedAt, incidentId, sequence } = body
  if (!statuses.includes(String(status))) return 'status'
  if (previousStatus !== null && !statuses.includes(String(previousStatus))) return 'previousStatus'
  if (source !== 'heartbeat' && source !== 'silence') return 'source'
  if (!isTime(reportedAt)) return 'reportedAt'
  if (incidentId !== null && typeof incidentId !== 'string') return 'incidentId'
  return Number.isSafeInteger(sequence) ? null : 'sequence'
}

const refuse = (complain: Complain, about: string, reply: Reply): Reply => {
  complain(about)
  return reply
}

export function nativeService(token: string | null, shown: Shown): Vendor {
  return (asked, complain) => {
    const { method, path, headers } = asked
    const fail = (status: number, error: string) => refuse(complain, error, json(status, { ok: false, error }))
    if (path !== '/status-api/status') return fail(404, 'path')
    if (headers.authorization !== (token === null ? undefined : `Bearer ${token}`)) return fail(401, 'token')
    if (method === 'GET') return json(200, { components: Object.fromEntries(shown) })
    if (method !== 'POST') return fail(405, 'method')
    if (!isJson(asked)) return fail(415, 'content type')
    const body = parsed(asked.body)
    const mistake = body === null ? 'no JSON' : mistakeIn(body, [])
    if (body === null || mistake !== null) return fail(400, String(mistake))
    shown.set(String(body.componentId), String(body.status))
    return { status: 202 }
  }
}

/** Responds 409 to a key that it has already seen. */
export function webhookReceiver(secret: string, shown: Shown, now: () => number): Vendor {
  const seen = new Set<string>()
  return (asked, complain) => {
    const { method, path, headers } = asked
    const fail = (status: number, error: string) => refuse(complain, error, json(status, { error }))
    if (path !== '/hooks/a') return fail(404, 'path')
    if (method === 'GET') return json(200, { events: seen.size })
    if (method !== 'POST') return fail(405, 'method')
    if (!isJson(asked)) return fail(415, 'content type')
    const [, t = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-signature'])) ?? []
    if (v1 !== createHmac('sha256', secret).update(`${t}.${asked.body}`).digest('hex')) return fail(401, 'signature')
    if (Math.abs(Number(t) * 1000 - now()) > 300_000) return fail(401, 'time of signature')
    const key = headers['idempotency-key']
    if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) return fail(400, 'idempotency key')
    const body = parsed(asked.body)
    if (body?.event === 'test') {
      shown.set('test', String(body.sentAt))
      return { status: 204 }
    }
    const mistake = body?.event !== 'component.status_changed' ? 'event' : mistakeIn(body, ['event'])
    if (body === null || mistake !== null) return fail(422, String(mistake))
    if (seen.has(key)) return json(409, { error: 'seen' })
    seen.add(key)
    shown.set(String(body.componentId), String(body.status))
    return { status: 204 }
  }
}

const pageStatuses = ['operational', 'under_maintenance', 'degraded_performance', 'partial_outage', 'major_outage', '']

/** One page, with the limit of 60 requests in 60 s. */
export function statuspageApi(key: string, shown: Shown, now: () => number, limitedAs: 420 | 429 = 429): Vendor {
  const times: number[] = []
  return (asked, complain) => {
    const { method, path, query, headers } = asked
    const fail = (status: number, error: string) => refuse(complain, error, json(status, { error }))
    if (headers.authorization !== `OAuth ${key}`) return fail(401, 'Could not authenticate')
    const recent = times.filter((time) => time > now() - 60_000)
    if (recent.length >= 60)
      return refuse(complain, 'rate', json(limitedAs, { error: 'Too many requests' }, { 'Retry-After': '60' }))
    times.push(now())
    const [, page, id] = /^\/v1\/pages\/([^/]+)\/components(?:\/([^/]+))?$/.exec(path) ?? []
    if (page !== 'page1') return fail(404, 'Page not found')
    if (id === undefined) {
      if (method !== 'GET') return fail(404, 'method')
      if (!query.has('page')) return fail(429, 'a list that is not paged')
      return json(
        200,
        [...shown].map(([each, status]) => ({ id: each, page_id: page, status })),
      )
    }
    if (method !== 'PATCH' && method !== 'PUT') return fail(404, 'method')
    if (!shown.has(id)) return fail(404, 'Component not found')
    if (!isJson(asked)) return fail(400, 'content type')
    const component = parsed(asked.body)?.component as Record<string, unknown> | undefined
    if (component === undefined || component === null) return fail(400, 'component is missing')
    if (Object.keys(component).join() !== 'status') return fail(422, 'fields')
    if (!pageStatuses.includes(String(component.status))) return fail(422, 'status')
    shown.set(id, String(component.status))
    return json(200, { id, page_id: page, status: component.status })
  }
}

/** A JSON API with one bearer token, whose components are set one by one. */
function mappedApi(
  token: string,
  { list, path, method, field }: { list: string; path: RegExp; method: readonly string[]; field: string },
  isStatus: (body: Record<string, unknown>) => boolean,
  shown: Shown,
): Vendor {
  return (asked, complain) => {
    const fail = (status: number, error: string) => refuse(complain, error, json(status, { error }))
    if (asked.headers.authorization !== `Bearer ${token}`) return fail(401, 'Unauthenticated.')
    if (asked.path === list && asked.method === 'GET') return json(200, Object.fromEntries(shown))
    const [, name] = path.exec(asked.path) ?? []
    if (name === undefined || !shown.has(name)) return fail(404, 'not found')
    if (!method.includes(asked.method)) return fail(405, 'method')
    const body = parsed(asked.body)
    if (body === null || !isJson(asked)) return fail(400, 'JSON')
    if (!isStatus(body)) return fail(422, field)
    shown.set(name, String(body.status))
    return json(200, { [field]: name, status: body.status })
  }
}

const isOnly = (body: Record<string, unknown>, ...fields: string[]) => Object.keys(body).sort().join() === fields.join()

/** One page; a body has only the fields to change. */
export function instatusApi(token: string, shown: Shown): Vendor {
  const statuses = ['OPERATIONAL', 'UNDERMAINTENANCE', 'DEGRADEDPERFORMANCE', 'PARTIALOUTAGE', 'MAJOROUTAGE']
  const routes = {
    list: '/v2/page1/components',
    path: /^\/v2\/page1\/components\/([^/]+)$/,
    method: ['PUT'],
    field: 'id',
  }
  return mappedApi(token, routes, (body) => isOnly(body, 'status') && statuses.includes(String(body.status)), shown)
}

/** Version 3: statuses are numbers, 5 means unknown. */
export function cachetApi(token: string, shown: Shown): Vendor {
  const routes = {
    list: '/api/components',
    path: /^\/api\/components\/(\d+)$/,
    method: ['PUT', 'PATCH'],
    field: 'id',
  }
  return mappedApi(
    token,
    routes,
    (body) => isOnly(body, 'status') && [1, 2, 3, 4, 5, 6].includes(body.status as number),
    shown,
  )
}

/** Version 4: data points of a monitor, by the second; it keeps one per minute. */
export function kenerApi(token: string, shown: Shown, now: () => number): Vendor {
  const path = /^\/api\/v4\/monitors\/([^/]+)\/data\/\d{10}$/
  const routes = { list: '/api/v4/monitors', path, method: ['PATCH'], field: 'monitor_tag' }
  const isPoint = (body: Record<string, unknown>) =>
    isOnly(body, 'latency', 'status') && body.latency === 0 && ['UP', 'DOWN', 'DEGRADED'].includes(String(body.status))
  const api = mappedApi(token, routes, isPoint, shown)
  return (asked, complain) => {
    const seconds = Number(/\d+$/.exec(asked.path)?.[0])
    if (asked.method === 'PATCH' && Math.abs(seconds * 1000 - now()) > 60_000) complain('not the current minute')
    return api(asked, complain)
  }
}

/** Version 1: every failed push is a 404, and every unknown path returns its web page. */
export function uptimeKuma(shown: Shown): Vendor {
  return ({ method, path, query, body }, complain) => {
    if (path === '/api/entry-page' && method === 'GET') return json(200, { type: 'entryPage', entryPage: 'dashboard' })
    const [, token] = /^\/api\/push\/([^/]+)$/.exec(path) ?? []
    if (token === undefined || method !== 'GET') {
      complain('address')
      return method === 'GET' ? { status: 200, type: 'text/html', body: '<!DOCTYPE html>' } : { status: 404, body: '' }
    }
    if (body !== '') complain('body')
    if (!shown.has(token)) {
      complain('push token')
      return json(404, { ok: false, msg: 'Monitor not found or not active.' })
    }
    const status = query.get('status') ?? 'up'
    if (status !== 'up' && status !== 'down') complain('status')
    shown.set(token, `${status === 'up' ? 'up' : 'down'} ${query.get('msg') ?? 'OK'}`)
    return json(200, { ok: true })
  }
}

export function gatusApi(tokens: ReadonlyMap<string, string>, shown: Shown): Vendor {
  return ({ method, path, query, headers, body }, complain) => {
    const fail = (status: number, about: string) => refuse(complain, about, { status, type: 'text/plain', body: about })
    if (path === '/api/v1/endpoints/statuses' && method === 'GET')
      return json(
        200,
        [...shown].map(([key, status]) => ({ key, results: [{ status }] })),
      )
    const [, key = ''] = /^\/api\/v1\/endpoints\/([^/]+)\/external$/.exec(path) ?? []
    if (key === '') return fail(404, 'path')
    if (method !== 'POST') return fail(405, 'method')
    if (body !== '') complain('body')
    const success = query.get('success')
    if (success !== 'true' && success !== 'false') return fail(400, 'missing or invalid success query parameter')
    const { authorization = '' } = headers
    if (!authorization.startsWith('Bearer ')) return fail(401, 'invalid Authorization header')
    if (!tokens.has(key)) return fail(404, 'not found')
    if (authorization !== `Bearer ${tokens.get(key)}`) return fail(401, 'invalid token')
    shown.set(key, success === 'true' ? 'true' : `false ${query.get('error') ?? ''}`)
    return { status: 200, type: 'text/plain' }
  }
}
