import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Person } from '../support/service.ts'
import { itInFull, sized } from '../support/size.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'
import { tool, toolJson, toolProcess } from './tool.ts'

for (const store of stores) {
  describe(`The command line beside the running service, ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    const run = (...args: string[]) => tool(stage.service.env, args)
    const me = ({ accessToken }: Pick<Person, 'accessToken'>) =>
      stage.service.request('GET', '/auth/me', { token: accessToken })

    it('a ban and an unban take effect with the next request', async () => {
      const person = await stage.service.register('banned-one')
      assert.equal((await me(person)).status, 200)
      assert.equal((await run('user', 'ban', 'banned-one', '--yes')).code, 0)
      const refused = await me(person)
      assert.equal(refused.status, 403)
      assert.deepEqual(refused.body, { status: 403, message: 'User is banned' })
      assert.equal((await stage.service.login('banned-one')).status, 403)
      assert.equal((await run('user', 'unban', 'banned-one')).code, 0)
      assert.equal((await me(person)).status, 200)
    })

    it('a revoke invalidates the token at once, and the account can sign in again', async () => {
      const person = await stage.service.register('revoked-one')
      assert.equal((await me(person)).status, 200)
      assert.equal((await run('user', 'revoke', person.id, '--yes')).code, 0)
      const refused = await me(person)
      assert.equal(refused.status, 401)
      assert.equal(refused.body.message, 'Invalid or revoked access token')
      const again = await stage.service.login('revoked-one')
      assert.equal((await me(again.body)).status, 200)
    })

    it('a new password signs the account out at once, and replaces the old one', async () => {
      const person = await stage.service.register('forgetful-one')
      const { env } = stage.service
      assert.equal((await tool(env, ['user', 'set-password', 'Forgetful-One', '--yes'], 'a new password\n')).code, 0)
      assert.equal((await me(person)).status, 401)
      assert.equal((await stage.service.login('forgetful-one')).status, 401)
      assert.equal((await stage.service.login('forgetful-one', 'a new password')).status, 200)
    })

    it('a new role takes effect with the next request, and keeps the token', async () => {
      const person = await stage.service.register('raised-one')
      assert.equal((await me(person)).body.user.role, 'user')
      assert.equal((await run('user', 'set-role', 'raised-one', 'moderator', '--yes')).code, 0)
      assert.equal((await me(person)).body.user.role, 'moderator')
    })

    it('a created account can sign in at once, with its role', async () => {
      const { env } = stage.service
      const made = await toolJson(env, ['user', 'create', 'made-one', '--role', 'admin'], 'correct horse battery')
      const { status, body } = await stage.service.login('made-one')
      assert.equal(status, 200)
      assert.deepEqual(body.user, { id: made.user.id, username: 'made-one', role: 'admin', banned: false })
    })

    it('a created owner is an owner for the service', async () => {
      assert.equal((await tool(stage.service.env, ['owner', 'create', 'the-owner'], 'correct horse battery')).code, 0)
      assert.equal((await stage.service.login('the-owner')).body.user.role, 'owner')
    })

    it('a username registered with the service is taken, in any case', async () => {
      await stage.service.register('taken-one')
      const ran = await tool(stage.service.env, ['user', 'create', 'TAKEN-one'], 'correct horse battery')
      assert.deepEqual(ran, {
        code: 1,
        stdout: '',
        stderr: 'Username already exists: taken-one (user); choose another.\n',
      })
    })

    itInFull('accounts created concurrently by tools and the service all exist', async () => {
      const { env, register } = stage.service
      const names = Array.from({ length: 2 * sized(2, 5) }, (_, i) => `crowd-${i}`)
      await Promise.all([
        ...names
          .slice(names.length / 2)
          .map((name) => toolProcess(env, ['user', 'create', name], 'correct horse battery')),
        ...names.slice(0, names.length / 2).map((name) => register(name)),
      ])
      const { users } = await toolJson(env, ['user', 'list', '--query', 'crowd-'])
      assert.deepEqual(users.map(({ username }: { username: string }) => username).sort(), names)
    })

    it('db status works while the service runs', async () => {
      const { state, users, owners } = await toolJson(stage.service.env, ['db', 'status'])
      assert.equal(state, 'ready')
      assert.ok(users >= 5, String(users))
      assert.equal(owners, 1)
    })
  })
}
