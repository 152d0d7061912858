import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startService, type TestService } from '../support/service.ts'
import { assertSafeHeaders } from './errors.ts'

const listed = 'https://console.example'
const preflight = {
  origin: listed,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, content-type',
}

function serviceWith(env: Record<string, string>): () => TestService {
  let service: TestService
  before(async () => {
    service = await startService({ env })
  })
  return () => service
}

/** The headers that decide what a page of another origin may do, and `Vary`. */
function corsOf(headers: Headers): Record<string, string> {
  const own = [...headers].filter(([name]) => name.startsWith('access-control'))
  const vary = (headers.get('vary') ?? '').split(', ').filter((name) => !/^(accept-encoding)?$/i.test(name))
  return { ...Object.fromEntries(own), ...(vary.length > 0 && { vary: vary.join(', ') }) }
}

const exposed =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Upload-Warning, X-Upload-Metadata, X-Upload-Duplicate-Of, X-Images-Remaining, Content-Location'
const requests = [
  ['GET', '/health', 200],
  ['GET', '/openapi.json', 200],
  ['GET', '/auth/me', 401],
  ['GET', '/nowhere', 404],
  ['GET', '/%zz', 400],
  ['POST', '/auth/login', 400],
] as const

describe('Without CORS_ORIGINS', () => {
  const service = serviceWith({})

  it('no response has a CORS header', async () => {
    for (const [method, path, status] of requests) {
      const reply = await service().request(method, path, { headers: { origin: listed } })
      assert.equal(reply.status, status)
      assert.deepEqual(corsOf(reply.headers), {})
    }
  })

  it('a preflight is an unmatched route', async () => {
    const { status, body } = await service().request('OPTIONS', '/auth/login', { headers: preflight })
    assert.deepEqual([status, body.message], [404, 'Not Found - OPTIONS /auth/login'])
  })
})

describe('With a list in CORS_ORIGINS', () => {
  const service = serviceWith({ CORS_ORIGINS: `https://other.example, ${listed}` })

  it('a listed origin may read every JSON response, errors too', async () => {
    for (const [method, path] of requests) {
      const { headers } = await service().request(method, path, { headers: { origin: listed } })
      assert.deepEqual(corsOf(headers), {
        'access-control-allow-origin': listed,
        'access-control-expose-headers': exposed,
        vary: 'Origin',
      })
    }
  })

  for (const origin of [
    'https://evil.example',
    'http://console.example',
    `${listed}.evil.example`,
    'https://CONSOLE.example',
    'null',
    '*',
    '',
  ]) {
    it(`another origin may not, and Vary tells caches: ${JSON.stringify(origin)}`, async () => {
      for (const [method, path] of requests) {
        const { headers } = await service().request(method, path, { headers: { origin } })
        assert.deepEqual(corsOf(headers), { vary: 'Origin' })
      }
      const { headers, status } = await service().request('OPTIONS', '/auth/login', {
        headers: { ...preflight, origin },
      })
      if (status === 204) assert.deepEqual(corsOf(headers), { vary: 'Origin' })
    })
  }

  it('a request without an origin gets only Vary', async () => {
    assert.deepEqual(corsOf((await service().request('GET', '/health')).headers), { vary: 'Origin' })
  })

  it('a preflight lists the methods of the path and the headers that a client needs', async () => {
    for (const [path, methods] of [
      ['/auth/login', 'POST'],
      ['/auth/me', 'GET, HEAD'],
      ['/%61uth/me', 'GET, HEAD'],
      ['/images/fox/random', 'GET, HEAD'],
    ] as const) {
      const { status, headers, text } = await service().request('OPTIONS', path, { headers: preflight })
      assert.deepEqual([status, text, headers.get('content-length')], [204, '', null])
      assert.deepEqual(corsOf(headers), {
        'access-control-allow-origin': listed,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, X-API-Key',
        'access-control-max-age': '600',
        vary: 'Origin',
      })
      assertSafeHeaders((name) => headers.get(name))
    }
  })

  it('an OPTIONS that is not a preflight, or has an unknown path, is an unmatched route', async () => {
    for (const [path, headers] of [
      ['/auth/login', {}],
      ['/auth/login', { origin: listed }],
      ['/auth/login', { 'access-control-request-method': 'POST' }],
      ['/nowhere', preflight],
    ] as const) {
      assert.equal((await service().request('OPTIONS', path, { headers })).status, 404)
    }
  })

  it('no response ever allows credentials', async () => {
    const reply = await service().request('OPTIONS', '/auth/me', { headers: preflight })
    assert.equal(reply.headers.get('access-control-allow-credentials'), null)
  })

  it('the reference page is only for its own origin', async () => {
    const { headers } = await service().request('GET', '/docs', { headers: { origin: listed } })
    assert.equal(headers.get('access-control-allow-origin'), null)
  })
})

describe('With * in CORS_ORIGINS', () => {
  const service = serviceWith({ CORS_ORIGINS: '*' })

  it('every origin may read, and responses do not vary', async () => {
    for (const origin of [listed, 'null']) {
      for (const [method, path] of requests) {
        const { headers } = await service().request(method, path, { headers: { origin } })
        assert.deepEqual(corsOf(headers), {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': exposed,
        })
      }
    }
  })

  it('every origin passes a preflight', async () => {
    const { status, headers } = await service().request('OPTIONS', '/auth/login', { headers: preflight })
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, '*'])
  })
})
