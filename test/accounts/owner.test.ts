import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstOwnerOf } from '../../src/accounts/ensure-owner.ts'
import { readConfig } from '../../src/config/config.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { password, startService } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const env = { OWNER_USERNAME: 'Keeper', OWNER_PASSWORD: password }

for (const store of stores) {
  describe(`OWNER_USERNAME on ${store.name}`, { skip: store.skip }, () => {
    it('creates an owner at the first start, and nothing at the next', async () => {
      const place = await store.make()
      for (let start = 0; start < 2; start++) {
        const service = await startService({ place, env })
        const { status, body } = await service.login('keeper')
        assert.deepEqual([status, body.user.username, body.user.role], [200, 'Keeper', 'owner'])
        await service.close()
      }
      const accounts = await UserStoreForTests.open(place)
      assert.equal(await accounts.countOf({ role: 'owner' }), 1)
    })

    it('creates one owner for two instances that start concurrently', async () => {
      const place = await store.make()
      const both = await Promise.all([startService({ place, env }), startService({ place, env })])
      const accounts = await UserStoreForTests.open(place)
      assert.equal(await accounts.countOf({ role: 'owner' }), 1)
      await accounts.close()
      for (const service of both) await service.close()
    })

    it('never promotes an existing account: nothing changes, and the log says so', async () => {
      const place = await store.make()
      const first = await startService({ place })
      await first.register('keeper', 'the password of a user')
      await first.close()
      const second = await startService({ place, env })
      const { body } = await second.login('keeper', 'the password of a user')
      assert.equal(body.user.role, 'user')
      assert.equal((await second.login('keeper')).status, 401)
      const warning = second.logged().find(({ level }) => level === 'warn')
      assert.match(String(warning?.msg), /OWNER_USERNAME belongs to an account that is not an owner/)
    })

    it('leaves the first registered user with the role user', async () => {
      const service = await startService({ store })
      await service.register('first')
      assert.equal((await service.login('first')).body.user.role, 'user')
    })

    it('refuses to start with an invalid password', async () => {
      await assert.rejects(startService({ store, env: { ...env, OWNER_PASSWORD: 'short' } }), {
        name: 'BadSetting',
        message: 'OWNER_PASSWORD: expected at least 8 characters and at most 1024 bytes',
      })
    })
  })
}

describe('OWNER_USERNAME and OWNER_PASSWORD', () => {
  it('are refused one without the other, and with an invalid name', () => {
    assert.throws(
      () => firstOwnerOf(readConfig({ OWNER_USERNAME: 'keeper' })),
      /^BadSetting: OWNER_PASSWORD: expected a value/,
    )
    assert.throws(
      () => firstOwnerOf(readConfig({ OWNER_PASSWORD: password })),
      /^BadSetting: OWNER_USERNAME: expected a value/,
    )
    assert.throws(() => readConfig({ ...env, OWNER_USERNAME: 'a b' }), /^BadSetting: OWNER_USERNAME: expected 3 to 32/)
  })
})
