import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerOf, notFound, refused, type Stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { actStage, changed } from './act-stage.ts'

const missing = refused(400, 'newUsername is required')
const badForm = refused(
  400,
  'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot',
)
const own = refused(400, 'You cannot change your own username')
const rule = refused(403, "You do not have permission to change this user's username")
const taken = refused(409, 'Username already exists')

for (const store of stores) {
  describe(`POST /admin/user/edit/username on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, people, act: rename, look, someone } = actStage(store, '/admin/user/edit/username')
    const done = (who: Stranger, username: string) =>
      changed(`User username has been changed to ${username}`, who, { username })

    for (const newUsername of ['abc', 'x'.repeat(32), '...', '__proto__', 'constructor', '-_-', '123']) {
      it(`accepts ${newUsername} as a plain name`, async () => {
        const person = await someone()
        assert.deepEqual(await rename({ userId: person.id, newUsername }), done(person, newUsername))
        assert.deepEqual(
          await rename({ username: newUsername, newUsername: person.username }),
          done(person, person.username),
        )
      })
    }

    it('keeps the token, and the new name can sign in', async () => {
      const { service } = stage
      const person = await service.register('caterpillar')
      await rename({ userId: person.id, newUsername: 'butterfly' })
      const { status, body } = await service.request('GET', '/auth/me', { token: person.accessToken })
      assert.deepEqual([status, body.user.username], [200, 'butterfly'])
      assert.deepEqual(answerOf(await service.login('caterpillar')), [401, { error: 'Invalid credentials' }])
      assert.equal((await service.login('Butterfly')).status, 200)
    })

    it('frees the old name at once, and its new holder inherits nothing', async () => {
      const { service } = stage
      const person = await service.register('heirloom')
      await stage.accounts.ban(person.id)
      await rename({ userId: person.id, newUsername: 'ancestor' })
      const { id } = await service.register('Heirloom')
      const { body } = await service.request('GET', '/admin/user/search?username=heirloom', {
        token: people.support.accessToken,
      })
      assert.deepEqual(
        [body.user.id, body.user.username, body.user.banned, body.requests.total, body.requests.auth],
        [id, 'Heirloom', false, 1, 1],
      )
      const stranger2 = await someone()
      await rename({ userId: id, newUsername: 'other.heir' })
      await rename({ userId: stranger2.id, newUsername: 'heirloom' })
      const second = await service.request('GET', '/admin/user/search?username=heirloom', {
        token: people.support.accessToken,
      })
      assert.deepEqual([second.body.user.id, second.body.requests], [stranger2.id, null])
    })

    it('updates updatedAt for a new name or spelling, not for the same name', async () => {
      const person = await someone()
      const state = await look(person.id)
      clock.advance(1_000)
      assert.deepEqual(await rename({ userId: person.id, newUsername: person.username }), done(person, person.username))
      assert.deepEqual(await look(person.id), state)
      const spelled = person.username.toUpperCase()
      assert.deepEqual(await rename({ userId: person.id, newUsername: spelled }), done(person, spelled))
      const { user } = (await look(person.id)) as { user: { username: string; updatedAt: string } }
      assert.deepEqual([user.username, user.updatedAt], [spelled, new Date(clock.now()).toISOString()])
    })

    it('checks in order: missing name, its format, unknown user, oneself, the rule, taken', async () => {
      const { admin, owner, user } = people
      for (const newUsername of [undefined, '', 7, null, ['user'], { newUsername: 'user' }, true])
        for (const userId of ['nobody', admin.id, owner.id])
          assert.deepEqual(await rename({ userId, newUsername }), missing)
      const odd = ['ab', 'x'.repeat(33), 'a b', 'abc\n', 'abc\0', 'ümlaut', "' OR 1=1", '\u212Aate', ' user']
      for (const newUsername of odd)
        for (const userId of ['nobody', admin.id, owner.id])
          assert.deepEqual(await rename({ userId, newUsername }), badForm)
      assert.deepEqual(await rename({ userId: 'nobody', newUsername: 'support' }), notFound)
      assert.deepEqual(await rename({ userId: admin.id, newUsername: 'support' }), own)
      assert.deepEqual(await rename({ username: 'ADMIN', newUsername: 'admin' }), own)
      assert.deepEqual(await rename({ userId: owner.id, newUsername: 'Owner' }, '', 'owner'), own)
      assert.deepEqual(await rename({ userId: owner.id, newUsername: 'support' }), rule)
      assert.deepEqual(await rename({ userId: owner.id, newUsername: 'owner' }), rule)
      for (const newUsername of ['support', 'SUPPORT', 'Admin'])
        assert.deepEqual(await rename({ userId: user.id, newUsername }), taken)
    })

    it('changes nothing if the name is taken', async () => {
      const person = await someone()
      const state = await look(person.id)
      clock.advance(1_000)
      for (const query of ['', '?dryRun=true'])
        assert.deepEqual(await rename({ userId: person.id, newUsername: 'Support' }, query), taken)
      const { user } = (await look(person.id)) as { user: object }
      assert.deepEqual(user, (state as { user: object }).user)
    })
  })
}
