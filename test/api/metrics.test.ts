import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { createJournal } from '../../src/accounts/journal.ts'
import { ClientGone } from '../../src/http/json-body.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { createLogs } from '../../src/process/logger.ts'
import { kitRoute, startKit } from '../http/kit.ts'
import { ask, head } from '../http/wire.ts'
import { startImages } from '../images/image-stage.ts'
import { breakableUsers } from '../support/broken-users.ts'
import { fakeClock } from '../support/clock.ts'
import { countSeries, type Exposition, parseExposition, valueIn } from '../support/exposition.ts'
import { folder } from '../support/object-stores.ts'
import { type ServiceSpec, startService, type TestService } from '../support/service.ts'
import { sized } from '../support/size.ts'
import { until } from '../support/until.ts'

const path = '/metrics'
const noLimits = { RATE_LIMIT_GLOBAL_MAX: '0', RATE_LIMIT_AUTH_MAX: '0', RATE_LIMIT_REGISTER_MAX: '0' }

const start = (spec: ServiceSpec = {}) => startService({ ...spec, env: { ...noLimits, ...spec.env } })

const startWithImages = (spec: Parameters<typeof startImages>[1] = {}) =>
  startImages(folder, { ...spec, env: { ...noLimits, ...spec.env } })

async function scrape(service: TestService): Promise<Exposition> {
  const { status, text } = await service.request('GET', path)
  assert.equal(status, 200, text)
  return parseExposition(text)
}

async function scrapeUntil(service: TestService, holds: (found: Exposition) => boolean): Promise<Exposition> {
  let found = await scrape(service)
  const isThere = async () => {
    found = await scrape(service)
    return holds(found)
  }
  await until(isThere, String(holds))
  return found
}

const requests = (found: Exposition) =>
  (found.get('menagerie_http_requests_total')?.samples ?? [])
    .map(({ labels: { method, route, code }, value }) => `${method} ${route} ${code} ${value}`)
    .sort()

describe('GET /metrics', () => {
  it('counts and times every response by route and code', async () => {
    const service = await start()
    await scrape(service)
    for (const method of ['GET', 'GET', 'HEAD']) await service.request(method, '/')
    for (const token of [undefined, 'Bearer nonsense']) await service.request('GET', '/auth/me', { token })
    await service.register('gaston')
    for (const body of [{}, { username: 'gaston', password: 'not the right one' }])
      await service.request('POST', '/auth/login', { body })
    await service.login('gaston')
    await service.request('GET', '/i/fox/none.png')
    await service.request('GET', '/nowhere')
    await service.request('DELETE', '/health')
    await service.request('GET', '/%zz')
    const found = await scrape(service)
    assert.deepEqual(
      requests(found),
      [
        ...['GET / 200 3', 'GET /metrics 200 1', 'GET /auth/me 401 2', 'POST /auth/register 201 1'],
        ...['POST /auth/login 400 1', 'POST /auth/login 401 1', 'POST /auth/login 200 1'],
        ...['GET /i/:folder/:filename 404 1', 'other unmatched 404 2', 'other unmatched 400 1'],
      ].sort(),
    )
    const count = (method: string, route: string) =>
      valueIn(found, 'menagerie_http_request_duration_seconds_count', { method, route })
    assert.deepEqual(
      [
        count('GET', '/'),
        count('POST', '/auth/login'),
        count('other', 'unmatched'),
        count('GET', '/i/:folder/:filename'),
      ],
      [3, 3, 3, 1],
    )
  })

  it('measures durations by the clock', async () => {
    const clock = fakeClock()
    const slow = async () => {
      clock.advance(30)
      return null
    }
    const service = await start({ overrides: { clock, users: (real) => ({ ...real, find: slow }) } })
    await service.login('nobody')
    const found = await scrape(service)
    const labels = { method: 'POST', route: '/auth/login' }
    const under = (le: string) => valueIn(found, 'menagerie_http_request_duration_seconds_bucket', { ...labels, le })
    assert.deepEqual([under('0.025'), under('0.05'), under('+Inf')], [0, 1, 1])
    assert.equal(valueIn(found, 'menagerie_http_request_duration_seconds_sum', labels), 0.03)
    assert.equal(valueIn(found, 'menagerie_database_query_duration_seconds_sum', { operation: 'users.find' }), 0.03)
  })

  it('has no label value chosen by a client, and does not grow with requests', async () => {
    const service = await start()
    const strange = async (index: number) => {
      await service.request('GET', `/made-up-${index}?made=up-${index}`, {
        headers: { [`made-up-${index}`]: 'made-up' },
      })
      await service.request('GET', `/i/made-up/${index}.png`)
    }
    for (const method of ['GET', 'PURGE', 'OPTIONS', 'MADE-UP'])
      await service.request(method, '/nowhere').catch(() => {})
    await strange(0)
    await scrapeUntil(service, (found) => valueIn(found, 'menagerie_catalogue_age_seconds') !== undefined)
    const before = await scrape(service)
    for (let index = 1; index <= sized(100, 1_000); index++) await strange(index)
    const after = await scrape(service)
    assert.equal(countSeries(after), countSeries(before))
    const seen = [...after.values()].flatMap(({ samples }) => samples.flatMap(({ labels }) => Object.values(labels)))
    assert.ok(!seen.some((label) => /made-up|MADE-UP|PURGE|nowhere/i.test(label)))
  })

  it('has every family with its help and type', async () => {
    const found = await scrape(await start())
    assert.deepEqual(
      [...found].map(([name, { type, help }]) => `${type} ${name}${help.endsWith('.') ? '' : ' without help'}`).sort(),
      [
        'counter menagerie_database_errors_total',
        'counter menagerie_http_requests_total',
        'counter menagerie_image_cache_hits_total',
        'counter menagerie_image_cache_misses_total',
        'counter menagerie_image_sizes_total',
        'counter menagerie_object_store_errors_total',
        'counter menagerie_rate_limit_refused_total',
        'counter process_cpu_seconds_total',
        'gauge menagerie_build_info',
        'gauge menagerie_catalogue_age_seconds',
        'gauge menagerie_catalogue_objects',
        'gauge menagerie_held_requests',
        'gauge menagerie_image_cache_bytes',
        'gauge menagerie_image_cache_entries',
        'gauge menagerie_image_sizes_bytes',
        'gauge menagerie_image_sizes_waiting',
        'gauge menagerie_journal_pending_events',
        'gauge menagerie_password_hashes',
        'gauge menagerie_rate_limit_keys',
        'gauge menagerie_rate_limit_shared',
        'gauge menagerie_resizer_memory_bytes',
        'gauge nodejs_external_memory_bytes',
        'gauge nodejs_heap_size_used_bytes',
        ...(process.platform === 'linux' ? ['gauge process_max_fds', 'gauge process_open_fds'] : []),
        'gauge process_resident_memory_bytes',
        'gauge process_start_time_seconds',
        'histogram menagerie_database_query_duration_seconds',
        'histogram menagerie_event_loop_delay_seconds',
        'histogram menagerie_http_request_duration_seconds',
        'histogram menagerie_object_store_operation_duration_seconds',
      ],
    )
    const [build] = found.get('menagerie_build_info')?.samples ?? []
    assert.deepEqual([build?.labels.node, build?.value], [process.version, 1])
    assert.match(build?.labels.version ?? '', /^\d+\.\d+\.\d+$/)
    assert.ok(valueIn(found, 'menagerie_event_loop_delay_seconds_count') !== undefined)
    assert.equal(valueIn(found, 'menagerie_rate_limit_shared'), 0)
  })

  it('answers HEAD with the headers only, the media type of the format, and no caching', async () => {
    const service = await start()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await service.request(method, path)
      assert.deepEqual([status, text === ''], [200, method === 'HEAD'])
      assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
      assert.equal(headers.get('cache-control'), 'no-store')
    }
  })

  it('counts clients that leave before the response', async () => {
    const answered = Promise.withResolvers<unknown[]>()
    const begun = Promise.withResolvers<void>()
    const waiting = kitRoute({
      path: '/waiting',
      reply: { status: 204 },
      async handle({ signal }) {
        begun.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        throw new ClientGone()
      },
    })
    const kit = await startKit([waiting], {
      onResponse: ({ route }, status) => answered.resolve([route?.path, status]),
      logs: createLogs('fatal', systemClock, { write() {}, flush() {} }),
    })
    const leaving = new AbortController()
    const asked = kit.request('/waiting', { signal: leaving.signal })
    await begun.promise
    leaving.abort()
    await assert.rejects(asked)
    assert.deepEqual(await answered.promise, ['/waiting', 499])
  })
})

describe('Access to metrics', () => {
  const closed = { status: 403, message: 'Metrics are only available to the networks of METRICS_ALLOW' }
  const proxied = { TRUST_PROXY: 'loopback' }
  const asked: readonly [what: string, env: Record<string, string>, headers: Record<string, string>, status: number][] =
    [
      ['a local client', {}, {}, 200],
      ['an address outside METRICS_ALLOW', { METRICS_ALLOW: '10.0.0.0/8' }, {}, 403],
      ['a forwarded client', {}, { 'x-forwarded-for': '127.0.0.1' }, 403],
      ['a client with Forwarded', {}, { forwarded: 'for=127.0.0.1' }, 403],
      ['a client with Via', {}, { via: '1.1 somewhere' }, 403],
      ['a client with X-Real-IP', {}, { 'x-real-ip': '203.0.113.9' }, 403],
      ['a client with CF-Connecting-IP', {}, { 'cf-connecting-ip': '203.0.113.9' }, 403],
      ['a client with True-Client-IP', {}, { 'true-client-ip': '203.0.113.9' }, 403],
      ['a client with X-Forwarded-Proto', {}, { 'x-forwarded-proto': 'https' }, 403],
      ['Prometheus', {}, { 'x-prometheus-scrape-timeout-seconds': '10' }, 200],
      ['a trusted proxy forwards an outsider', proxied, { 'x-forwarded-for': '203.0.113.9' }, 403],
      ['a trusted proxy forwards an insider', proxied, { 'x-forwarded-for': '127.0.0.1' }, 200],
      [
        'a trusted proxy forwards an allowed network',
        { TRUST_PROXY: 'loopback', METRICS_ALLOW: '10.0.0.0/8' },
        { 'x-forwarded-for': '10.1.2.3', via: '1.1 somewhere' },
        200,
      ],
      ['an outsider forges a local address', proxied, { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' }, 403],
      ['a trusted proxy forwards an unknown address', proxied, { 'x-forwarded-for': 'unknown' }, 403],
      [
        'a trusted proxy forwards an address with a port',
        proxied,
        { 'x-forwarded-for': '1.2.3.4:567, 127.0.0.1' },
        403,
      ],
      ['a trusted proxy sends only Forwarded', proxied, { forwarded: 'for=127.0.0.1' }, 403],
      ['an untrusted proxy', { TRUST_PROXY: '10.0.0.1' }, { 'x-forwarded-for': '127.0.0.1' }, 403],
      ['the trusted proxy itself', proxied, {}, 200],
    ]
  const services = new Map<string, TestService>()
  before(async () => {
    for (const [, env] of asked) {
      const key = JSON.stringify(env)
      if (!services.has(key)) services.set(key, await start({ env }))
    }
  })
  for (const [what, env, headers, status] of asked) {
    it(`is for METRICS_ALLOW only: ${what}: ${status}`, async () => {
      const service = services.get(JSON.stringify(env)) as TestService
      const reply = await service.request('GET', path, { headers })
      assert.equal(reply.status, status)
      if (status === 403) assert.deepEqual(reply.body, closed)
    })
  }

  it('is refused over HTTP/1.0, as from a proxy that says nothing of its visitors', async () => {
    const { port } = new URL((services.get('{}') as TestService).url)
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.end(`GET ${path} HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    assert.match(await text(socket), /^HTTP\/1\.1 403 /)
  })

  it('is refused under a foreign host name', async () => {
    const env = { ALLOWED_HOSTS: 'metrics.example.org', BASE_URL: 'https://base.example.org' }
    const service = await start({ env })
    for (const [Host, target, status] of [
      ['evil.example', path, 403],
      ['localhost', `http://evil.example${path}`, 403],
      ['metrics.example.org:3000', path, 200],
      ['base.example.org', path, 200],
      ['localhost', path, 200],
    ] as const) {
      const answer = await ask(service.port, head('GET', target, { Host }))
      assert.equal(answer.status, status, `${Host} ${target}`)
      const message = 'This host name is not allowed: use an IP address, or add it to ALLOWED_HOSTS'
      if (status === 403) assert.deepEqual(answer.json, { status: 403, message })
    }
  })

  it('is refused to a page of another origin, whatever CORS_ORIGINS says', async () => {
    const service = await start({ env: { CORS_ORIGINS: '*' } })
    const origin = 'https://console.example'
    for (const [via, status] of [
      [{}, 200],
      [{ via: '1.1 somewhere' }, 403],
    ] as const) {
      const reply = await service.request('GET', path, { headers: { origin, ...via } })
      assert.equal(reply.status, status)
      assert.deepEqual(
        [...reply.headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      )
    }
  })
})

describe('Metrics of images', () => {
  const fill = async (put: (name: string, bytes: Uint8Array) => Promise<unknown>) => {
    await put('fox/a.png', Buffer.alloc(5_000, 1))
  }

  it('report cache hits, the size of the catalogue, and its age', async () => {
    const clock = fakeClock()
    const { service, get } = await startWithImages({ fill, overrides: { clock } })
    const before = await scrapeUntil(
      service,
      (found) => valueIn(found, 'menagerie_catalogue_age_seconds') !== undefined,
    )
    const cache = (found: Exposition) =>
      ['hits_total', 'misses_total', 'entries'].map((name) => valueIn(found, `menagerie_image_cache_${name}`))
    assert.deepEqual(cache(before), [0, 0, 0])
    assert.equal(valueIn(before, 'menagerie_image_cache_bytes'), 0)
    assert.equal(valueIn(before, 'menagerie_catalogue_objects', { kind: 'fox' }), 1)
    assert.equal(valueIn(before, 'menagerie_catalogue_objects', { kind: 'bird' }), 0)

    assert.equal((await get('/images/fox/random')).status, 200)
    for (let index = 0; index < 3; index++) assert.equal((await get('/i/fox/a.png')).status, 200)
    assert.equal((await get('/images/fox/random?as=bytes')).status, 200)
    clock.advance(45_000)
    const after = await scrape(service)
    assert.deepEqual(cache(after), [3, 1, 1])
    assert.ok((valueIn(after, 'menagerie_image_cache_bytes') ?? 0) >= 5_000)
    assert.equal(valueIn(after, 'menagerie_catalogue_age_seconds'), 45)
    assert.deepEqual(
      requests(after).filter((line) => / \/(images|i)\//.test(line)),
      ['GET /i/:folder/:filename 200 3', 'GET /images/fox/random 200 2'],
    )
  })

  it('report failed store operations; a missing object is not a failure', async () => {
    const away = async () => {
      throw new Unavailable('object store')
    }
    let isAway = false
    const { service, get } = await startWithImages({
      fill,
      overrides: {
        images: {
          store: (real) => ({
            ...real,
            read: (place, signal) => (isAway ? away() : real.read(place, signal)),
            async *list() {
              yield await away()
            },
          }),
        },
      },
    })
    const errors = (found: Exposition, operation: string) =>
      valueIn(found, 'menagerie_object_store_errors_total', { operation })
    const seen = await scrapeUntil(service, (found) => errors(found, 'list') !== undefined)
    // Nothing is known about the images yet, which does not mean that there are none.
    for (const name of ['menagerie_catalogue_objects', 'menagerie_catalogue_age_seconds'])
      assert.deepEqual(seen.get(name)?.samples, [], name)
    assert.equal((await get('/i/fox/none.png')).status, 404)
    assert.equal(errors(await scrape(service), 'read'), 0)
    isAway = true
    for (let index = 0; index < 3; index++) assert.equal((await get('/i/fox/a.png')).status, 404)
    const found = await scrape(service)
    assert.equal(errors(found, 'read'), 3)
    assert.ok((errors(found, 'list') ?? 0) >= 1)
    const operation = 'read'
    assert.equal(valueIn(found, 'menagerie_object_store_operation_duration_seconds_count', { operation }), 4)
  })
})

describe('Metrics of the database', () => {
  it('report failed operations, but not refusals', async () => {
    const accounts = breakableUsers()
    const env = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: 'an owner of many metrics' }
    const service = await start({ env, overrides: { users: accounts.users } })
    const token = (await service.login(env.OWNER_USERNAME, env.OWNER_PASSWORD)).body.accessToken
    const ban = await service.request('POST', '/admin/ban', { token, body: { username: 'olivia' } })
    assert.equal(ban.status, 400)
    const errors = (found: Exposition, operation: string) =>
      valueIn(found, 'menagerie_database_errors_total', { operation })
    const before = await scrape(service)
    assert.equal(errors(before, 'users.change'), 0)
    accounts.away = true
    for (let index = 0; index < 2; index++) assert.equal((await service.login('olivia')).status, 503)
    assert.equal((await service.request('GET', '/auth/me', { token })).status, 503)
    const after = await scrape(service)
    assert.equal(errors(after, 'users.find'), 2)
    assert.equal(errors(after, 'users.findPrincipal'), 1)
    // The embedded database answers the guard synchronously, which is not timed.
    const operation = 'users.findPrincipal'
    assert.equal(valueIn(after, 'menagerie_database_query_duration_seconds_count', { operation }), 0)
  })

  it('report running and waiting hashes', async () => {
    const begun = Promise.withResolvers<void>()
    const going = Promise.withResolvers<boolean>()
    const hasher = {
      hash: async () => 'hashed',
      verify() {
        begun.resolve()
        return going.promise
      },
      isOutdated: () => false,
      dummy: 'hashed',
    }
    const service = await start({ overrides: { hasher } })
    const login = service.login('nobody')
    await begun.promise
    const hashes = (found: Exposition, state: string) => valueIn(found, 'menagerie_password_hashes', { state })
    const during = await scrape(service)
    assert.deepEqual([hashes(during, 'running'), hashes(during, 'waiting')], [1, 0])
    going.resolve(false)
    assert.equal((await login).status, 401)
    assert.equal(hashes(await scrape(service), 'running'), 0)
  })

  it('report pending audit events, including those being written', async () => {
    const writing = Promise.withResolvers<void>()
    const { log } = createLogs('fatal', systemClock, { write() {}, flush() {} })
    const store = {
      write: () => writing.promise,
      forget: async () => ({ events: 0, usageDays: 0 }),
      newestEventAt: async () => null,
      copy: async () => {},
    }
    const rest = { clock: systemClock, newId: () => 'id', log, keepUsageDays: 1, keepAuditDays: 1 }
    const journal = createJournal({ store, ...rest })
    const by = { actor: 'someone', address: '127.0.0.1', requestId: 'r' }
    const written = [1, 2].map(() => journal.done(by, { action: 'upload', target: 'a', after: null }))
    assert.equal(journal.pendingEvents, 2)
    writing.resolve()
    await Promise.all(written)
    assert.equal(journal.pendingEvents, 0)
    await journal.close()
  })
})
