import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../../support/clock.ts'
import {
  answerOf,
  asDryRun,
  type Cast,
  cast,
  hostile,
  mayNotAccess,
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

const missing = refused(400, 'role is required and must be a string')
const bad = refused(400, 'Invalid role provided')
const own = refused(400, 'You cannot change your own role')
const rule = refused(403, "You do not have permission to change this user's role")

for (const store of stores) {
  describe(`POST /admin/user/edit/role on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const stage = withService(store, { overrides: { clock } })
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const edit = async (body: unknown, query = '', actor: keyof Cast = 'admin') =>
      answerOf(
        await stage.service.request('POST', `/admin/user/edit/role${query}`, {
          token: people[actor].accessToken,
          body,
        }),
      )
    const look = (id: string) => stateOf(stage, id, people.owner.accessToken)
    const someone = () => stranger(stage, { now: clock.now() })
    const done = ({ id, username }: Stranger, role: string) => [
      200,
      {
        status: 200,
        message: `User ${username} has been changed to ${role}`,
        user: { id, username, role, banned: false },
      },
    ]

    it('answers the user with the new role, by id or by a name in any case', async () => {
      const person = await someone()
      assert.deepEqual(await edit({ userId: person.id, role: 'support' }), done(person, 'support'))
      const username = person.username.toUpperCase()
      assert.deepEqual(await edit({ username, role: 'moderator' }), done(person, 'moderator'))
      assert.deepEqual(await edit({ username, role: 'user' }), done(person, 'user'))
    })

    it('acts on the very next request with the old token', async () => {
      const { service } = stage
      const person = await service.register('rising')
      const search = async () =>
        answerOf(await service.request('GET', '/admin/user/search?username=nobody', { token: person.accessToken }))
      assert.deepEqual(await search(), mayNotAccess)
      await edit({ userId: person.id, role: 'support' })
      assert.deepEqual(await search(), notFound)
      await edit({ userId: person.id, role: 'user' })
      assert.deepEqual(await search(), mayNotAccess)
    })

    it('moves updatedAt with a change, and with nothing else', async () => {
      const person = await someone()
      const before = await look(person.id)
      clock.advance(1_000)
      assert.deepEqual(await edit({ userId: person.id, role: 'user' }), done(person, 'user'))
      assert.deepEqual(await look(person.id), before)
      await edit({ userId: person.id, role: 'support' })
      const { user } = (await look(person.id)) as { user: { role: string; updatedAt: string } }
      assert.deepEqual([user.role, user.updatedAt], ['support', new Date(clock.now()).toISOString()])
    })

    it('means the userId where the username is another’s, for the check and the write', async () => {
      const person = await someone()
      const role = 'moderator'
      assert.deepEqual(await edit({ userId: person.id, username: 'owner', role }), done(person, role))
      assert.deepEqual(await edit({ userId: people.admin.id, username: 'user', role }), own)
      assert.deepEqual(await edit({ userId: people.owner.id, username: 'user', role }), rule)
      assert.deepEqual(await edit({ userId: 'nobody', username: 'user', role }), notFound)
      assert.equal((await stage.accounts.find(people.user.id)).role, 'user')
    })

    it('leaves a ban as it is', async () => {
      const person = await someone()
      await stage.accounts.ban(person.id)
      const [status, body] = (await edit({ userId: person.id, role: 'support' })) as [number, { user: object }]
      assert.deepEqual([status, body.user], [200, { ...person, role: 'support', banned: true }])
    })

    it('refuses in order: no identifier, no role, another role, unknown, one’s own, the rule', async () => {
      for (const body of [...nobody, undefined, '[]'])
        assert.deepEqual(await edit(typeof body === 'object' ? { ...body, role: 7 } : body), noIdentifier)
      for (const role of [undefined, '', 7, null, ['admin'], { role: 'admin' }, true])
        for (const userId of ['nobody', people.admin.id, people.owner.id])
          assert.deepEqual(await edit({ userId, role }), missing)
      for (const role of ['Admin', 'root', ' user', 'user\0', 'x'.repeat(10_000), '__proto__', 'toString'])
        for (const userId of ['nobody', people.admin.id, people.owner.id])
          assert.deepEqual(await edit({ userId, role }), bad)
      for (const role of ['user', 'owner']) {
        assert.deepEqual(await edit({ userId: 'nobody', role }), notFound)
        assert.deepEqual(await edit({ username: 'ADMIN', role }), own)
        assert.deepEqual(await edit({ userId: people.owner.id, role }, '', 'owner'), own)
        assert.deepEqual(await edit({ userId: people.owner.id, role }), rule)
      }
      assert.deepEqual(await edit({ userId: people.admin.id, role: 'admin' }), own)
      assert.deepEqual(await edit({ userId: people.user.id, role: 'owner' }, '', 'owner'), rule)
    })

    it('knows nobody by a hostile name or id', async () => {
      for (const text of hostile) {
        assert.deepEqual(await edit({ username: text, role: 'user' }), notFound)
        assert.deepEqual(await edit({ userId: text, role: 'user' }), notFound)
      }
    })

    it('looks at no field that it does not ask for', async () => {
      const person = await someone()
      const body = { userId: person.id, role: 'support', id: people.user.id, banned: true, newUsername: 'other' }
      assert.deepEqual(await edit(body), done(person, 'support'))
    })

    it('answers a dry run in the same words, says so, and changes nothing', async () => {
      const person = await someone()
      const state = await look(person.id)
      clock.advance(1_000)
      const role = 'support'
      assert.deepEqual(await edit({ userId: person.id, role }, '?dryRun=true'), asDryRun(done(person, role)))
      assert.deepEqual(await edit({ userId: person.id, role: 'user' }, '?dryRun=true'), asDryRun(done(person, 'user')))
      assert.deepEqual(await edit({ userId: people.admin.id, role }, '?dryRun=true'), own)
      assert.deepEqual(await edit({ userId: people.owner.id, role }, '?dryRun=true'), rule)
      assert.deepEqual(await edit({ userId: 'nobody', role }, '?dryRun=true'), notFound)
      assert.deepEqual(await edit({ userId: person.id }, '?dryRun=true'), missing)
      assert.deepEqual(await edit({ userId: person.id, role: 'x' }, '?dryRun=true'), bad)
      const badDryRun = refused(400, 'dryRun must be true or false')
      assert.deepEqual(await edit({ userId: person.id, role }, '?dryRun=no'), badDryRun)
      assert.deepEqual(await look(person.id), state)
    })
  })
}
