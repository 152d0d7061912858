import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Action } from '../../src/accounts/audit.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { interruptedUsers } from '../support/interrupted-users.ts'
import { answerOf, refused } from '../support/people.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { type Store, stores } from '../support/stores.ts'

type Act = (accounts: UserStoreForTests, id: string) => Promise<unknown>

/** Runs `act` once, as another process would, right between the check and the write of that action. */
async function between(store: Store, action: Action, act: Act, run: (service: TestService) => Promise<void>) {
  const place = await store.make()
  const accounts = await UserStoreForTests.open(place)
  const interrupted = interruptedUsers()
  const service = await startService({ place, overrides: { users: interrupted.users } })
  const arm = () => {
    interrupted.between = async (now, id) => {
      if (now !== action) return
      interrupted.between = null
      await act(accounts, id)
    }
  }
  await run(Object.assign(service, { arm }))
}

const armed = (service: TestService) => (service as TestService & { arm(): void }).arm()
const next = 'another horse, another battery'
const change = (service: TestService, token: string, newPassword = next) =>
  service.request('POST', '/auth/password', { token, body: { currentPassword: password, newPassword } })

for (const store of stores) {
  describe(`Between check and write on ${store.name}`, { skip: store.skip }, () => {
    it('a ban during a login wins: no token stays valid', () =>
      between(
        store,
        'login',
        (accounts, id) => accounts.ban(id),
        async (service) => {
          const person = await service.register('alice')
          armed(service)
          const reply = await service.login('alice')
          assert.deepEqual(answerOf(reply), [403, { error: 'User is banned' }])
          assert.equal((await service.request('GET', '/auth/me', { token: person.accessToken })).status, 403)
        },
      ))

    it('a password change during a login with the old one wins: the login is refused', () =>
      between(
        store,
        'login',
        async (accounts, id) => accounts.setPassword(id, (await accounts.insert('other', next)).passwordHash),
        async (service) => {
          await service.register('bob')
          armed(service)
          assert.equal((await service.login('bob')).status, 401)
          assert.equal((await service.login('bob', next)).status, 200)
        },
      ))

    it('a rename during a login with the old name wins: the login is refused, and the token before stays valid', () =>
      between(
        store,
        'login',
        (accounts, id) => accounts.rename(id, 'robert'),
        async (service) => {
          const { accessToken } = await service.register('rob')
          armed(service)
          assert.equal((await service.login('rob')).status, 401)
          assert.equal((await service.request('GET', '/auth/me', { token: accessToken })).status, 200)
          assert.equal((await service.login('robert')).status, 200)
        },
      ))

    it('a promotion during a login is in its reply', () =>
      between(
        store,
        'login',
        (accounts, id) => accounts.setRole(id, 'admin'),
        async (service) => {
          await service.register('ada')
          armed(service)
          assert.equal((await service.login('ada')).body.user.role, 'admin')
        },
      ))

    it('a ban during a password change wins: nothing is changed', () =>
      between(
        store,
        'password',
        (accounts, id) => accounts.ban(id),
        async (service) => {
          const { accessToken } = await service.register('carol')
          armed(service)
          const reply = await change(service, accessToken)
          assert.deepEqual(answerOf(reply), refused(403, 'User is banned'))
          assert.equal((await service.login('carol', next)).status, 401)
        },
      ))

    it('a revoke by the command line during a password change wins: no token stays valid', () =>
      between(
        store,
        'password',
        (accounts, id) => accounts.revokeToken(id),
        async (service) => {
          const { accessToken } = await service.register('dora')
          armed(service)
          const reply = await change(service, accessToken)
          assert.deepEqual(answerOf(reply), refused(401, 'Invalid or revoked access token'))
          assert.equal((await service.login('dora')).status, 200)
        },
      ))

    it('a password change during another wins: the other is refused', () =>
      between(
        store,
        'password',
        // The token stays, so that only the password shows that something was written in between.
        async (accounts, id) => {
          const { passwordHash } = await accounts.insert('other', 'set in between')
          await accounts.change(id, 'password', { passwordHash })
        },
        async (service) => {
          const { accessToken } = await service.register('gina')
          armed(service)
          assert.equal((await change(service, accessToken)).status, 401)
          assert.equal((await service.login('gina', next)).status, 401)
          assert.equal((await service.login('gina', 'set in between')).status, 200)
        },
      ))

    it('a login during a password change wins: its token stays valid, and the password unchanged', async () => {
      const place = await store.make()
      const interrupted = interruptedUsers()
      const service = await startService({ place, overrides: { users: interrupted.users } })
      const { accessToken } = await service.register('hugo')
      let newest = ''
      interrupted.between = async () => {
        interrupted.between = null
        newest = (await service.login('hugo')).body.accessToken
      }
      assert.equal((await change(service, accessToken)).status, 401)
      assert.equal((await service.request('GET', '/auth/me', { token: newest })).status, 200)
      assert.equal((await service.login('hugo', next)).status, 401)
    })

    it('a name taken during a registration is refused: 409', () =>
      between(
        store,
        'register',
        (accounts) => accounts.insert('Eve', password),
        async (service) => {
          armed(service)
          const reply = await service.request('POST', '/auth/register', { body: { username: 'eve', password } })
          assert.deepEqual(answerOf(reply), [409, { error: 'Username already exists' }])
        },
      ))

    it('exactly one of two concurrent changes of a password wins', async () => {
      const service = await startService({ store })
      const { accessToken } = await service.register('frank')
      const both = ['the first of two', 'the second of two']
      const replies = await Promise.all(both.map((newPassword) => change(service, accessToken, newPassword)))
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
      const won = replies.findIndex(({ status }) => status === 200)
      assert.equal((await service.login('frank', both[won])).status, 200)
    })
  })
}
