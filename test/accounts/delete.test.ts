import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Database } from '../../src/drivers/accounts/database.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { barrier, interruptedUsers } from '../support/interrupted-users.ts'
import { answerOf, refused } from '../support/people.ts'
import { password, type Reply, startService, type TestService } from '../support/service.ts'
import { sized } from '../support/size.ts'
import { type Store, stores } from '../support/stores.ts'

const invalidToken = refused(401, 'Invalid or revoked access token')
const wrong = [401, { error: 'Invalid credentials' }]
const lastOwner = [400, { error: 'The last owner cannot be deleted' }]
const isDeleted = [200, { status: 200, message: 'Account deleted' }]

for (const store of stores) {
  describe(`Deletion of accounts on ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let one: TestService
    let two: TestService
    let accounts: UserStoreForTests
    let database: Database
    let owner: { id: string; accessToken: string }
    const interrupted = interruptedUsers()
    before(async () => {
      place = await store.make()
      one = await startService({ place, overrides: { users: interrupted.users } })
      two = await startService({ place, overrides: { users: interrupted.users } })
      accounts = await UserStoreForTests.open(place)
      database = await place.open()
      owner = await one.register('olivia')
      await accounts.setRole(owner.id, 'owner')
    })
    const leave = (token: string, body: unknown = { password }, service = one) =>
      service.request('POST', '/auth/delete', { token, body })
    const remove = (body: object) => one.request('POST', '/admin/user/delete', { token: owner.accessToken, body })
    const me = async (token: string, service = one) => answerOf(await service.request('GET', '/auth/me', { token }))
    const ask = async (path: string) => (await one.request('GET', path, { token: owner.accessToken })).body
    /** The rows with this text in any column, from every table but the audit. */
    const rowsWith = async (text: string) => {
      // FTS5's own tables have no text but the terms of names, and numbers that are no JavaScript numbers.
      const tables = (await database.kysely.introspection.getTables()).filter(
        ({ name }) => name !== 'audit' && !name.startsWith('name_parts'),
      )
      assert.ok(tables.length >= 4)
      const found = await Promise.all(
        tables.map(async ({ name }) =>
          database.kysely
            .selectFrom(name as 'users')
            .selectAll()
            .execute(),
        ),
      )
      return found.flat().filter((row) => JSON.stringify(row).includes(text))
    }

    it('by an administrator never mistakes a dry run for an act', async () => {
      const { id } = await one.register('kept')
      for (const [query, more] of [['dryRun=maybe'], ['dry_run=true'], ['', { dryRun: true }]] as const) {
        const body = { userId: id, ...more }
        const path = `/admin/user/delete?${query}`
        assert.equal((await one.request('POST', path, { token: owner.accessToken, body })).status, 400)
      }
      assert.equal((await ask(`/admin/user/search?userId=${id}`)).user.id, id)
    })

    it('needs the password, and leaves nothing but audit events and the share of the account in the sums', async () => {
      const person = await one.register('leaver')
      await one.request('GET', '/images', { token: person.accessToken })
      assert.equal((await rowsWith(person.id)).length, 1)
      const { summary } = await ask('/admin/users/dashboard')
      assert.equal((await rowsWith(person.id)).length, 2, 'the account and its usage of a day')
      assert.deepEqual(answerOf(await leave(person.accessToken, { password: 'not my password' })), wrong)
      assert.deepEqual(answerOf(await leave(person.accessToken)), isDeleted)
      const after = (await ask('/admin/users/dashboard')).summary
      assert.deepEqual(
        [after.totalUsers, after.authRequests, after.imageRequests],
        [summary.totalUsers - 1, summary.authRequests + 2, summary.imageRequests],
        'the requests that were pending when the account went count too',
      )
      assert.deepEqual(await rowsWith(person.id), [])
      for (const service of [one, two]) assert.deepEqual(await me(person.accessToken, service), invalidToken)
      assert.deepEqual(answerOf(await one.login('leaver')), wrong)
      const { events } = await ask(`/admin/audit?target=${person.id}`)
      const [event] = events.filter(({ outcome }: { outcome: string }) => outcome === 'success')
      assert.deepEqual(
        [event.action, event.actor, event.target, event.before, event.after],
        ['delete', person.id, person.id, { username: 'leaver', role: 'user' }, null],
      )
      assert.deepEqual((await ask('/admin/audit?target=LEAVER&action=delete')).events[0], event)
    })

    it('accepts the password only in the body, and refuses like a change of password', async () => {
      const { accessToken, id } = await one.register('asker')
      const required = [400, { error: 'Password is required' }]
      for (const body of [{}, { password: '' }, { password: 7 }, { password: [password] }, 'null', '[]', ''])
        assert.deepEqual(answerOf(await leave(accessToken, body)), required)
      const query = await one.request('POST', `/auth/delete?password=${password}`, { token: accessToken })
      assert.deepEqual(answerOf(query), required)
      assert.deepEqual(answerOf(await leave(accessToken, '{')), [400, { error: 'Request body is not valid JSON' }])
      for (const secret of ['x'.repeat(2_000), 'Correct horse battery', `${password} `, '\ud800', '\0'])
        assert.deepEqual(answerOf(await leave(accessToken, { password: secret })), wrong)
      assert.deepEqual(answerOf(await leave('')), refused(401, 'Access token is required'))
      assert.equal((await accounts.find(id)).username, 'asker')
    })

    it('frees the name, whose next account has a new id, and neither the old token nor its counts', async () => {
      const first = await one.register('again')
      assert.equal((await remove({ username: 'AGAIN' })).status, 200)
      const second = await two.register('Again')
      assert.notEqual(second.id, first.id)
      assert.deepEqual(await me(first.accessToken), invalidToken)
      const { user, requests } = await ask('/admin/user/search?username=again')
      assert.deepEqual([user.id, requests?.total ?? 0], [second.id, 0])
    })

    it('works on a banned user and on one without a token', async () => {
      const banned = await one.register('banished')
      await accounts.ban(banned.id)
      assert.deepEqual(answerOf(await leave(banned.accessToken)), refused(403, 'User is banned'))
      assert.deepEqual((await remove({ userId: banned.id })).body.user, {
        id: banned.id,
        username: 'banished',
        role: 'user',
        banned: true,
      })
      const quiet = await accounts.insert('quiet', password)
      assert.equal((await remove({ userId: quiet.id })).status, 200)
    })

    it('does not disturb a list that is read in pages', async () => {
      for (const name of ['page-a', 'page-b', 'page-c', 'page-d']) await accounts.insert(name, password)
      for (const sort of ['username', 'createdAt', '-total']) {
        const first = await ask(`/admin/users/dashboard?q=page-&limit=2&sort=${sort}`)
        const [last] = first.users.slice(-1)
        assert.equal((await remove({ userId: last.id })).status, 200)
        const rest = await ask(`/admin/users/dashboard?q=page-&limit=5&cursor=${first.next}`)
        assert.equal(rest.next, null)
        assert.equal(new Set([...first.users, ...rest.users].map(({ id }) => id)).size, 4)
        await accounts.insert(last.username, password)
      }
    })

    it('ends a login and a change of password that are under way with 401', async () => {
      const person = await one.register('hasty')
      interrupted.between = async () => {
        interrupted.between = null
        assert.equal((await remove({ userId: person.id })).status, 200)
      }
      assert.deepEqual(answerOf(await two.login('hasty')), wrong)
      const other = await one.register('hasty')
      interrupted.between = async () => {
        interrupted.between = null
        assert.equal((await remove({ userId: other.id })).status, 200)
      }
      const body = { currentPassword: password, newPassword: 'another horse, another battery' }
      const reply = await two.request('POST', '/auth/password', { token: other.accessToken, body })
      assert.deepEqual(answerOf(reply), invalidToken)
      assert.deepEqual([...(await rowsWith(person.id)), ...(await rowsWith(other.id))], [])
    })

    it('by their own user is refused if the token was replaced meanwhile', async () => {
      const person = await one.register('replaced')
      interrupted.between = async () => {
        interrupted.between = null
        await two.login('replaced')
      }
      assert.deepEqual(answerOf(await leave(person.accessToken)), invalidToken)
      assert.equal((await accounts.find(person.id)).username, 'replaced')
    })

    it('refuses the last owner who is not banned', async () => {
      assert.deepEqual(answerOf(await leave(owner.accessToken)), lastOwner)
      const banned = await one.register('banned-owner')
      await accounts.setRole(banned.id, 'owner')
      await accounts.ban(banned.id)
      assert.deepEqual(answerOf(await leave(owner.accessToken)), lastOwner)
      assert.equal((await accounts.find(owner.id)).role, 'owner')
      await accounts.setRole(banned.id, 'user')
    })

    for (const isOne of [true, false]) {
      it(`of all owners at once leaves one, on ${isOne ? 'one instance' : 'two instances'}`, async () => {
        for (let round = 0; round < sized(3, 8); round++) {
          const others = await Promise.all([1, 2].map((index) => one.register(`owner-${isOne}-${round}-${index}`)))
          for (const { id } of others) await accounts.setRole(id, 'owner')
          await accounts.setRole(owner.id, 'user')
          interrupted.between = barrier(2)
          const replies: Reply[] = await Promise.all(
            others.map(({ accessToken }, index) => leave(accessToken, { password }, isOne || index === 0 ? one : two)),
          )
          interrupted.between = null
          const answers = replies.map(answerOf)
          assert.deepEqual(
            answers.sort(([a], [b]) => a - b),
            [isDeleted, lastOwner],
          )
          assert.equal(await accounts.countOf({ role: 'owner' }), 1)
          await accounts.setRole(owner.id, 'owner')
          for (const { id } of others) await accounts.setRole(id, 'user')
        }
      })
    }
  })
}
