import pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'
import { oldestReaderOf, type Query } from '../postgres/migrate.ts'
import { type Counts, countsSql, type DatabaseStatus, type StatusOptions, stateOf } from './database-status.ts'
import { schema } from './postgres.ts'
import { codeOf } from './postgres-errors.ts'
import { createPool } from './postgres-pool.ts'

const noSuchDatabase = '3D000'

/** Reads the state of the database in a read-only transaction. */
export async function readPostgresStatus(url: string, { deep, now }: StatusOptions): Promise<DatabaseStatus> {
  const status = {
    name: 'PostgreSQL',
    where: whereOf(url),
    schemaVersion: null,
    counts: null,
    integrity: null,
  } as const
  const pool = createPool(url)
  try {
    const client = await pool.connect()
    try {
      await client.query('BEGIN READ ONLY')
      const query: Query = async (text) => (await client.query(text)).rows
      const schemaVersion = await schema.readVersion(query)
      if (schemaVersion === 0) return { ...status, state: 'empty', schemaVersion }
      const state = stateOf(schemaVersion, await oldestReaderOf(query, schema, schemaVersion))
      if (!deep || state === 'newer') return { ...status, state, schemaVersion }
      const { rows } = await client.query<Counts>(countsSql(schemaVersion, now))
      return { ...status, state, schemaVersion, counts: rows[0] ?? null }
    } finally {
      client.release(true)
    }
  } catch (error) {
    const reason = error instanceof Unavailable ? error.cause : error
    if (codeOf(reason) === noSuchDatabase) return { ...status, state: 'missing' }
    throw new Unavailable('database', reason)
  } finally {
    await pool.end()
  }
}

/** Without credentials. */
export function whereOf(address: string): string {
  const url = new URL(address)
  const host = url.hostname || url.searchParams.get('host') || 'localhost'
  // If the URL names no database, pg and the server take the one with the user's name.
  const { database } = new pg.Client({ connectionString: address })
  return `${database || 'the default database'} on ${host}:${url.port || '5432'}`
}
