import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { apiRoutes } from '../../src/api/routes.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { startService, type TestService } from '../support/service.ts'
import { isFullSize } from '../support/size.ts'
import { assertSafeHeaders, isGuarded, nameOf, pathOf } from './errors.ts'
import { ask, head } from './wire.ts'

const routes = apiRoutes(builtInKinds)

let service: TestService
let token: string
before(async () => {
  service = await startService()
  token = (await service.register('headers')).accessToken
})

describe('The security headers', () => {
  for (const route of routes) {
    it(`are set on ${nameOf(route)}, on responses and refusals`, async () => {
      const replies = [await service.request(route.method, pathOf(route))]
      if (isGuarded(route))
        replies.push(await service.request(route.method, pathOf(route), { token: 'Bearer nonsense' }))
      if (route.body) replies.push(await service.request(route.method, pathOf(route), { body: 'no JSON', token }))
      for (const { headers } of replies) assertSafeHeaders((name) => headers.get(name))
    })
  }

  it('restrict a page to resources of its own origin, without inline scripts or frames', async () => {
    const { headers } = await service.request('GET', '/docs')
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'self'; frame-ancestors 'none'; base-uri 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types reference$/)
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  })

  it('let a JSON response load nothing and be cached nowhere', async () => {
    for (const path of routes
      .filter(
        ({ method, path }) =>
          method === 'GET' && !/docs|openapi|^\/console|^\/[ei]\/|^\/acknowledge|^\/status(?!\.json)/.test(path),
      )
      .map(pathOf)) {
      const { headers } = await service.request('GET', path, { token })
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
      )
      assert.equal(headers.get('cache-control'), 'no-store', path)
    }
  })
})

describe('Strict-Transport-Security', () => {
  for (const [env, expected] of [
    [{ BASE_URL: 'https://animals.example' }, 'max-age=63072000'],
    [{ BASE_URL: 'http://animals.example' }, undefined],
    [{}, undefined],
    [{ BASE_URL: 'https://animals.example', NODE_ENV: 'development' }, undefined],
  ] as const) {
    it(`is ${expected ?? 'not sent'} with ${JSON.stringify(env)}, on responses and every kind of error`, async () => {
      const other = await startService({ env })
      for (const bytes of [
        head('GET', '/health'),
        head('GET', '/nowhere'),
        ...(isFullSize ? [head('GET', '/docs')] : []),
        'BREW / HTTP/1.1\r\n\r\n',
        'GET / HTTP/1.1\r\n\r\n',
        head('CONNECT', 'x:1'),
      ]) {
        assert.equal((await ask(other.port, bytes)).headers['strict-transport-security'], expected, bytes)
      }
    })
  }
})

describe('X-Request-Id', () => {
  it('is a new UUIDv7 on each response, in request order', async () => {
    const ids: string[] = []
    for (let index = 0; index < 50; index++) {
      const { headers } = await ask(service.port, index % 2 ? head('GET', '/nowhere') : 'BREW / HTTP/1.1\r\n\r\n')
      ids.push(headers['x-request-id'] ?? '')
    }
    assert.equal(new Set(ids).size, 50)
    assert.deepEqual(ids.toSorted(), ids)
  })

  it('equals the one in the log, and is never taken from the client', async () => {
    const { headers } = await service.request('GET', '/health?find=me', { headers: { 'x-request-id': 'forged' } })
    const line = service.logged().findLast(({ path }) => path === '/health')
    assert.equal(line?.requestId, headers.get('x-request-id'))
    assert.doesNotMatch(JSON.stringify(service.logged()), /forged|find=me/)
  })
})

describe('WWW-Authenticate', () => {
  it('is on every 401 of the guard, with an error only if a token was sent (RFC 6750 §3)', async () => {
    const none = await service.request('GET', '/auth/me')
    assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="menagerie"')
    const wrong = await service.request('GET', '/auth/me', { token: 'Bearer nonsense' })
    assert.equal(wrong.headers.get('www-authenticate'), 'Bearer realm="menagerie", error="invalid_token"')
  })

  it('says how to send the token if it came without the scheme, or with another', async () => {
    const told =
      'Bearer realm="menagerie", error="invalid_token", error_description="Access token must be sent as Bearer <token>"'
    for (const token of ['eyJhbGciOiJIUzI1NiJ9.e30.c2ln', 'Basic YTpi', 'Token x', 'Bearerx']) {
      const { status, body, headers } = await service.request('GET', '/auth/me', { token })
      assert.deepEqual([status, body], [401, { status: 401, message: 'Invalid or revoked access token' }])
      assert.equal(headers.get('www-authenticate'), told, token)
    }
    for (const token of ['Bearer', 'bearer x', 'BEARER Bearer x']) {
      const { headers } = await service.request('GET', '/auth/me', { token })
      assert.doesNotMatch(headers.get('www-authenticate') ?? '', /description/, token)
    }
  })
})
