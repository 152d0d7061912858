import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { queryServer, stores } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { toolJson } from './tool.ts'

const fill = { SQLite: 'randomblob(4096)', PostgreSQL: 'md5(random()::text)' }

/** PostgreSQL keeps deleted rows while any transaction of the server, even of another database, began before. */
async function oldestSeen(url?: string): Promise<number> {
  const [oldest] = await queryServer(
    `SELECT least(txid_snapshot_xmin(txid_current_snapshot()),
            (SELECT min(backend_xmin::text::bigint) FROM pg_stat_activity WHERE pid <> pg_backend_pid())) AS id`,
    url,
  )
  return Number(oldest?.id)
}

describe('cli db compact', () => {
  for (const store of stores)
    it(`gives the space of deleted rows back on ${store.name}`, { skip: store.skip }, async () => {
      const { env } = await store.make()
      await toolJson(env, ['db', 'migrate'])
      const path = join(env.DATA_DIR ?? '', 'menagerie.db')
      const isEmbedded = store.name === 'SQLite'
      // Otherwise autovacuum may give the space back first.
      const settings = isEmbedded ? '' : 'WITH (autovacuum_enabled = false)'
      const table = `CREATE TABLE much ${settings} AS SELECT ${fill[store.name as keyof typeof fill]} AS bytes FROM `
      if (isEmbedded) {
        const db = new DatabaseSync(path)
        db.exec(
          `${table} (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n)`,
        )
        db.exec('DELETE FROM much')
        db.close()
      } else {
        await queryServer(`${table} generate_series(1, 50000); DELETE FROM much`, env.DATABASE_URL)
        const [now] = await queryServer('SELECT txid_current() AS id', env.DATABASE_URL)
        await until(async () => (await oldestSeen(env.DATABASE_URL)) >= Number(now?.id))
      }
      const { databases } = await toolJson(env, ['db', 'compact'])
      const [{ bytesBefore, bytesAfter }] = databases
      assert.ok(bytesBefore - bytesAfter > 1_000_000, `${bytesBefore} to ${bytesAfter}`)
      if (isEmbedded) assert.equal(statSync(path).size, bytesAfter)
      assert.equal((await toolJson(env, ['db', 'status'])).integrity ?? 'ok', 'ok')
    })
})
