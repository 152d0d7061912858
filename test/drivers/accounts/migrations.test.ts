import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import pg from 'pg'
import { cliOrigin } from '../../../src/accounts/audit.ts'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { migrations, postgresDialect, sqliteDialect } from '../../../src/drivers/accounts/migrations.ts'
import { openPostgres } from '../../../src/drivers/accounts/postgres.ts'
import { fileName, schema } from '../../../src/drivers/accounts/sqlite.ts'
import { created } from '../../support/account-editor.ts'
import { atEnd } from '../../support/at-end.ts'
import { administer, patientPool, type Store, stores } from '../../support/stores.ts'
import { accountOf, batchOf, newId, portsOf } from './stage.ts'

type Place = Awaited<ReturnType<Store['make']>>

/** The accounts from before, as version 1 stored them. */
const old = [
  { id: newId(), name: 'Ann.Old', role: 'owner', banned: 0, token: 't1', createdAt: 1_000, updatedAt: 1_500 },
  { id: newId(), name: 'bob_OLD', role: 'user', banned: 1, token: null, createdAt: 2_000, updatedAt: 2_500 },
  { id: newId(), name: 'cem-old', role: 'moderator', banned: 0, token: null, createdAt: 3_000, updatedAt: 3_000 },
] as const

const literal = (value: string | number | null) => (typeof value === 'string' ? `'${value}'` : String(value))
const rows = old.map(({ id, name, role, banned, token, createdAt, updatedAt }) =>
  [id, name, role, banned, `hash of ${name}`, token, createdAt, updatedAt].map(literal).join(', '),
)
const inserts = rows.map(
  (row) =>
    `INSERT INTO users (id, username, role, banned, password_hash, token_hash, created_at, updated_at) VALUES (${row})`,
)

/** As the first version of the program left it. */
const makeVersion1 = (place: Place) => makeVersion(1, inserts, place)

async function makeVersion(number: number, contents: readonly string[], { env }: Place): Promise<void> {
  const made = (dialect: typeof sqliteDialect) =>
    [...migrations.slice(0, number).flatMap((migration) => migration(dialect)), ...contents].join(';\n')
  if (env.DATABASE_URL) {
    const version = `CREATE TABLE schema_version (version bigint NOT NULL); INSERT INTO schema_version VALUES (${number})`
    return administer(`${version};\n${made(postgresDialect)}`, env.DATABASE_URL)
  }
  const db = new DatabaseSync(join(env.DATA_DIR ?? '', fileName))
  db.exec(
    `BEGIN; ${made(sqliteDialect)}; PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${number}; COMMIT`,
  )
  db.close()
}

const accountsOf = (database: Database) =>
  Promise.all(old.map(({ name }) => portsOf(database).users.find({ username: name.toUpperCase() })))

const expected = old.map(({ id, name, role, banned, token, createdAt, updatedAt }) => ({
  id,
  username: name,
  role,
  banned: banned === 1,
  ban: banned === 1 ? { reason: null, since: updatedAt, until: null, by: null } : null,
  passwordHash: `hash of ${name}`,
  tokenHash: token,
  createdAt,
  updatedAt,
}))

for (const store of stores) {
  describe(`a database of schema version 1 on ${store.name}`, { skip: store.skip }, () => {
    const migrated = async () => {
      const place = await store.make({ bare: true })
      await makeVersion1(place)
      const database = await place.open()
      return { place, database, ...portsOf(database) }
    }

    it('is migrated to the newest version with its rows unchanged, found by name in any case', async () => {
      const { place, database } = await migrated()
      assert.ok(database.schemaVersion > 1)
      assert.deepEqual(await accountsOf(database), expected)
      await database.close()
      const again = await place.open()
      assert.deepEqual(await accountsOf(again), expected)
    })

    it('dates an old ban to the last update, by an unknown actor, until it is lifted', async () => {
      const { users, directory } = await migrated()
      const order = { by: 'createdAt', descending: false } as const
      const banned = await directory.page({ filter: { banned: true }, order, after: null, limit: 9 })
      assert.deepEqual(
        banned.map(({ username, ban }) => [username, ban]),
        [['bob_OLD', { reason: null, since: 2_500, until: null, by: null }]],
      )
      assert.equal((await directory.summary()).bannedUsers, 1)
      const rename = { action: 'rename', by: cliOrigin, target: { id: old[1].id } } as const
      const { account } = await users.change(rename, () => ({ values: { username: 'robert' } }))
      assert.deepEqual([account?.ban?.since, (account?.updatedAt ?? 0) > 2_500], [2_500, true], 'its update moved on')
    })

    it('refuses a second account with the same name, and counts, lists and audits the old ones', async () => {
      const { users, journal, directory } = await migrated()
      assert.equal(await users.insert(accountOf('ann.OLD'), created), false)
      assert.equal(await users.insert(accountOf('dan'), created), true)
      const { id } = old[2]
      assert.equal((await directory.find({ id }))?.requests, null)
      await journal.write(batchOf([{ userId: id, day: '2026-01-01', auth: 1, admin: 2, images: 3 }]))
      const lift = { action: 'unban', by: cliOrigin, target: { id: old[1].id } } as const
      await users.change(lift, ({ target }) => target && { values: { ban: null } })
      const order = { by: 'total', descending: true } as const
      const page = await directory.page({ filter: { banned: false, part: 'OLD' }, order, after: null, limit: 9 })
      assert.deepEqual(
        page.map(({ username, requests }) => [username, requests?.total ?? 0]),
        [
          ['cem-old', 6],
          ...old
            .slice(0, 2)
            .map(({ name }) => [name, 0])
            .reverse(),
        ],
      )
      assert.equal((await directory.events({ before: null, limit: 9 })).length, 2)
    })

    it('has the schema of a new database afterwards', async () => {
      const { place } = await migrated()
      const empty = await store.make({ bare: true })
      await (await empty.open()).close()
      assert.deepEqual(await schemaOf(place), await schemaOf(empty))
    })

    it('is migrated once by concurrent starts', async () => {
      const place = await store.make({ bare: true })
      await makeVersion1(place)
      const databases = await Promise.all([place.open(), place.open(), place.open()])
      for (const database of databases) assert.deepEqual(await accountsOf(database), expected)
    })
  })
}

for (const store of stores) {
  describe(`a database of schema version 2 on ${store.name}`, { skip: store.skip }, () => {
    it('keeps its audit events, each as one attempt, and finds former names in them', async () => {
      const [{ id }] = old
      const renamed = `('e-1', 1000, 'rename', 'success', 'cli', '${id}', NULL, NULL, '{"username":"Anna"}', '{"username":"Ann.Old"}')`
      const refused = `('e-2', 2000, 'login', 'refused: Invalid credentials', NULL, '${id}', '::1', 'r', NULL, NULL)`
      const place = await store.make({ bare: true })
      await makeVersion(2, [...inserts, `INSERT INTO audit VALUES ${renamed}, ${refused}`], place)
      const database = await place.open()
      const { directory } = portsOf(database)
      const events = await directory.events({ target: id, before: null, limit: 9 })
      assert.deepEqual(
        events.map(({ id, at, count, before }) => [id, at, count, before]),
        [
          ['e-2', 2_000, 1, null],
          ['e-1', 1_000, 1, { username: 'Anna' }],
        ],
      )
      for (const name of ['anna', 'ANN.OLD']) assert.deepEqual(await directory.formerly(name), [id])
      assert.deepEqual(await directory.formerly('bob_OLD'), [])
    })
  })
}

/** Every column and index, in order. */
async function schemaOf({ env }: Place): Promise<unknown> {
  if (!env.DATABASE_URL) {
    const db = new DatabaseSync(join(env.DATA_DIR ?? '', fileName))
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
    db.close()
    return schema
  }
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  const tables = await client.query(
    "SELECT table_name, column_name, data_type, is_nullable, column_default, generation_expression, collation_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
  )
  const indexes = await client.query("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")
  await client.end()
  return [tables.rows, indexes.rows]
}

const postgres = stores.find(({ name }) => name === 'PostgreSQL') as Store

describe('a PostgreSQL role that may not create extensions', { skip: postgres.skip }, () => {
  it('migrates without them, and finds parts of names by scanning', async (context) => {
    const role = `menagerie_test_role_${randomBytes(6).toString('hex')}`
    const dropRole = atEnd(() => administer(`DROP ROLE IF EXISTS ${role}`))
    try {
      await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'plain'`)
    } catch (error) {
      if ((error as { code?: string }).code !== '42501') throw error
      return context.skip('this server lets us make no role')
    }
    const place = await postgres.make()
    const url = new URL(place.env.DATABASE_URL ?? '')
    const name = url.pathname.slice(1)
    // It may create tables, but nothing that belongs to the database itself.
    await administer(`REVOKE CREATE ON DATABASE ${name} FROM PUBLIC; GRANT ALL ON SCHEMA public TO ${role}`, url.href)
    url.username = role
    url.password = 'plain'
    await makeVersion1({ ...place, env: { DATABASE_URL: url.href } })
    const database = await openPostgres(url.href, { times: patientPool })
    const close = atEnd(() => database.close())
    assert.deepEqual(await accountsOf(database), expected)
    const { directory } = portsOf(database)
    const order = { by: 'username', descending: false } as const
    const page = await directory.page({ filter: { part: '_old' }, order, after: null, limit: 9 })
    assert.deepEqual(
      page.map(({ username }) => username),
      ['bob_OLD'],
    )
    assert.doesNotMatch(JSON.stringify(await schemaOf(place)), /users_name_parts/)
    await close()
    await place.drop()
    await dropRole()
  })
})
