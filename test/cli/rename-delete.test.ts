import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Store, stores } from '../support/stores.ts'
import { toolHere, toolJson } from './tool.ts'

const password = 'correct horse battery'

for (const store of stores) {
  describe(`user rename and user delete, ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    const user = (...args: string[]) => toolHere(place.env, ['user', ...args, '--yes'])
    const show = (who: string) => toolJson(place.env, ['user', 'show', who])
    const events = async () => (await toolJson(place.env, ['audit'])).events

    before(async () => {
      place = await store.make()
      await toolJson(place.env, ['owner', 'create', 'Olivia'], password)
      for (const name of ['ann', 'bob']) await toolJson(place.env, ['user', 'create', name], password)
    })

    it('rename sets a free name, or another spelling of the present one, and is audited', async () => {
      const { id } = (await show('ann')).user
      assert.deepEqual(await user('rename', 'ANN', 'Anna'), {
        code: 0,
        stdout: 'Anna is the new name of ann.\n',
        stderr: '',
      })
      assert.equal((await user('rename', id, 'ANNA')).code, 0)
      assert.equal((await show('anna')).user.username, 'ANNA')
      const [{ action, actor, target, before: old, after }] = await events()
      assert.deepEqual(
        [action, actor, target, old, after],
        ['rename', 'cli', id, { username: 'Anna' }, { username: 'ANNA' }],
      )
      const same = await user('rename', 'anna', 'ANNA')
      assert.equal(same.stdout, 'ANNA already has that name; nothing was changed.\n')
    })

    it('rename refuses an invalid name, and one that is taken in any case', async () => {
      for (const [name, message] of [
        ['!', /^Username "!": expected 3 to 32 letters/],
        ['OLIVIA', /^Username already exists: Olivia \(owner\); choose another\.\n$/],
      ] as const) {
        const { code, stderr } = await user('rename', 'bob', name)
        assert.equal(code, 1)
        assert.match(stderr, message)
      }
    })

    it('delete removes the account, prints it as it was, and is audited', async () => {
      const { user: bob } = await show('bob')
      const { changed, user: last } = await toolJson(place.env, ['user', 'delete', 'BOB', '--yes'])
      assert.deepEqual([changed, last], [true, bob])
      assert.equal((await toolHere(place.env, ['user', 'show', 'bob'])).code, 1)
      const [{ action, actor, target, before: old }] = await events()
      assert.deepEqual([action, actor, target, old], ['delete', 'cli', bob.id, { username: 'bob', role: 'user' }])
      assert.equal((await toolJson(place.env, ['user', 'create', 'Bob'], password)).user.hasToken, false)
    })

    it('delete refuses the last owner who is not banned', async () => {
      const refused = { code: 1, stdout: '', stderr: 'The last owner cannot be deleted.\n' }
      assert.deepEqual(await user('delete', 'olivia'), refused)
      await toolJson(place.env, ['owner', 'create', 'second'], password)
      await user('ban', 'second')
      assert.deepEqual(await user('delete', 'olivia'), refused)
      await user('unban', 'second')
      assert.equal((await user('delete', 'olivia')).stdout, 'Olivia is deleted.\n')
      assert.deepEqual(await user('delete', 'second'), refused)
    })
  })
}
