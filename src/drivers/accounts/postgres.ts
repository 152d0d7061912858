import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { once } from '../../lib/once.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import { logMigration } from '../migrations.ts'
import { advisoryLocks } from '../postgres/advisory-locks.ts'
import { migrate, type PostgresSchema, type Query } from '../postgres/migrate.ts'
import { BadDatabase, type Database, type Tables } from './database.ts'
import { migrations, postgresDialect, readers, schemaProbes } from './migrations.ts'
import { hasPart, hasPartByPairs } from './name-parts.ts'
import { forKysely, halfForKysely, Undone } from './postgres-checkout.ts'
import { codeOf, isDiskFull, isDuplicate } from './postgres-errors.ts'
import { createFinder } from './postgres-finder.ts'
import { type ConnectionPool, createPool, type PoolOptions } from './postgres-pool.ts'
import { indexSearch } from './postgres-search.ts'
import { replan } from './postgres-session.ts'

const lockText = `SELECT pg_advisory_xact_lock(${advisoryLocks.migration})`

const maxMigrationMs = 3_600_000
/** Together with the time of a statement, keeps a request under 5 s. */
const longReadWaitMs = 2_000
/** Retries of a transaction that the server rolled back. */
const maxRetries = 2

/** Connects and migrates. Throws BadDatabase if the schema is newer, Unavailable if the server does not respond. */
export async function openPostgres(url: string, options?: PoolOptions): Promise<Database> {
  const database = awaitPostgres(url, options)
  try {
    await database.prepare()
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

/** Not connected yet: every statement is refused as Unavailable until `prepare` has succeeded. */
export function awaitPostgres(url: string, options?: PoolOptions): Database {
  const { pool, prepare, hasPairs } = closedUntilPrepared(openPool(url, options), options?.log)
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: forKysely(pool) }) })
  const longReads = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: halfForKysely(pool, longReadWaitMs) }) })
  const proof = createProof(kysely)
  return {
    name: 'PostgreSQL',
    prepare,
    kysely,
    longReads,
    finder: createFinder(pool),
    schemaVersion: migrations.length,
    holdRows: sql`for update`,
    holdOwners: sql`SELECT pg_advisory_xact_lock(${sql.lit(advisoryLocks.owner)})`,
    replan: sql.raw(replan),
    // The planner prefers the smallest index, and would visit recently changed rows by name: in random order.
    userCount: sql<number>`(SELECT count(*) FROM users WHERE id > '')`,
    // It counts by its statistics.
    fewUsers: async () => null,
    keepsTime: true,
    now: () => sql<number>`CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)`,
    async transaction(act) {
      for (let left = maxRetries; ; left--) {
        try {
          return await kysely.transaction().execute(act)
        } catch (error) {
          proof.failed(error)
          if (!(error instanceof Undone) || left === 0) throw error
        }
      }
    },
    rowsOf: (json) => sql`json_array_elements(${json}::json)`,
    hasPart: (part) => (hasPairs() ? hasPartByPairs : hasPart)(part),
    nameIn: (column) => sql.raw(postgresDialect.nameIn(column)),
    isDuplicate,
    proveWritable: proof.prove,
    ping: async () => void (await kysely.selectFrom('users').select('id').limit(1).execute()),
    async close() {
      await kysely.destroy()
      // Kysely ends only a pool that it has used.
      await pool.end()
    },
  }
}

function openPool(url: string, options?: PoolOptions): ConnectionPool {
  try {
    // Reads what the URL names, such as the file of a certificate.
    new pg.Client({ connectionString: url })
  } catch (error) {
    throw new BadDatabase(`DATABASE_URL: ${(error as Error).message}`)
  }
  return createPool(url, options)
}

/** Without its tables, or with older ones, statements would fail as if the service had a bug. */
function closedUntilPrepared(pool: ConnectionPool, log: PoolOptions['log']) {
  let problem: unknown = new Error('not connected yet')
  let hasPairs = false
  return {
    pool: {
      ...pool,
      end: once(() => pool.end()),
      async connect() {
        if (problem !== null) throw new Unavailable('database', problem)
        return pool.connect()
      },
    },
    hasPairs: () => hasPairs,
    async prepare(): Promise<void> {
      try {
        await migrateAndCheck(pool, log)
        hasPairs = await indexSearch(pool, advisoryLocks.search)
        problem = null
      } catch (error) {
        if (error instanceof BadDatabase) throw error
        problem = error instanceof Unavailable ? error.cause : error
        throw refusalOf(problem) ?? new Unavailable('database', problem)
      }
    },
  }
}

/** Waiting cannot cure it: invalid authorization, unknown database, missing privilege, an unknown feature. */
function refusalOf(error: unknown): BadDatabase | null {
  if (!(error instanceof pg.DatabaseError) || !/^(28|3D|42)/.test(codeOf(error))) return null
  return new BadDatabase(`DATABASE_URL: ${error.message}`)
}

/** For statements that may take long: a million rows, or another instance that is migrating. */
const patient =
  (client: pg.PoolClient): Query =>
  async (text) =>
    (await client.query({ text, query_timeout: maxMigrationMs } as pg.QueryConfig)).rows

/** If two first starts are concurrent, the second waits for the lock and finds the work done. */
export const schema: PostgresSchema = {
  migrations: migrations.map((migration) => migration(postgresDialect)),
  readers,
  prepare: [lockText, 'CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)'],
  async readVersion(query) {
    const [found] = await query("SELECT to_regclass('schema_version') IS NOT NULL AS known")
    return found?.known ? Number((await query('SELECT version FROM schema_version'))[0]?.version ?? 0) : 0
  },
  saveVersion: (version) => ['DELETE FROM schema_version', `INSERT INTO schema_version (version) VALUES (${version})`],
  refusal: (why) => new BadDatabase(`DATABASE_URL: the database ${why}`),
}

async function migrateAndCheck(pool: ConnectionPool, log: PoolOptions['log']): Promise<void> {
  const client = await pool.connect()
  try {
    const startedAt = performance.now()
    const from = await migrate(patient(client), schema)
    logMigration(log, { database: 'DATABASE_URL', from, to: migrations.length, startedAt })
    for (const probe of schemaProbes) await client.query(probe)
  } catch (error) {
    const isWrong = /^42(P0[17]|703)$/.test(String((error as { code?: string }).code))
    throw isWrong ? new BadDatabase(`DATABASE_URL: the database cannot be used: ${(error as Error).message}`) : error
  } finally {
    client.release(true)
  }
}

/** One statement, so that an instance that freezes cannot keep the row locked. */
const proofRow = CompiledQuery.raw(
  'INSERT INTO probe (id, content) VALUES (1, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET content = excluded.content',
)

/** On a full disk the row may still fit into its page; a new table never does. One query is one transaction. */
const proofRoom = CompiledQuery.raw(
  "CREATE TABLE probe_room (content text); INSERT INTO probe_room (content) VALUES (''); DROP TABLE probe_room",
)

/** Proves that the server can save: with a row or, after a write failed on a full disk, with a new table. */
function createProof(kysely: Kysely<Tables>) {
  let isFull = false
  return {
    failed(error: unknown): void {
      if (isDiskFull(error)) isFull = true
    },
    async prove(): Promise<void> {
      await kysely.executeQuery(isFull ? proofRoom : proofRow)
      isFull = false
    },
  }
}
