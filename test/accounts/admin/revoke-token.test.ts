import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refused, type Stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { actStage, changed } from './act-stage.ts'

for (const store of stores) {
  describe(`POST /admin/user/revoke-token on ${store.name}`, { skip: store.skip }, () => {
    const { stage, people, act: revoke, look, someone, me } = actStage(store, '/admin/user/revoke-token')
    const done = (who: Stranger) => changed(`User ${who.username} has been signed out`, who)

    it('revokes the token for the very next request; the user can sign in again', async () => {
      const person = await stage.service.register('Leaver')
      assert.equal((await me(person.accessToken))[0], 200)
      assert.deepEqual(await revoke({ username: 'leaver' }), done(person))
      assert.deepEqual(await me(person.accessToken), refused(401, 'Invalid or revoked access token'))
      const { status, body } = await stage.service.login('leaver')
      assert.equal(status, 200)
      assert.equal((await me(body.accessToken))[0], 200)
      assert.deepEqual(await me(person.accessToken), refused(401, 'Invalid or revoked access token'))
    })

    it('keeps updatedAt, and has no effect on a user who is already signed out', async () => {
      const person = await someone()
      const state = await look(person.id)
      assert.deepEqual(await revoke({ userId: person.id }), done(person))
      assert.deepEqual(await look(person.id), state)
      const { updatedAt } = await stage.accounts.find(people.user.id)
      assert.deepEqual(await revoke({ userId: people.user.id }), done(people.user))
      assert.equal((await stage.accounts.find(people.user.id)).updatedAt, updatedAt)
    })

    it('signs out a banned user, who stays banned', async () => {
      const person = await someone()
      await stage.accounts.ban(person.id)
      const [status, body] = (await revoke({ userId: person.id })) as [number, { user: { banned: boolean } }]
      assert.deepEqual([status, body.user.banned], [200, true])
    })
  })
}
