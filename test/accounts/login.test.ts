import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createArgon2Hasher } from '../../src/drivers/accounts/argon2.ts'
import { breakableUsers } from '../support/broken-users.ts'
import { sameOrigin } from '../support/console-browser.ts'
import { testHasher } from '../support/hasher.ts'
import { answerOf } from '../support/people.ts'
import { password, startService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

const badName = 'Unable to sanitize username. Please try again later or report this to the maintainer.'

const weakHasher = createArgon2Hasher({ memoryCost: 8, timeCost: 1, parallelism: 1 })
const parametersOf = (hash: string) => hash.split('$').slice(1, 4).join('$')

for (const store of stores) {
  describe(`POST /auth/login on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    const login = (body: unknown) => stage.service.request('POST', '/auth/login', { body })

    it('answers 200 with the shape of register, for a name in any case', async () => {
      const alice = await stage.service.register('Alice')
      for (const username of ['Alice', 'alice', 'ALICE']) {
        const { status, body } = await login({ username, password })
        assert.equal(status, 200)
        assert.deepEqual(Object.keys(body), ['user', 'accessToken'])
        assert.deepEqual(body.user, { id: alice.id, username: 'Alice', role: 'user', banned: false })
      }
    })

    it('revokes the previous token at once', async () => {
      const bob = await stage.service.register('bob')
      const { body } = await stage.service.login('bob')
      assert.deepEqual(answerOf(await stage.service.request('GET', '/auth/me', { token: bob.accessToken })), [
        401,
        { status: 401, message: 'Invalid or revoked access token' },
      ])
      assert.equal((await stage.service.request('GET', '/auth/me', { token: body.accessToken })).status, 200)
    })

    it('issues two different tokens for two logins in one second', async () => {
      await stage.service.register('twice')
      const [first, second] = [await stage.service.login('twice'), await stage.service.login('twice')]
      assert.notEqual(first.body.accessToken, second.body.accessToken)
    })

    it('leaves exactly one of 20 concurrent logins with a valid token', async () => {
      await stage.service.register('many')
      const replies = await Promise.all(Array.from({ length: 20 }, () => stage.service.login('many')))
      assert.ok(replies.every(({ status }) => status === 200))
      const alive = await Promise.all(
        replies.map(({ body }) => stage.service.request('GET', '/auth/me', { token: body.accessToken })),
      )
      assert.equal(alive.filter(({ status }) => status === 200).length, 1)
    })

    it('answers an unknown name like a wrong password', async () => {
      await stage.service.register('known')
      const unknown = await login({ username: 'unknown', password })
      const wrong = await login({ username: 'known', password: 'wrong' })
      for (const reply of [unknown, wrong])
        assert.deepEqual([reply.status, reply.text], [401, '{"error":"Invalid credentials"}'])
      const names = (reply: typeof wrong) => [...reply.headers.keys()].sort()
      assert.deepEqual(names(unknown), names(wrong))
    })

    it('reports a ban only after the correct password', async () => {
      const carol = await stage.service.register('carol')
      await stage.accounts.ban(carol.id)
      assert.deepEqual(answerOf(await stage.service.login('carol')), [403, { error: 'User is banned' }])
      const wrong = await stage.service.login('carol', 'wrong password')
      assert.deepEqual(answerOf(wrong), [401, { error: 'Invalid credentials' }])
    })

    it('answers 400 to a missing or invalid name or password, in this order', async () => {
      for (const [body, error] of [
        [{ password }, 'Username is required'],
        [{ username: 'alice' }, 'Password is required'],
        [{ username: 7, password }, 'Username is required'],
        [{ username: 'alice', password: {} }, 'Password is required'],
        [{ username: '!' }, 'Password is required'],
        [{ username: "' OR 1=1 --", password }, badName],
        [{ username: 'a'.repeat(33), password }, badName],
        ['[1]', 'Username is required'],
      ] as const) {
        assert.deepEqual(answerOf(await login(body)), [400, { error }], JSON.stringify(body))
        const session = await stage.service.request('POST', '/console/session', { headers: sameOrigin, body })
        assert.deepEqual(answerOf(session), [400, { error }], JSON.stringify(body))
      }
    })

    it('treats an overlong password as wrong, for known and unknown names alike', async () => {
      await stage.service.register('patient')
      for (const username of ['patient', 'nobody']) {
        const reply = await login({ username, password: 'x'.repeat(2000) })
        assert.deepEqual(answerOf(reply), [401, { error: 'Invalid credentials' }])
      }
    })

    it('accepts an old password shorter than the current PASSWORD_MIN_LENGTH', async () => {
      await stage.accounts.insert('elder', 'short')
      assert.equal((await stage.service.login('elder', 'short')).status, 200)
    })

    it('rehashes a password with outdated parameters', async () => {
      const { id, passwordHash } = await stage.accounts.insert('weak', password, weakHasher)
      assert.equal((await stage.service.login('weak')).status, 200)
      const stronger = (await stage.accounts.find(id)).passwordHash
      assert.notEqual(stronger, passwordHash)
      assert.equal(parametersOf(stronger), parametersOf(testHasher.dummy))
      assert.equal((await stage.service.login('weak')).status, 200)
      assert.equal((await stage.accounts.find(id)).passwordHash, stronger)
    })

    it('keeps updatedAt', async () => {
      const dora = await stage.service.register('dora')
      const { updatedAt } = await stage.accounts.find(dora.id)
      await stage.service.login('dora')
      assert.equal((await stage.accounts.find(dora.id)).updatedAt, updatedAt)
    })

    it('stores passwords and tokens only as hashes', async () => {
      const eve = await stage.service.register('eve', 'a password to look for')
      const stored = JSON.stringify(await stage.accounts.find(eve.id))
      const token = eve.accessToken.slice('Bearer '.length)
      assert.ok(!stored.includes('a password to look for') && !stored.includes(token))
      assert.match(stored, /\$argon2id\$v=19\$m=\d+,t=\d,p=1\$/)
      const log = JSON.stringify(stage.service.logged())
      assert.ok(!log.includes('a password to look for') && !log.includes(token))
    })
  })

  describe(`POST /auth/login on ${store.name} without its database`, { skip: store.skip }, () => {
    it('answers 503 with Retry-After, never 401', async () => {
      const breakable = breakableUsers()
      const service = await startService({ store, overrides: { users: breakable.users } })
      breakable.away = true
      for (const secret of [password, 'x'.repeat(2000)]) {
        const reply = await service.login('alice', secret)
        assert.equal(reply.status, 503)
        assert.deepEqual(Object.keys(reply.body), ['status', 'message'])
        assert.equal(reply.headers.get('retry-after'), '1')
      }
    })
  })
}
