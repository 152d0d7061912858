import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { apiRoutes } from '../../src/api/routes.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { isFullSize, someOf } from '../support/size.ts'
import { assertSafeHeaders, isGuarded, nameOf, pathOf } from './errors.ts'
import { ask, head, Wire } from './wire.ts'

const routes = apiRoutes(builtInKinds)
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY'] as const

let service: TestService
let token: string
let ownerToken: string
before(async () => {
  service = await startService({ env: { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password } })
  token = (await service.register('unmatched')).accessToken
  ownerToken = (await service.login('keeper')).body.accessToken
})

const matches = (pattern: string, path: string) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)
const isGuardedPath = (path: string) => /^\/(images|admin)\//.test(path)

async function assertUnmatched(method: string, path: string, shown = path): Promise<void> {
  const answer = await ask(service.port, head(method, path, isGuardedPath(path) ? { token } : {}))
  assert.equal(answer.status, 404, `${method} ${path}`)
  assert.deepEqual(answer.json, { message: `Not Found - ${method} ${shown}`, stack: 'N/A' })
  assert.equal(answer.headers.allow, undefined)
  assertSafeHeaders((name) => answer.headers[name])
}

describe('An unmatched request', () => {
  for (const [index, route] of routes.entries()) {
    it(`is 404, never 405: another method than ${nameOf(route)}`, async () => {
      const taken = routes.filter(({ path }) => matches(path, pathOf(route))).map(({ method }) => method as string)
      // In the small size, each route gets a different tenth of them.
      const asked = methods.filter((_, place) => isFullSize || (place + index) % 10 === 0)
      for (const method of asked.filter((each) => !taken.includes(each))) await assertUnmatched(method, pathOf(route))
    })

    it(`is 404 for another spelling of ${route.path}`, async () => {
      const path = pathOf(route)
      const spellings = [
        `${path}/`,
        `/${path}`,
        path.toUpperCase(),
        path.replaceAll('/', '//'),
        // At the end of a parameter they are a part of its value.
        ...(path === route.path ? [`${path}%2F`, `${path}%00`] : []),
        `/.${path}`,
      ]
      // A name that cannot be one of a file, such as `random%2F`, is that of no image.
      const isTaken = (spelling: string) =>
        routes.some(({ method, path: other }) => method === route.method && matches(other, spelling))
      for (const spelling of someOf(2, spellings).filter((each) => each !== path && !isTaken(each)))
        await assertUnmatched(route.method, spelling)
    })
  }

  it('is 404 without a check of its token or its body', async () => {
    for (const options of [
      {},
      { token },
      { token: 'Bearer nonsense' },
      { headers: { 'content-type': 'text/plain' } },
    ]) {
      const { status, body } = await service.request('POST', '/nowhere', { ...options, body: 'anything' })
      assert.deepEqual([status, body.message], [404, 'Not Found - POST /nowhere'])
    }
  })

  it('needs a token under /images/ and /admin/ in any spelling: 401, and 403 for a banned user', async () => {
    const banned = await service.register('unmatched-banned')
    const ban = await service.request('POST', '/admin/ban', { token: ownerToken, body: { userId: banned.id } })
    assert.equal(ban.status, 200)
    for (const path of ['/images/', '/admin/nothing', '/%61dmin/x', '/admin/users/', '/images/fox/random/x'])
      for (const method of methods) {
        const statuses = [undefined, 'Bearer nonsense', banned.accessToken, token].map(async (each) => {
          const answer = await ask(service.port, head(method, path, { token: each }))
          return [answer.status, answer.headers['www-authenticate'] !== undefined]
        })
        assert.deepEqual(
          await Promise.all(statuses),
          [
            [401, true],
            [401, true],
            [403, false],
            [404, false],
          ],
          `${method} ${path}`,
        )
      }
    const answer = await ask(service.port, head('POST', '/images/fox/random'))
    assert.deepEqual(answer.json, { status: 401, message: 'Access token is required' })
    for (const path of ['/admin', '/adminx', '/imagesx/y', '//admin/users', '/Admin/users'])
      assert.equal((await ask(service.port, head('GET', path))).status, 404, path)
  })

  it('counts for no user', async () => {
    const { accessToken } = await service.register('unmatched-counts')
    for (const path of ['/images/nothing', '/admin/nothing']) await service.request('GET', path, { token: accessToken })
    const { body } = await service.request('GET', '/admin/user/search?username=unmatched-counts', { token: ownerToken })
    const { auth, admin, images, total } = body.requests
    assert.deepEqual({ auth, admin, images, total }, { auth: 1, admin: 0, images: 0, total: 1 })
  })

  it('has its path in the message as sent, without the query, and never with a setting in it', async () => {
    await assertUnmatched('GET', '/no%20where?token=secret&x', '/no%20where')
    await assertUnmatched('GET', '/<MAINTAINER>/<PASSWORD_MIN_LENGTH>')
    await assertUnmatched('GET', '/"><script>alert(1)</script>')
    await assertUnmatched('GET', '/constructor')
    await assertUnmatched('GET', '/__proto__')
    await assertUnmatched('OPTIONS', '*')
    await assertUnmatched('GET', '/health#top')
    await assertUnmatched('GET', '/docs/../health')
    await assertUnmatched('GET', 'http://other.example/nowhere?x', '/nowhere')
    await assertUnmatched('GET', `/${'x'.repeat(8000)}`)
  })

  it('is answered even for CONNECT, and the connection is closed', async () => {
    const wire = new Wire(service.port).send(head('CONNECT', 'example.org:443'))
    const [answer, ...more] = await wire.toTheEnd()
    assert.deepEqual([answer?.status, more.length], [404, 0])
    assert.deepEqual(answer?.json, { message: 'Not Found - CONNECT example.org:443', stack: 'N/A' })
    assertSafeHeaders((name) => answer?.headers[name])
    const statuses = [undefined, token].map(
      async (each) => (await ask(service.port, head('CONNECT', '/admin/x', { token: each }))).status,
    )
    assert.deepEqual(await Promise.all(statuses), [401, 404])
  })
})

describe('HEAD', () => {
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    it(`is answered like ${nameOf(route)}, without a body`, async () => {
      const options = isGuarded(route) ? { token } : {}
      const wire = new Wire(service.port, { head: true })
      // Twice on one connection: a body that was sent after all would be read as the second response.
      const [answer, again] = await wire.send(head('HEAD', pathOf(route), options).repeat(2)).answers(2)
      wire.close()
      const get = await service.request('GET', pathOf(route), {
        ...options,
        headers: { 'accept-encoding': 'identity' },
      })
      assert.deepEqual([answer?.status, again?.status], [get.status, get.status])
      assert.equal(answer?.headers['content-type'], get.headers.get('content-type'))
      const [length, all] = [Number(answer?.headers['content-length']), get.text.length]
      // Times within the reply may be a digit longer or shorter; the metrics include these requests too.
      const margin = route.path === '/metrics' ? all : 8
      assert.ok(length > 0 && Math.abs(length - Buffer.byteLength(get.text)) <= margin, `${length} of ${all}`)
      assert.deepEqual(Object.keys(answer?.headers ?? {}).sort(), [...get.headers.keys()].sort())
    })
  }

  it('is 404 without a GET route', async () => {
    const wire = new Wire(service.port, { head: true })
    const answer = await wire.send(head('HEAD', '/auth/login')).answer()
    wire.close()
    assert.equal(answer.status, 404)
  })
})

describe('A path', () => {
  it('may be percent-encoded, with the same meaning', async () => {
    assert.equal((await ask(service.port, head('GET', '/%68ealt%68'))).status, 200)
  })

  it('may follow a scheme and a host (RFC 9112 §3.2.2), which are ignored', async () => {
    for (const target of [
      'http://other.example/health',
      'https://other.example:8443/health?x',
      'HTTP://OTHER/health',
    ]) {
      assert.equal((await ask(service.port, head('GET', target))).status, 200, target)
    }
    assert.equal((await ask(service.port, head('GET', 'http://other.example'))).json.message.slice(0, 9), 'Menagerie')
    assert.equal((await ask(service.port, head('GET', 'http://other.example?x'))).status, 200)
  })

  for (const path of ['/%zz', '/%', '/%4', '/health%', '/%c3', '/%c3%28', '/%ff', '/auth/%E0%A4%A', '/%u0041']) {
    it(`is 400 {message, stack} if its encoding is invalid: ${path}`, async () => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await ask(service.port, head(method, path))
        assert.deepEqual([answer.status, answer.json], [400, { message: 'Request URL is not valid', stack: 'N/A' }])
        assertSafeHeaders((name) => answer.headers[name])
      }
    })
  }
})
