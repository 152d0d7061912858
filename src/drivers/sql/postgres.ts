import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'
import { BadDatabase, type Database, type Tables } from './database.ts'
import { migrations, newerSchema, postgresDialect, schemaProbe } from './migrations.ts'
import { createPool, forKysely } from './postgres-pool.ts'

/** Any number: it only has to be the same in every process that migrates. */
const migrationLock = 6_177_104

/** Connects and migrates. Throws BadDatabase where the schema is newer, Unavailable where nothing answers. */
export async function openPostgres(url: string): Promise<Database> {
  const pool = createPool(url)
  try {
    await migrate(pool)
  } catch (error) {
    await pool.end()
    throw error instanceof BadDatabase ? error : new Unavailable('database', error)
  }
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: forKysely(pool) }) })
  return {
    name: 'PostgreSQL',
    kysely,
    instant: null,
    schemaVersion: migrations.length,
    ping: async () => void (await kysely.selectFrom('users').select('id').limit(1).execute()),
    close: () => kysely.destroy(),
  }
}

/** Two first starts at once: the second waits for the lock, and finds the work done. */
async function migrate(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    for (let version = -1; version < migrations.length; ) {
      await client.query('BEGIN')
      await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
      await client.query('CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)')
      version = (await client.query<{ version: number }>('SELECT version FROM schema_version')).rows[0]?.version ?? 0
      if (version > migrations.length) throw new BadDatabase(newerSchema('DATABASE_URL: the database', version))
      for (const sql of migrations[version]?.(postgresDialect) ?? []) await client.query(sql)
      if (version < migrations.length) {
        version += 1
        await client.query('DELETE FROM schema_version')
        await client.query('INSERT INTO schema_version VALUES ($1)', [version])
      }
      await client.query('COMMIT')
    }
    await client.query(schemaProbe)
  } catch (error) {
    const isWrong = /^42(P0[17]|703)$/.test(String((error as { code?: string }).code))
    throw isWrong ? new BadDatabase(`DATABASE_URL: the database cannot be used: ${(error as Error).message}`) : error
  } finally {
    client.release(true)
  }
}
