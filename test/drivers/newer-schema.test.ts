import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { cliOrigin } from '../../src/accounts/audit.ts'
import { migrations as accountMigrations } from '../../src/drivers/accounts/migrations.ts'
import { readDatabaseStatus } from '../../src/drivers/accounts/open-database.ts'
import { fileName, schema } from '../../src/drivers/accounts/sqlite.ts'
import type { SqliteSchema } from '../../src/drivers/sqlite/schema.ts'
import { migrations as stateMigrations } from '../../src/drivers/status-state/schema.ts'
import { fileName as statusFile, schema as statusSchema } from '../../src/drivers/status-state/sqlite.ts'
import { tablesOf } from '../../src/drivers/tables/tables.ts'
import { created } from '../support/account-editor.ts'
import { administer, stores } from '../support/stores.ts'
import { accountOf, portsOf } from './accounts/stage.ts'
import { changesOf, componentOf, stateStages } from './status-state/stage.ts'

/** A migration by a later program; `oldestReader` can still use the schema, and is null for versions that recorded none. */
interface Step {
  readonly version: number
  readonly oldestReader: number | null
  readonly statements?: readonly string[]
}

interface Place {
  readonly dataDir: string
  readonly url: string | undefined
}

/** Where each of the two schemas stores its version. */
const accounts = {
  file: fileName,
  readers: 'schema_readers',
  saved: (version: number) => `UPDATE schema_version SET version = ${version}`,
}
const state = {
  file: statusFile,
  readers: 'status_readers',
  saved: (version: number) => `UPDATE status_meta SET value = '${version}' WHERE name = 'version'`,
}

async function migrateFurther(
  { dataDir, url }: Place,
  of: typeof accounts,
  { version, oldestReader, statements = [] }: Step,
) {
  const row =
    oldestReader === null
      ? []
      : [`INSERT INTO ${of.readers} (version, oldest_reader) VALUES (${version}, ${oldestReader})`]
  const all = [...statements, ...row, url ? of.saved(version) : `PRAGMA user_version = ${version}`]
  if (url) return administer(all.join('; '), url)
  const db = new DatabaseSync(join(dataDir, of.file))
  db.exec(`BEGIN; ${all.join('; ')}; COMMIT`)
  db.close()
}

/** Adds a column to every table, also under prepared statements. PostgreSQL has no table that counts users. */
const expanding = (schema: SqliteSchema, { url }: Place) => [
  'CREATE TABLE added (id TEXT PRIMARY KEY NOT NULL)',
  ...tablesOf(schema, {})
    .filter(({ name }) => url === undefined || name !== 'user_count')
    .map(({ name }) => `ALTER TABLE ${name} ADD COLUMN added TEXT`),
]

describe('Statements that a later schema must not break', () => {
  it('name the columns of every INSERT', () => {
    const root = join(import.meta.dirname, '../..')
    const files = globSync('src/**/*.ts', { cwd: root })
    const unnamed = files.filter((path) =>
      /INSERT INTO \S+ (VALUES|SELECT)/.test(readFileSync(join(root, path), 'utf8')),
    )
    // A migration runs on the schema that it knows.
    assert.deepEqual(unnamed, [join('src', 'drivers', 'status-state', 'schema.ts')])
  })
})

for (const store of stores) {
  describe(`Accounts of a later version on ${store.name}`, { skip: store.skip }, () => {
    const newest = accountMigrations.length

    it('are used by running and starting instances until the schema names a newer oldest reader', async () => {
      const made = await store.make()
      const place = { dataDir: made.env.DATA_DIR ?? '', url: made.env.DATABASE_URL }
      const database = await made.open()
      const { users } = portsOf(database)
      const some = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay'].map((name) => accountOf(name))
      for (const account of some) await users.insert(account, created)
      const useAll = (role: 'support' | 'user') =>
        Promise.all(
          some.map(async ({ id }) => {
            const change = { action: 'role', by: cliOrigin, target: { id } } as const
            const { changed } = await users.change(change, ({ target }) => target && { values: { role } })
            assert.equal(changed, true)
            assert.equal((await users.find({ id }))?.role, role)
          }),
        )
      // Every connection of the pool has its statements prepared.
      await useAll('support')
      await migrateFurther(place, accounts, {
        version: newest + 1,
        oldestReader: newest,
        statements: expanding(schema, place),
      })
      await useAll('user')
      const settings = { DATA_DIR: place.dataDir, DATABASE_URL: place.url ?? null }
      const stateNow = async () => (await readDatabaseStatus(settings, { deep: true, now: 0 })).state
      assert.equal(await stateNow(), 'ready')
      const started = await made.open()
      assert.equal((await portsOf(started).users.find({ username: 'ann' }))?.role, 'user')
      await started.close()
      await database.close()
      for (const oldestReader of [newest + 1, null]) {
        const version = newest + (oldestReader === null ? 3 : 2)
        await migrateFurther(place, accounts, { version, oldestReader })
        await assert.rejects(made.open(), {
          name: 'BadDatabase',
          message: new RegExp(
            `has schema version ${version}, newer than this program's ${newest}; start the newer program`,
          ),
        })
        assert.equal(await stateNow(), 'newer')
      }
    })
  })
}

for (const stage of stateStages) {
  describe(`The state of a later status worker on ${stage.name}`, { skip: stage.skip }, () => {
    const newest = stateMigrations.length

    it('is used by leading and starting workers until the schema names a newer oldest reader', async () => {
      const made = await stage.make()
      const place = { dataDir: made.dataDir, url: made.databaseUrl ?? undefined }
      const { store, close } = await made.acquire()
      const further = { version: newest + 1, oldestReader: newest, statements: expanding(statusSchema, place) }
      await store.save(changesOf({ components: [componentOf('api')] }))
      if (place.url) await migrateFurther(place, state, further)
      await store.save(changesOf({ components: [componentOf('backup')] }))
      await close()
      if (!place.url) await migrateFurther(place, state, further)
      const next = await made.acquire()
      assert.deepEqual(
        (await next.store.load()).map(({ id }) => id),
        ['api', 'backup'],
      )
      await next.close()
      for (const oldestReader of [newest + 1, null]) {
        const version = newest + (oldestReader === null ? 3 : 2)
        await migrateFurther(place, state, { version, oldestReader })
        await assert.rejects(made.acquire(), new RegExp(`has schema version ${version}, newer than`))
      }
    })
  })
}
