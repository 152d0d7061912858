import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refused } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { actStage } from './act-stage.ts'

const notBanned = refused(400, 'User is not banned')

for (const store of stores) {
  describe(`POST /admin/unban on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, people, post, act: unban, look, someone, me } = actStage(store, '/admin/unban')

    it('updates updatedAt and removes the whole ban', async () => {
      const person = await someone()
      await stage.accounts.ban(person.id)
      clock.advance(1_000)
      await unban({ userId: person.id })
      const { user, ban } = (await look(person.id)) as { user: { banned: boolean; updatedAt: string }; ban: unknown }
      assert.deepEqual([user.banned, user.updatedAt, ban], [false, new Date(clock.now()).toISOString(), null])
    })

    it('restores the old token at once, and logins', async () => {
      const { service } = stage
      const person = await service.register('returning')
      await post('/admin/ban', { userId: person.id })
      assert.equal((await me(person.accessToken))[0], 403)
      await unban({ userId: person.id })
      assert.equal((await me(person.accessToken))[0], 200)
      assert.equal((await service.login('returning')).status, 200)
    })

    it('refuses a user who is not banned, or whose ban has expired', async () => {
      assert.deepEqual(await unban({ userId: people.user.id }), notBanned)
      const person = await someone()
      await post('/admin/ban', { userId: person.id, until: new Date(clock.now() + 1_000).toISOString() })
      clock.advance(1_000)
      assert.deepEqual(await unban({ userId: person.id }), notBanned)
    })
  })
}
