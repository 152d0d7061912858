import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOwnerCode } from '../../src/accounts/owner-code.ts'
import type { Users } from '../../src/accounts/users.ts'
import { postgresLease } from '../../src/drivers/status-state/postgres.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { silentLog } from '../drivers/status-state/stage.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { fakeClock } from '../support/clock.ts'
import { sameOrigin } from '../support/console-browser.ts'
import { barrier, interruptedUsers } from '../support/interrupted-users.ts'
import { answerOf } from '../support/people.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const [, postgres = assert.fail()] = stores
const codeOf = ({ advice }: TestService) => / with the code ([a-z2-9]{16})$/.exec(advice)?.[1] ?? ''
const create = (service: TestService, body: object, headers: Record<string, string> = {}) =>
  service.request('POST', '/console/owner', { body, headers: { ...sameOrigin, ...headers } })
const gone = [404, { message: 'Not Found - POST /console/owner', stack: 'N/A' }]
const wrong = [401, { error: 'Invalid code' }]
const offerOf = async (service: TestService, headers: Record<string, string> = {}) =>
  /<meta name="offer" content="([^"]*)">/.exec((await service.request('GET', '/console', { headers })).text)?.[1]
const isOffered = async (...args: Parameters<typeof offerOf>) => (await offerOf(...args)) === 'first owner'

for (const store of stores)
  describe(`The first owner on ${store.name}`, { skip: store.skip }, () => {
    it('is created with the code of the log, which is then gone, and is the actor of that; the form is offered until there is one', async () => {
      const service = await startService({ store })
      const code = codeOf(service)
      assert.ok(service.advice.includes(`http://localhost:${service.port}/console `), service.advice)
      assert.equal(await isOffered(service), true)
      const reply = await create(service, { code: ` ${code} `, username: 'Keeper', password })
      const user = { id: reply.body.user.id, username: 'Keeper', role: 'owner', banned: false }
      assert.deepEqual(answerOf(reply), [201, { status: 201, message: 'User Keeper has been created', user }])
      assert.equal(await isOffered(service), false)
      assert.deepEqual(answerOf(await create(service, { code, username: 'second', password })), gone)
      const { accessToken: token } = (await service.login('keeper')).body
      const { events } = (await service.request('GET', '/admin/audit?action=create', { token })).body
      assert.deepEqual(
        events.map(({ outcome, actor, target, after }: Record<string, unknown>) => [outcome, actor, target, after]),
        [['success', user.id, user.id, { username: 'Keeper', role: 'owner' }]],
      )
      assert.ok(!JSON.stringify(service.logged()).includes(code))
    })

    it('is one, however many create it at once with the right codes of their instances', async () => {
      const place = await store.make()
      const interrupted = interruptedUsers()
      const both = [1, 2].map(() => startService({ place, overrides: { users: interrupted.users } }))
      const [one, two] = (await Promise.all(both)) as [TestService, TestService]
      const count = 12
      interrupted.between = barrier(count)
      const replies = await Promise.all(
        Array.from({ length: count }, (_, index) => {
          const service = index % 2 === 0 ? one : two
          return create(service, { code: codeOf(service), username: `owner${index}`, password })
        }),
      )
      const made = replies.filter(({ status }) => status === 201)
      assert.equal(made.length, 1)
      for (const reply of replies) if (reply !== made[0]) assert.deepEqual(answerOf(reply), gone)
      const accounts = await UserStoreForTests.open(place)
      assert.equal(await accounts.countOf({ role: 'owner' }), 1)
      assert.equal(await accounts.countOf({}), 1)
      await accounts.close()
      for (const service of [one, two]) await service.close()
      await place.drop()
    })

    it('is not created beside an owner whom another program created meanwhile', async () => {
      const place = await store.make()
      const service = await startService({ place })
      const code = codeOf(service)
      const person = await service.register('promoted')
      const accounts = await UserStoreForTests.open(place)
      await accounts.setRole(person.id, 'owner')
      assert.deepEqual(answerOf(await create(service, { code, username: 'keeper', password })), gone)
      assert.equal(await isOffered(service), false)
      await accounts.close()
      await service.close()
      const next = await startService({ place })
      assert.equal(next.advice, '')
      await next.close()
      await place.drop()
    })
  })

describe('On a PostgreSQL that the status worker uses too', { skip: postgres.skip }, () => {
  it('the first owner is created while the worker leads', async () => {
    const place = await postgres.make()
    const lease = postgresLease({ url: place.env.DATABASE_URL ?? '', log: silentLog })
    await lease.acquire(new AbortController().signal, () => {})
    const service = await startService({ place })
    const reply = await create(service, { code: codeOf(service), username: 'keeper', password })
    assert.equal(reply.status, 201)
    await lease.close()
  })
})

describe('The route for the first owner', () => {
  it('does not exist for requests through a proxy, to another host, or without the console', async () => {
    const service = await startService({ env: { BASE_URL: 'https://images.example' } })
    const body = { code: codeOf(service), username: 'keeper', password }
    for (const headers of [
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { via: '1.1 proxy' },
      { host: 'menagerie.example' },
    ]) {
      assert.deepEqual(answerOf(await create(service, body, headers)), gone)
      assert.equal(await isOffered(service, headers), false)
    }
    const otherSite = [
      403,
      {
        error:
          'This request was not sent by the console of this service; if it was, let the proxy pass the Host on, or set BASE_URL',
      },
    ]
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://elsewhere.example' },
      { origin: 'https://images.example' },
    ])
      assert.deepEqual(answerOf(await create(service, body, headers)), otherSite)
    assert.equal((await create(service, body)).status, 201)
    const without = await startService({ env: { CONSOLE: 'false' } })
    assert.match(without.advice, /owner create <username>$/)
    assert.deepEqual(answerOf(await create(without, body)), gone)
  })

  it('refuses bad input before it counts the code, and a taken name without ending it', async () => {
    const service = await startService()
    const code = codeOf(service)
    await service.register('taken')
    for (const [body, status, error] of [
      [{}, 400, 'code is required'],
      [{ code: 'x' }, 400, 'Username is required'],
      [{ code: 'x', username: 'keeper' }, 400, 'Password is required'],
      [
        { code: 'x', username: '!', password },
        400,
        'Unable to sanitize username. Please try again later or report this to the maintainer.',
      ],
      [
        { code: 'x', username: 'keeper', password: 'short' },
        400,
        'Password must be at least 8 characters and at most 1024 bytes',
      ],
      [{ code, username: 'TAKEN', password }, 409, 'Username already exists'],
      [{ code: 'x', username: 'keeper', password }, 401, 'Invalid code'],
      [{ code: code.toUpperCase(), username: 'keeper', password }, 401, 'Invalid code'],
    ] as const)
      assert.deepEqual(answerOf(await create(service, body)), [status, { error }])
    assert.equal((await create(service, { code, username: 'keeper', password })).status, 201)
  })

  it('is gone after 5 wrong codes, which is logged, even if they are sent at once, and after 30 minutes; the page says so', async () => {
    const clock = fakeClock()
    const service = await startService({ overrides: { clock } })
    const [body, guess] = [codeOf(service), 'x'.repeat(16)].map((code) => ({ code, username: 'keeper', password }))
    const replies = await Promise.all(Array.from({ length: 9 }, () => create(service, guess as object)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [401, 401, 401, 401, 401, 404, 404, 404, 404])
    assert.deepEqual(answerOf(replies[0] as never), wrong)
    assert.deepEqual(answerOf(await create(service, body as object)), gone)
    assert.equal(await offerOf(service), 'closed')
    assert.equal(await offerOf(service, { 'x-forwarded-for': '192.0.2.1' }), 'none')
    const warned = service.logged().filter(({ msg }) => /5 wrong codes have closed the form/.test(String(msg)))
    assert.deepEqual([warned.length, warned[0]?.level], [1, 'warn'])

    const late = await startService({ overrides: { clock } })
    clock.advance(30 * 60_000 - 1)
    assert.equal(await isOffered(late), true)
    clock.advance(1)
    assert.equal(await offerOf(late), 'closed')
    assert.deepEqual(answerOf(await create(late, { code: codeOf(late), username: 'keeper', password })), gone)
  })

  it('costs the console no question to the database where there was an owner at the start', async () => {
    let asked = 0
    const users = (real: Users): Users => ({
      ...real,
      ownerExists() {
        asked++
        return real.ownerExists()
      },
    })
    const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password }
    const service = await startService({ env, overrides: { users } })
    const atStart = asked
    assert.equal(await offerOf(service), 'none')
    assert.equal(asked, atStart)
  })

  it('is 503 while the database is away, when the console is served without the form', async () => {
    let isAway = false
    const users = (real: Users): Users => ({
      ...real,
      async ownerExists() {
        if (isAway) throw new Unavailable('database', new Error('gone'))
        return real.ownerExists()
      },
    })
    const service = await startService({ overrides: { users } })
    const body = { code: codeOf(service), username: 'keeper', password }
    isAway = true
    const away = [503, { status: 503, message: 'Service is temporarily unavailable, please try again' }]
    assert.deepEqual(answerOf(await create(service, body)), away)
    assert.equal(await isOffered(service), false)
    assert.equal((await service.request('GET', '/console')).status, 200)
    isAway = false
    assert.equal((await create(service, body)).status, 201)
  })

  it('counts as a login of its address', async () => {
    const service = await startService({ env: { RATE_LIMIT_LOGIN_ADDRESS_MAX: '3' } })
    const code = codeOf(service)
    for (let round = 0; round < 3; round++)
      assert.equal((await create(service, { code: 'x', username: 'keeper', password })).status, 401)
    assert.equal((await create(service, { code, username: 'keeper', password })).status, 429)
    assert.equal((await service.login('keeper')).status, 429)
  })
})

describe('The code', () => {
  it('is another one for each start: 16 characters of 32', () => {
    const codes = Array.from({ length: 500 }, () => createOwnerCode(fakeClock()).open())
    for (const code of codes) assert.match(code, /^[a-km-np-z2-9]{16}$/)
    assert.equal(new Set(codes).size, codes.length)
    assert.equal(new Set(codes.join('')).size, 32)
  })
})
