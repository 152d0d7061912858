import type pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'
import { type Counts, countsSql, type DatabaseStatus, type StatusOptions, stateOf } from './database-status.ts'
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
      const schemaVersion = await versionIn(client)
      if (schemaVersion === null) return { ...status, state: 'empty', schemaVersion: 0 }
      const state = stateOf(schemaVersion)
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

async function versionIn(client: pg.PoolClient): Promise<number | null> {
  const { rows } = await client.query<{ known: boolean }>("SELECT to_regclass('schema_version') IS NOT NULL AS known")
  if (!rows[0]?.known) return null
  return (await client.query<{ version: number }>('SELECT version FROM schema_version')).rows[0]?.version ?? null
}

/** Without credentials. */
export function whereOf(address: string): string {
  const url = new URL(address)
  const host = url.hostname || url.searchParams.get('host') || 'localhost'
  return `${decodeURIComponent(url.pathname.slice(1))} on ${host}:${url.port || '5432'}`
}
