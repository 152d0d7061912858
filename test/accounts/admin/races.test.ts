import assert from 'node:assert/strict'
import { afterEach, before, describe, it } from 'node:test'
import { UserStoreForTests } from '../../support/account-editor.ts'
import { barrier, interruptedUsers } from '../../support/interrupted-users.ts'
import { answerOf, type Cast, cast, mayNotAccess, notFound, refused, stranger } from '../../support/people.ts'
import { password, type Reply, startService, type TestService } from '../../support/service.ts'
import { sized } from '../../support/size.ts'
import { type Store, stores } from '../../support/stores.ts'

function once(act: () => Promise<unknown>): () => Promise<void> {
  let acted = false
  return async () => {
    if (acted) return
    acted = true
    await act()
  }
}

const userIsBanned = refused(403, 'User is banned')
const cannotBan = refused(403, 'You do not have permission to ban this user')
const acts: readonly [path: string, body: object, rule: string][] = [
  ['/admin/ban', {}, 'You do not have permission to ban this user'],
  ['/admin/unban', {}, 'You do not have permission to unban this user'],
  ['/admin/user/revoke-token', {}, 'You do not have permission to sign this user out'],
  ['/admin/user/reset-password', {}, 'You do not have permission to reset the password of this user'],
  ['/admin/user/delete', {}, 'You do not have permission to delete this user'],
  ['/admin/user/edit/role', { role: 'support' }, "You do not have permission to change this user's role"],
  ['/admin/user/edit/username', { newUsername: 'moved' }, "You do not have permission to change this user's username"],
]

for (const store of stores) {
  describe(`Concurrent acts on ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let one: TestService
    let two: TestService
    let accounts: UserStoreForTests
    let people: Cast
    const interrupted = interruptedUsers()
    before(async () => {
      place = await store.make()
      one = await startService({ place, overrides: { users: interrupted.users } })
      two = await startService({ place, overrides: { users: interrupted.users } })
      accounts = await UserStoreForTests.open(place)
      people = await cast({ service: one, accounts })
    })
    afterEach(async () => {
      interrupted.between = null
      await accounts.unban(people.admin.id)
      await accounts.setRole(people.admin.id, 'admin')
    })
    const someone = () => stranger({ service: one, accounts })
    const post = (service: TestService, path: string, actor: keyof Cast, body: object) =>
      service.request('POST', path, { token: people[actor].accessToken, body })
    const together = async (...requests: (() => Promise<Reply>)[]) => {
      interrupted.between = barrier(requests.length)
      const replies = await Promise.all(requests.map((request) => request()))
      interrupted.between = null
      return replies as [Reply, Reply, ...Reply[]]
    }
    const eventsOf = async (target: string) => {
      const path = `/admin/audit?target=${target}`
      const { body } = await one.request('GET', path, { token: people.owner.accessToken })
      return (body.events as { action: string; outcome: string; at: string }[]).filter(
        ({ outcome }) => outcome === 'success',
      )
    }

    for (const isOne of [true, false]) {
      const where = isOne ? 'on one instance' : 'on two instances'
      const other = () => (isOne ? one : two)

      it(`an admin never bans a user after a promotion, ${where}`, async () => {
        for (let round = 0; round < sized(8, 12, 25); round++) {
          const { id, username } = await someone()
          const banning = () => post(one, '/admin/ban', 'admin', { userId: id })
          const promoting = () => post(other(), '/admin/user/edit/role', 'owner', { userId: id, role: 'admin' })
          const replies = await together(...(round % 2 ? [banning, promoting] : [promoting, banning]))
          const [ban, promotion] = round % 2 ? replies : [replies[1], replies[0]]
          const isBanned = ban.status === 200
          assert.deepEqual(
            [promotion.status, promotion.body.user],
            [200, { id, username, role: 'admin', banned: isBanned }],
          )
          if (isBanned) assert.deepEqual(ban.body.user, { id, username, role: 'user', banned: true })
          else assert.deepEqual(answerOf(ban), cannotBan)
          const { role, banned } = await accounts.find(id)
          assert.deepEqual([role, banned], ['admin', isBanned])
          // Newest first. Two instances may write in the same millisecond, and then their order is unknown.
          const actions = (await eventsOf(id)).map(({ action }) => action).slice(0, -1)
          assert.deepEqual(isOne ? actions : actions.sort().reverse(), isBanned ? ['role', 'ban'] : ['role'])
        }
      })

      it(`an admin bans nobody after a demotion, ${where}`, async () => {
        for (let round = 0; round < sized(6, 8, 15); round++) {
          await accounts.setRole(people.admin.id, 'admin')
          const { id } = await someone()
          const [ban, demotion] = await together(
            () => post(one, '/admin/ban', 'admin', { userId: id }),
            () => post(other(), '/admin/user/edit/role', 'owner', { userId: people.admin.id, role: 'user' }),
          )
          assert.equal(demotion.status, 200)
          const isBanned = ban.status === 200
          if (!isBanned) assert.deepEqual(answerOf(ban), mayNotAccess)
          assert.equal((await accounts.find(id)).banned, isBanned)
          const [banned] = (await eventsOf(id)).filter(({ action }) => action === 'ban')
          const [demoted] = (await eventsOf(people.admin.id)).filter(({ action }) => action === 'role')
          assert.equal(banned !== undefined, isBanned)
          if (banned && demoted) assert.ok(banned.at <= demoted.at)
        }
      })

      it(`exactly one of two renames and a registration of one name wins, ${where}`, async () => {
        for (let round = 0; round < sized(4, 4, 8); round++) {
          const [a, b] = [await someone(), await someone()]
          const name = `Wanted${round}${isOne}`
          const replies = await together(
            () => post(one, '/admin/user/edit/username', 'admin', { userId: a.id, newUsername: name }),
            () =>
              post(other(), '/admin/user/edit/username', 'owner', { userId: b.id, newUsername: name.toLowerCase() }),
            () => other().request('POST', '/auth/register', { body: { username: name.toUpperCase(), password } }),
          )
          const winners = replies.filter(({ status }) => status < 300)
          assert.equal(winners.length, 1)
          const [first, second, third] = replies.map(answerOf)
          const taken = refused(409, 'Username already exists')
          if (first?.[0] !== 200) assert.deepEqual(first, taken)
          if (second?.[0] !== 200) assert.deepEqual(second, taken)
          if (third?.[0] !== 201) assert.deepEqual(third, [409, { error: 'Username already exists' }])
          const holder = await accounts.users.find({ username: name })
          assert.equal(holder?.id, winners[0]?.body.user.id)
          const names = [(await accounts.find(a.id)).username, (await accounts.find(b.id)).username]
          for (const [index, person] of [a, b].entries())
            assert.equal(names[index] === person.username, holder?.id !== person.id)
        }
      })

      it(`two users who act on each other do not deadlock, ${where}`, async () => {
        for (let round = 0; round < sized(6, 8, 15); round++) {
          const [down, up] = await together(
            () => post(one, '/admin/user/revoke-token', 'admin', { userId: people.owner.id }),
            () => post(other(), '/admin/user/edit/role', 'owner', { userId: people.admin.id, role: 'admin' }),
          )
          assert.deepEqual([down.status, up.status], [403, 200])
        }
      })

      it(`exactly one of ten concurrent bans succeeds, ${where}`, async () => {
        const { id } = await someone()
        const replies = await together(
          ...Array.from(
            { length: 10 },
            (_, index) => () =>
              post(index % 2 ? one : other(), '/admin/ban', index % 3 ? 'admin' : 'owner', { userId: id }),
          ),
        )
        assert.equal(replies.filter(({ status }) => status === 200).length, 1)
        for (const reply of replies.filter(({ status }) => status !== 200))
          assert.deepEqual(answerOf(reply), refused(400, 'User is already banned'))
        assert.equal((await eventsOf(id)).filter(({ action }) => action === 'ban').length, 1)
      })
    }

    for (const [path, body, rule] of acts) {
      const target = async () => {
        const person = await someone()
        if (path === '/admin/unban') await accounts.ban(person.id)
        return person
      }

      for (const [title, interfere, expected] of [
        ['demoted', () => accounts.setRole(people.admin.id, 'moderator'), mayNotAccess],
        ['banned', () => accounts.ban(people.admin.id), userIsBanned],
      ] as const) {
        it(`${path} by an admin who is ${title} meanwhile changes nothing`, async () => {
          const { id } = await target()
          const account = await accounts.find(id)
          interrupted.between = once(interfere)
          assert.deepEqual(answerOf(await post(one, path, 'admin', { ...body, userId: id })), expected)
          assert.deepEqual(await accounts.find(id), account)
        })
      }

      it(`${path} on a user who is promoted meanwhile changes nothing`, async () => {
        const { id } = await target()
        let account: unknown
        interrupted.between = once(async () => {
          await accounts.setRole(id, 'admin')
          account = await accounts.find(id)
        })
        assert.deepEqual(answerOf(await post(one, path, 'admin', { ...body, userId: id })), refused(403, rule))
        assert.deepEqual(await accounts.find(id), account)
      })

      it(`${path} by a name that changes hands meanwhile finds nobody, and by id the same user`, async () => {
        const [first, second] = [await target(), await target()]
        interrupted.between = once(() => accounts.rename(first.id, `${first.username}.gone`))
        const { username } = first
        assert.deepEqual(answerOf(await post(one, path, 'admin', { ...body, username })), notFound)
        interrupted.between = once(() => accounts.rename(second.id, `${second.username}.gone`))
        const { status, body: answer } = await post(one, path, 'admin', { ...body, userId: second.id })
        assert.deepEqual([status, answer.user.id], [200, second.id])
      })
    }

    it('an act on one instance affects the very next request on the other', async () => {
      const person = await one.register('between')
      const statusOn = async (service: TestService) =>
        (await service.request('GET', '/admin/user/search?username=between', { token: person.accessToken })).status
      const { id: userId } = person
      for (let round = 0; round < 5; round++) {
        assert.deepEqual([await statusOn(one), await statusOn(two)], [403, 403])
        await post(one, '/admin/user/edit/role', 'admin', { userId, role: 'support' })
        assert.equal(await statusOn(two), 200)
        await post(two, '/admin/ban', 'admin', { userId })
        assert.equal(await statusOn(one), 403)
        await post(one, '/admin/unban', 'admin', { userId })
        assert.equal(await statusOn(two), 200)
        await post(two, '/admin/user/edit/role', 'admin', { userId, role: 'user' })
      }
      await post(one, '/admin/user/revoke-token', 'admin', { userId })
      assert.equal(await statusOn(two), 401)
    })
  })
}
