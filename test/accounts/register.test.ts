import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenUsers } from '../support/broken-users.ts'
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
      assert.equal(me.status, 200)
      assert.deepEqual(me.body.user, body.user)
    })

    it('refuses a name that is taken in any case: 409', async () => {
      await stage.service.register('taken.name')
      for (const username of ['taken.name', 'Taken.Name', 'TAKEN.NAME']) {
        const { status, body } = await register({ username, password })
        assert.equal(status, 409)
        assert.deepEqual(body, { error: 'Username already exists' })
      }
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
      assert.equal(body.user.role, 'user')
      assert.equal(body.user.banned, false)
      assert.notEqual(body.user.id, '1')
    })

    it('drops the keys __proto__ and constructor of a body', async () => {
      const hostile = `{"__proto__":{"username":"ghost","password":"${password}"},"constructor":{"username":"ghost"}}`
      assert.deepEqual((await register(hostile)).body, { error: 'Username is required' })
      const mixed = `{"__proto__":{"role":"owner"},"username":"plain","password":"${password}"}`
      assert.equal((await register(mixed)).body.user.role, 'user')
    })

    for (const [title, body, status, error] of [
      ['without a username', { password }, 400, 'Username is required'],
      ['without anything', {}, 400, 'Username is required'],
      ['without a password', { username: 'bob' }, 400, 'Password is required'],
      ['with an empty username', { username: '', password }, 400, 'Username is required'],
      ['with an empty password', { username: 'bob', password: '' }, 400, 'Password is required'],
      ['with a username that is a number', { username: 5, password }, 400, 'Username is required'],
      ['with a username that is null', { username: null, password }, 400, 'Username is required'],
      ['with a username that is an array', { username: ['bob'], password }, 400, 'Username is required'],
      ['with a username that is an object', { username: { $ne: '' }, password }, 400, 'Username is required'],
      ['with a password that is a number', { username: 'bob', password: 12345678 }, 400, 'Password is required'],
      ['with a password that is true', { username: 'bob', password: true }, 400, 'Password is required'],
      ['with both absent, the username first', { username: 1, password: 2 }, 400, 'Username is required'],
      ['with a bad name and no password, the password first', { username: '!' }, 400, 'Password is required'],
      ['with a bad name and a short password, the name first', { username: '!', password: 'x' }, 400, badName],
      ['with a name of 2 characters', { username: 'ab', password }, 400, badName],
      ['with a name of 33 characters', { username: 'a'.repeat(33), password }, 400, badName],
      ['with a space in the name', { username: 'a b c', password }, 400, badName],
      ['with a line break after the name', { username: 'bob\n', password }, 400, badName],
      ['with a homoglyph in the name', { username: 'аlice', password }, 400, badName],
      ['with a control character in the name', { username: 'bob\u0000', password }, 400, badName],
      ['with an accent in the name', { username: 'émile', password }, 400, badName],
      ['with a body that is an array', '[]', 400, 'Username is required'],
      ['with a body that is a number', '7', 400, 'Username is required'],
      ['with a body that is null', 'null', 400, 'Username is required'],
      ['with a body that is a string', '"bob"', 400, 'Username is required'],
    ] as const) {
      it(`answers ${status} "${error.slice(0, 40)}" ${title}`, async () => {
        const reply = await register(body)
        assert.equal(reply.status, status)
        assert.deepEqual(reply.body, { error })
      })
    }

    it('accepts names of 3 and of 32 characters', async () => {
      for (const username of ['abc', 'a'.repeat(32)]) assert.equal((await register({ username, password })).status, 201)
    })

    it('treats an empty body of any type as absent', async () => {
      const reply = await stage.service.request('POST', '/auth/register', { headers: { 'content-type': 'text/html' } })
      assert.deepEqual([reply.status, reply.body], [400, { error: 'Username is required' }])
    })

    it('accepts passwords of 8 code points and of 1024 bytes, and refuses one less and one more', async () => {
      const rule = { error: 'Password must be at least 8 characters and at most 1024 bytes' }
      for (const [index, secret] of ['🦊'.repeat(8), 'x'.repeat(1024), 'é'.repeat(512)].entries()) {
        assert.equal((await register({ username: `long${index}`, password: secret })).status, 201)
        assert.equal((await stage.service.login(`long${index}`, secret)).status, 200)
      }
      for (const secret of ['🦊'.repeat(7), '1234567', 'x'.repeat(1025), 'é'.repeat(513)]) {
        const reply = await register({ username: 'nobody', password: secret })
        assert.deepEqual([reply.status, reply.body], [400, rule])
      }
    })

    it('hashes a password as sent: not truncated, trimmed or normalised', async () => {
      const secret = ' ﬁsh\u0000 cafe\u0301 \ud800 '
      await stage.service.register('exact', secret)
      assert.equal((await stage.service.login('exact', secret)).status, 200)
      for (const other of [
        secret.trim(),
        secret.normalize('NFC'),
        secret.split('\u0000')[0],
        secret.replace('\ud800', '\ud801'),
        `${secret}x`,
      ]) {
        assert.equal((await stage.service.login('exact', other)).status, 401)
      }
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
    it("answers the contract's 500", async () => {
      const service = await startService({ store, overrides: { users: brokenUsers } })
      const { status, body } = await service.request('POST', '/auth/register', {
        body: { username: 'alice', password },
      })
      assert.deepEqual([status, body], [500, { error: 'Could not register user' }])
    })
  })
}

describe('The settings of POST /auth/register', () => {
  it('name the maintainer and the minimum length', async () => {
    const service = await startService({ env: { MAINTAINER: 'Ops <ops>', PASSWORD_MIN_LENGTH: '12' } })
    const bad = await service.request('POST', '/auth/register', { body: { username: '!', password } })
    assert.deepEqual(bad.body, { error: badName.replace('the maintainer', 'Ops <ops>') })
    const short = await service.request('POST', '/auth/register', {
      body: { username: 'bob', password: '12345678901' },
    })
    assert.deepEqual(short.body, { error: 'Password must be at least 12 characters and at most 1024 bytes' })
  })
})
