import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { openSqlite } from '../../../src/drivers/accounts/sqlite.ts'
import { created, UserStoreForTests, userStoreOf } from '../../support/account-editor.ts'
import { stores } from '../../support/stores.ts'
import { testFolder } from '../../support/test-folder.ts'
import { accountOf } from './stage.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a database that another process holds', () => {
  it('fails each waiting write after 5 s, however many wait', async (t) => {
    const folder = testFolder()
    const database = await openSqlite(folder)
    const users = userStoreOf(database)
    const holder = new DatabaseSync(join(folder, 'menagerie.db'))
    holder.exec('BEGIN EXCLUSIVE')
    let now = performance.now()
    t.mock.method(performance, 'now', () => now)
    const outcomes = Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => users.insert(accountOf(`waiting${n}`), created)),
    )
    for (let turn = 0; turn < 50; turn++) await settled()
    // Only once: a deadline that began when the turn came would never pass.
    now += 6_000
    for (const { status } of await outcomes) assert.equal(status, 'rejected')
    holder.exec('COMMIT')
    holder.close()
    assert.equal(await users.insert(accountOf('after'), created), true)
    await database.close()
  })

  it('lets 1000 writes wait for one in progress, and refuses the next at once', async () => {
    const folder = testFolder()
    const database = await openSqlite(folder)
    const write = () => database.kysely.deleteFrom('batches').execute()
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const transaction = database.transaction(() => {
      begun.resolve()
      return over.promise
    })
    await begun.promise
    const waiting = Array.from({ length: 1000 }, write)
    await assert.rejects(write(), { name: 'Unavailable' })
    over.resolve()
    await Promise.all([transaction, ...waiting])
    await database.close()
  })
})

for (const store of stores) {
  describe(`a transaction on ${store.name}`, { skip: store.skip }, () => {
    it('is written atomically, and other writes take their turn', async () => {
      const place = await store.make()
      const database = await place.open()
      const users = userStoreOf(database)
      const { id } = accountOf('kept')
      await users.insert(accountOf('kept', { id }), created)
      const setRole = (role: string) =>
        database.kysely.transaction().execute(async (inside) => {
          await inside.updateTable('users').set({ role }).where('id', '=', id).execute()
          if (role === 'admin') throw new Error('given up')
          const seen = await inside.selectFrom('users').select('role').where('id', '=', id).executeTakeFirst()
          assert.equal(seen?.role, role)
        })
      await assert.rejects(setRole('admin'), /given up/)
      assert.equal((await users.findPrincipal(id))?.role, 'user')
      await Promise.all([setRole('support'), new UserStoreForTests(database).ban(id), setRole('moderator')])
      const { role, banned } = (await users.find({ id })) ?? {}
      assert.ok(role === 'support' || role === 'moderator')
      assert.equal(banned, true)
    })
  })
}
