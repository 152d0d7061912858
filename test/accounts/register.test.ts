import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breakableUsers } from '../support/broken-users.ts'
import { answerOf } from '../support/people.ts'
import { password, startService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

const badName = 'Unable to sanitize username. Please try again later or report this to the maintainer.'

for (const store of stores) {
  describe(`POST /auth/register on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)

    const register = (body: unknown) => stage.service.request('POST', '/auth/register', { body })

    it('answers 201 with the short user and a token that can be sent as is', async () => {
      const { status, body } = await register({ username: 'Alice', password })
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(body), ['user', 'accessToken'])
      assert.deepEqual({ ...body.user, id: '' }, { id: '', username: 'Alice', role: 'user', banned: false })
      assert.match(body.user.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.match(body.accessToken, /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
      const me = await stage.service.request('GET', '/auth/me', { token: body.accessToken })
      assert.deepEqual([me.status, me.body.user], [200, body.user])
    })

    it('refuses a name that is taken in any case: 409', async () => {
      await stage.service.register('taken.name')
      for (const username of ['taken.name', 'Taken.Name', 'TAKEN.NAME'])
        assert.deepEqual(answerOf(await register({ username, password })), [409, { error: 'Username already exists' }])
    })

    it('accepts __proto__, constructor and the like as plain names', async () => {
      for (const username of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '...']) {
        const { body } = await register({ username, password })
        assert.equal(body.user.username, username)
        assert.equal((await stage.service.login(username)).body.user.username, username)
      }
    })

    it('ignores undeclared fields: nobody registers as an owner', async () => {
      const { body } = await register({ username: 'mallory', password, role: 'owner', banned: true, id: '1' })
      assert.deepEqual([body.user.role, body.user.banned, body.user.id === '1'], ['user', false, false])
    })

    it('drops the keys __proto__ and constructor of a body', async () => {
      const hostile = `{"__proto__":{"username":"ghost","password":"${password}"},"constructor":{"username":"ghost"}}`
      assert.deepEqual((await register(hostile)).body, { error: 'Username is required' })
      const mixed = `{"__proto__":{"role":"owner"},"username":"plain","password":"${password}"}`
      assert.equal((await register(mixed)).body.user.role, 'user')
    })

    const names = ['ab', 'a'.repeat(33), 'a b c', 'bob\n', 'аlice', 'bob\u0000', 'émile']
    const refusals: Record<string, readonly unknown[]> = {
      'Username is required': [
        ...[{ password }, {}, ...['', 5, null, ['bob'], { $ne: '' }].map((username) => ({ username, password }))],
        ...[{ username: 1, password: 2 }, '[]', '7', 'null', '"bob"'],
      ],
      'Password is required': [
        ...[undefined, '', 12345678, true].map((secret) => ({ username: 'bob', password: secret })),
        { username: '!' },
      ],
      [badName]: [{ username: '!', password: 'x' }, ...names.map((username) => ({ username, password }))],
    }
    for (const [error, bodies] of Object.entries(refusals))
      for (const body of bodies)
        it(`answers 400 "${error.slice(0, 40)}" to ${JSON.stringify(body)}`, async () => {
          assert.deepEqual(answerOf(await register(body)), [400, { error }])
        })

    it('accepts names of 3 and of 32 characters', async () => {
      for (const username of ['abc', 'a'.repeat(32)]) assert.equal((await register({ username, password })).status, 201)
    })

    it('treats an empty body of any type as absent', async () => {
      assert.deepEqual(
        answerOf(await stage.service.request('POST', '/auth/register', { headers: { 'content-type': 'text/html' } })),
        [400, { error: 'Username is required' }],
      )
    })

    it('accepts passwords of 8 code points and of 1024 bytes, and refuses one less and one more', async () => {
      const rule = { error: 'Password must be at least 8 characters and at most 1024 bytes' }
      for (const [index, secret] of ['🦊'.repeat(8), 'x'.repeat(1024), 'é'.repeat(512)].entries()) {
        assert.equal((await register({ username: `long${index}`, password: secret })).status, 201)
        assert.equal((await stage.service.login(`long${index}`, secret)).status, 200)
      }
      for (const secret of ['🦊'.repeat(7), '1234567', 'x'.repeat(1025), 'é'.repeat(513)])
        assert.deepEqual(answerOf(await register({ username: 'nobody', password: secret })), [400, rule])
    })

    it('hashes a password as sent: not truncated, trimmed or normalised', async () => {
      const secret = ' ﬁsh\u0000 cafe\u0301 \ud800 '
      await stage.service.register('exact', secret)
      assert.equal((await stage.service.login('exact', secret)).status, 200)
      const others = [secret.trim(), secret.normalize('NFC'), secret.split('\u0000')[0], `${secret}x`]
      for (const other of [...others, secret.replace('\ud800', '\ud801')])
        assert.equal((await stage.service.login('exact', other)).status, 401)
      const long = 'x'.repeat(1024)
      await stage.service.register('longest', long)
      assert.equal((await stage.service.login('longest', `${long.slice(1)}y`)).status, 401)
    })

    it('creates one account for 50 concurrent registrations of a name', async () => {
      const spellings = Array.from({ length: 50 }, (_, index) => (index % 2 ? 'Popular' : 'popular'))
      const replies = await Promise.all(spellings.map((username) => register({ username, password })))
      const statuses = replies.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [201, ...Array.from({ length: 49 }, () => 409)])
    })
  })

  describe(`POST /auth/register on ${store.name} without its database`, { skip: store.skip }, () => {
    it("answers the contract's text with 503, since a client may repeat it", async () => {
      const breakable = breakableUsers()
      const service = await startService({ store, overrides: { users: breakable.users } })
      breakable.away = true
      const body = { username: 'alice', password }
      const reply = await service.request('POST', '/auth/register', { body })
      assert.deepEqual(answerOf(reply), [503, { status: 503, message: 'Could not register user' }])
      assert.equal(reply.headers.get('retry-after'), '1')
    })
  })
}

describe('The settings of POST /auth/register', () => {
  it('name the maintainer and the minimum length', async () => {
    const service = await startService({ env: { MAINTAINER: 'Ops <ops>', PASSWORD_MIN_LENGTH: '12' } })
    const bad = await service.request('POST', '/auth/register', { body: { username: '!', password } })
    assert.deepEqual(bad.body, { error: badName.replace('the maintainer', 'Ops <ops>') })
    const short = await service.request('POST', '/auth/register', {
      body: { username: 'bob', password: 'x'.repeat(11) },
    })
    assert.deepEqual(short.body, { error: 'Password must be at least 12 characters and at most 1024 bytes' })
  })
})
