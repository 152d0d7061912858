import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../../support/clock.ts'
import {
  answerOf,
  asDryRun,
  type Cast,
  cast,
  hostile,
  nobody,
  noIdentifier,
  notFound,
  refused,
  type Stranger,
  stateOf,
  stranger,
} from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const self = refused(400, 'You cannot unban yourself')
const rule = refused(403, 'You do not have permission to unban this user')
const notBanned = refused(400, 'User is not banned')

for (const store of stores) {
  describe(`POST /admin/unban on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const stage = withService(store, { overrides: { clock } })
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const post = async (path: string, body: unknown, actor: keyof Cast = 'admin') =>
      answerOf(await stage.service.request('POST', path, { token: people[actor].accessToken, body }))
    const unban = (body: unknown, query = '', actor: keyof Cast = 'admin') => post(`/admin/unban${query}`, body, actor)
    const look = (id: string) => stateOf(stage, id, people.owner.accessToken)
    const someoneBanned = async () => {
      const person = await stranger(stage, { now: clock.now() })
      await post('/admin/ban', { userId: person.id })
      return person
    }
    const done = ({ id, username }: Stranger) => [
      200,
      {
        status: 200,
        message: `User ${username} has been unbanned`,
        user: { id, username, role: 'user', banned: false },
      },
    ]

    it('answers the user, not banned, by id or by a name in any case', async () => {
      const [one, two] = [await someoneBanned(), await someoneBanned()]
      assert.deepEqual(await unban({ userId: one.id }), done(one))
      assert.deepEqual(await unban({ username: two.username.toUpperCase() }), done(two))
    })

    it('moves updatedAt and leaves nothing of the ban', async () => {
      const person = await someoneBanned()
      clock.advance(1_000)
      await unban({ userId: person.id })
      const { user, ban } = (await look(person.id)) as { user: { banned: boolean; updatedAt: string }; ban: unknown }
      assert.deepEqual([user.banned, user.updatedAt, ban], [false, new Date(clock.now()).toISOString(), null])
    })

    it('makes the token from before the ban work again, at once, and logins too', async () => {
      const { service } = stage
      const person = await service.register('returning')
      const me = async () => (await service.request('GET', '/auth/me', { token: person.accessToken })).status
      await post('/admin/ban', { userId: person.id })
      assert.equal(await me(), 403)
      await unban({ userId: person.id })
      assert.equal(await me(), 200)
      assert.equal((await service.login('returning')).status, 200)
    })

    it('means the userId where the username is another’s', async () => {
      const [one, two] = [await someoneBanned(), await someoneBanned()]
      assert.deepEqual(await unban({ userId: one.id, username: two.username }), done(one))
      assert.deepEqual(await unban({ userId: people.admin.id, username: two.username }), self)
      assert.deepEqual(await unban({ userId: 'nobody', username: two.username }), notFound)
      assert.deepEqual(await unban({ userId: '', username: two.username }), done(two))
    })

    it('refuses in order: no identifier, unknown, oneself, the rule, not banned', async () => {
      for (const body of [...nobody, undefined, '[]']) assert.deepEqual(await unban(body), noIdentifier)
      for (const text of hostile) {
        assert.deepEqual(await unban({ username: text }), notFound)
        assert.deepEqual(await unban({ userId: text }), notFound)
      }
      assert.deepEqual(await unban({ username: 'Admin' }), self)
      assert.deepEqual(await unban({ userId: people.owner.id }, '', 'owner'), self)
      assert.deepEqual(await unban({ userId: people.owner.id }), rule)
      const admin = await stranger(stage, { role: 'admin' })
      assert.deepEqual(await unban({ userId: admin.id }), rule)
      await stage.accounts.ban(admin.id)
      assert.deepEqual(await unban({ userId: admin.id }), rule)
      assert.deepEqual(await unban({ userId: people.user.id }), notBanned)
    })

    it('refuses one whose ban has ended by itself', async () => {
      const person = await stranger(stage, { now: clock.now() })
      await post('/admin/ban', { userId: person.id, until: new Date(clock.now() + 1_000).toISOString() })
      clock.advance(1_000)
      assert.deepEqual(await unban({ userId: person.id }), notBanned)
    })

    it('answers a dry run in the same words, says so, and changes nothing', async () => {
      const person = await someoneBanned()
      const state = await look(person.id)
      clock.advance(1_000)
      assert.deepEqual(await unban({ userId: person.id }, '?dryRun=true'), asDryRun(done(person)))
      assert.deepEqual(await unban({ userId: people.admin.id }, '?dryRun=true'), self)
      assert.deepEqual(await unban({ userId: people.owner.id }, '?dryRun=true'), rule)
      assert.deepEqual(await unban({ userId: people.user.id }, '?dryRun=true'), notBanned)
      assert.deepEqual(await unban({}, '?dryRun=true'), noIdentifier)
      assert.deepEqual(await unban({ userId: 'x' }, '?dryRun=true'), notFound)
      assert.deepEqual(await look(person.id), state)
      assert.deepEqual(await unban({ userId: person.id }, '?dryRun=0'), refused(400, 'dryRun must be true or false'))
      assert.deepEqual(await look(person.id), state)
    })
  })
}
