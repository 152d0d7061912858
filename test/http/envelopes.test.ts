import assert from 'node:assert/strict'
import { before, describe, it, type TestContext } from 'node:test'
import { apiRoutes } from '../../src/api/routes.ts'
import { bounds } from '../../src/http/bounds.ts'
import type { Route } from '../../src/http/route.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { assertSafeHeaders, inEnvelope, isGuarded, nameOf, pathOf } from './errors.ts'
import { ask, chunked, head, Wire, type WireAnswer } from './wire.ts'

const routes = apiRoutes(builtInKinds)
const json = 'application/json'

let service: TestService
/** Without an owner. */
let fresh: TestService
let owner: string
before(async () => {
  fresh = await startService()
  service = await startService({ env: { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password } })
  owner = (await service.login('keeper')).body.accessToken
})

const createsOwner = (route: Route) => route.path === '/console/owner'
const portOf = (route: Route) => (createsOwner(route) ? fresh : service).port
const headOf = (route: Route, headers: Record<string, string | number>) =>
  // The routes of a console session answer only to what the console sends.
  head(route.method, pathOf(route), {
    token: isGuarded(route) ? owner : undefined,
    'X-Menagerie-Console': 1,
    ...(createsOwner(route) && { Host: 'localhost' }),
    ...headers,
  })
const limitOf = (route: Route) => route.bodyLimitBytes ?? bounds.bodyBytes

function assertRefused(answer: WireAnswer, route: Route, status: number, message: string): void {
  assert.equal(answer.status, status)
  assert.deepEqual(answer.json, inEnvelope(route.envelope, status, message))
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assertSafeHeaders((name) => answer.headers[name])
}

for (const route of routes.filter(({ body }) => body)) {
  describe(`${nameOf(route)} answers with its own envelope`, () => {
    const refused = (title: string, status: number, message: string, bytes: () => string) =>
      it(`${status} "${message}" for ${title}`, async () => {
        assertRefused(await ask(portOf(route), bytes()), route, status, message)
      })

    for (const [title, body] of [
      ['half a JSON object', '{"username":'],
      ['a word', 'username'],
      ['JSON with more behind it', '{} {}'],
      ['bytes that are no UTF-8', '{"username":"\xff\xfe"}'],
    ] as const) {
      refused(
        title,
        400,
        'Request body is not valid JSON',
        () => headOf(route, { 'Content-Type': json, 'Content-Length': body.length }) + body,
      )
    }
    refused('a length over its limit, before a byte of the body', 413, 'Request body is too large', () =>
      headOf(route, { 'Content-Length': limitOf(route) + 1 }),
    )
    refused(
      'chunks that go over its limit',
      413,
      'Request body is too large',
      () => headOf(route, { 'Transfer-Encoding': 'chunked' }) + chunked('x'.repeat(limitOf(route)), 'x'),
    )
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json, text/plain',
    ]) {
      refused(
        `a body of type ${type}`,
        415,
        'Content-Type must be application/json',
        () => `${headOf(route, { 'Content-Type': type, 'Content-Length': 2 })}{}`,
      )
    }
    refused(
      'chunks of another type',
      415,
      'Content-Type must be application/json',
      () => headOf(route, { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' }) + chunked('{}'),
    )
    refused(
      'a body that is compressed',
      415,
      'Content-Encoding is not supported',
      () => `${headOf(route, { 'Content-Type': json, 'Content-Encoding': 'gzip', 'Content-Length': 2 })}{}`,
    )

    it('408 "Request was not received in time" for a body that is missing after 30 s', async (t: TestContext) => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const wire = new Wire(portOf(route))
      wire.send(headOf(route, { 'Content-Type': json, 'Content-Length': 10, Expect: '100-continue' }))
      assert.equal((await wire.answer()).status, 100)
      wire.send('{"user')
      t.mock.timers.tick(29_999)
      t.mock.timers.tick(1)
      assertRefused((await wire.answers(2))[1] as WireAnswer, route, 408, 'Request was not received in time')
      wire.close()
    })

    if (isGuarded(route)) {
      it('nothing about the body without a valid token', async () => {
        const answer = await ask(
          service.port,
          `${head(route.method, pathOf(route), { 'Content-Type': 'text/plain', 'Content-Length': 90_000 })}x`,
        )
        assert.deepEqual([answer.status, answer.json], [401, { status: 401, message: 'Access token is required' }])
      })
    }
  })
}

describe('An unexpected error', () => {
  const failing = (env: Record<string, string> = {}) =>
    startService({
      env,
      overrides: {
        users: (real) =>
          new Proxy(real, {
            get: (target, name) =>
              name === 'find' || name === 'findPrincipal'
                ? () => {
                    throw new Error('a detail of the database')
                  }
                : Reflect.get(target, name),
          }),
      },
    })
  const attempt = { body: { username: 'anyone', password: 'whatever it is' } }

  it('is 500 {message, stack} without details, whatever the envelope of the route', async () => {
    const broken = await failing()
    const reply = await broken.request('POST', '/auth/login', attempt)
    assert.deepEqual([reply.status, reply.body], [500, { message: 'Internal Server Error', stack: 'N/A' }])
    assert.match(JSON.stringify(broken.logged()), /a detail of the database/)
  })

  it('shows its stack only with exactly NODE_ENV=development', async () => {
    for (const [value, shown] of [
      ['development', true],
      ['Development', false],
      ['dev', false],
      ['production', false],
    ] as const) {
      const broken = await failing({ NODE_ENV: value })
      const { body } = await broken.request('POST', '/auth/login', attempt)
      assert.equal(body.message, 'Internal Server Error')
      assert.equal(body.stack.includes('a detail of the database'), shown, value)
      if (!shown) assert.equal(body.stack, 'N/A')
    }
  })
})
