import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerOf, asDryRun, mayNotAccess, notFound, refused, type Stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { actStage, changed } from './act-stage.ts'

const missing = refused(400, 'role is required and must be a string')
const bad = refused(400, 'Invalid role provided')
const own = refused(400, 'You cannot change your own role')
const rule = refused(403, "You do not have permission to change this user's role")

for (const store of stores) {
  describe(`POST /admin/user/edit/role on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, people, act: edit, look, someone } = actStage(store, '/admin/user/edit/role')
    const done = (who: Stranger, role: string) =>
      changed(`User ${who.username} has been changed to ${role}`, who, { role })

    it('takes effect on the very next request with the old token', async () => {
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

    it('updates updatedAt only if the role changes', async () => {
      const person = await someone()
      const before = await look(person.id)
      clock.advance(1_000)
      assert.deepEqual(await edit({ userId: person.id, role: 'user' }), done(person, 'user'))
      assert.deepEqual(await edit({ userId: person.id, role: 'user' }, '?dryRun=true'), asDryRun(done(person, 'user')))
      assert.deepEqual(await look(person.id), before)
      await edit({ userId: person.id, role: 'support' })
      const { user } = (await look(person.id)) as { user: { role: string; updatedAt: string } }
      assert.deepEqual([user.role, user.updatedAt], ['support', new Date(clock.now()).toISOString()])
    })

    it('keeps a ban', async () => {
      const person = await someone()
      await stage.accounts.ban(person.id)
      const [status, body] = (await edit({ userId: person.id, role: 'support' })) as [number, { user: object }]
      assert.deepEqual([status, body.user], [200, { ...person, role: 'support', banned: true }])
    })

    it('checks in order: missing role, invalid role, unknown user, oneself, the rule', async () => {
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
  })
}
