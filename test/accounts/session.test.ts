import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { answerOf } from '../support/people.ts'
import { password, startService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

const next = 'another horse, another battery'

for (const store of stores) {
  describe(`GET /auth/me and POST /auth/logout on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)

    it('returns the user, the lifetime of the token and the limits', async () => {
      const service = await startService({ store, env: { TOKEN_TTL: '2h' }, overrides: { clock: fakeClock() } })
      const person = await service.register('Alice')
      const { status, body } = await service.request('GET', '/auth/me', { token: person.accessToken })
      assert.equal(status, 200)
      assert.deepEqual(body, {
        status: 200,
        user: { id: person.id, username: 'Alice', role: 'user', banned: false },
        token: { issuedAt: '2026-06-01T12:00:00.000Z', expiresAt: '2026-06-01T14:00:00.000Z' },
        limits: [
          { scope: 'global', limit: 1e9, remaining: 1e9 - 2, resetAt: '2026-06-01T12:02:00.000Z' },
          { scope: 'auth', limit: 1e9, remaining: 1e9 - 2, resetAt: '2026-06-01T12:15:00.000Z' },
          { scope: 'register', limit: 1e9, remaining: 1e9 - 1, resetAt: '2026-06-01T13:00:00.000Z' },
          { scope: 'login_address', limit: 1e9, remaining: 1e9, resetAt: null },
          { scope: 'login_name', limit: 1e9, remaining: 1e9, resetAt: null },
          { scope: 'report', limit: 1e9, remaining: 1e9, resetAt: null },
        ],
      })
    })

    it('signs out: the token is invalid at once, and a login issues a new one', async () => {
      const { service } = stage
      const { accessToken } = await service.register('leaver')
      const { status, body } = await service.request('POST', '/auth/logout', { token: accessToken })
      assert.deepEqual([status, body], [200, { status: 200, message: 'Signed out' }])
      assert.equal((await service.request('GET', '/auth/me', { token: accessToken })).status, 401)
      assert.equal((await service.request('POST', '/auth/logout', { token: accessToken })).status, 401)
      assert.equal((await service.login('leaver')).status, 200)
    })
  })

  describe(`POST /auth/password on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    const change = (token: string, body: unknown) => stage.service.request('POST', '/auth/password', { token, body })

    it('answers like login, and revokes the old password and every older token', async () => {
      const { service, accounts } = stage
      const person = await service.register('changer')
      const before = await accounts.find(person.id)
      const { status, body } = await change(person.accessToken, { currentPassword: password, newPassword: next })
      assert.equal(status, 200)
      assert.deepEqual(body.user, { id: person.id, username: 'changer', role: 'user', banned: false })
      assert.equal((await service.request('GET', '/auth/me', { token: person.accessToken })).status, 401)
      assert.equal((await service.request('GET', '/auth/me', { token: body.accessToken })).status, 200)
      assert.equal((await service.login('changer')).status, 401)
      assert.equal((await service.login('changer', next)).status, 200)
      assert.ok((await accounts.find(person.id)).updatedAt >= before.updatedAt)
    })

    it('changes nothing if the current password is wrong', async () => {
      const { service } = stage
      const { accessToken } = await service.register('guesser')
      assert.deepEqual(answerOf(await change(accessToken, { currentPassword: 'not my password', newPassword: next })), [
        401,
        { error: 'Invalid credentials' },
      ])
      assert.equal((await service.request('GET', '/auth/me', { token: accessToken })).status, 200)
      assert.equal((await service.login('guesser')).status, 200)
    })

    it('answers 400 to a missing or invalid password', async () => {
      const { accessToken } = await stage.service.register('asker')
      const rule = 'Password must be at least 8 characters and at most 1024 bytes'
      for (const [body, error] of [
        [{ newPassword: next }, 'currentPassword is required'],
        [{ currentPassword: 1, newPassword: next }, 'currentPassword is required'],
        [{ currentPassword: password }, 'newPassword is required'],
        [{ currentPassword: password, newPassword: 'short' }, rule],
        [{ currentPassword: password, newPassword: 'x'.repeat(1025) }, rule],
      ] as const)
        assert.deepEqual(answerOf(await change(accessToken, body)), [400, { error }])
    })
  })
}
