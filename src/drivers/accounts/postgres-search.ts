import pg from 'pg'
import { pairsOf } from './name-parts.ts'
import type { ConnectionPool } from './postgres-pool.ts'
import { ownsSession } from './postgres-session.ts'

/** Longer than an index of some million rows takes. */
const maxBuildMs = 3_600_000

/** Each with what it needs first. They only save time, so a start does without those that the server refuses. */
const indexes = [
  {
    name: 'users_name_parts',
    needs: 'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    on: 'users USING gin (username_key gin_trgm_ops)',
  },
  // Parts of two characters are no trigrams.
  { name: 'users_name_pairs', needs: null, on: `users USING gin (${pairsOf('username_key')})` },
  // Covering: no page of banned users reads the row of another.
  {
    name: 'users_banned_by_time',
    needs: null,
    on: 'users (created_at, id) INCLUDE (total, username_key, role, banned_until) WHERE banned = 1',
  },
] as const

const missing = `SELECT name FROM unnest($1::text[]) AS name
  WHERE NOT coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(name)), false)`

/**
 * Creates the indexes that are missing, while other instances write: about 25 s per million accounts. If another
 * instance is already doing so, this one starts without them. The lock ends with the connection. Resolves to whether
 * parts of two characters can be found by their index.
 */
export async function indexSearch(pool: ConnectionPool, lock: number): Promise<boolean> {
  const client = await pool.connect()
  const run = (text: string) => client.query({ text, query_timeout: maxBuildMs } as pg.QueryConfig)
  const findMissing = async () =>
    (await client.query<{ name: string }>(missing, [indexes.map(({ name }) => name)])).rows.map(({ name }) => name)
  try {
    const names = await findMissing()
    if (names.length > 0 && (await ownsSession(client, lock))) {
      for (const { name, needs, on } of indexes.filter(({ name }) => names.includes(name))) {
        try {
          if (needs !== null) await run(needs)
          // An interrupted build leaves an invalid index.
          await run(`DROP INDEX IF EXISTS ${name}`)
          await run(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`)
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) throw error
        }
      }
    }
    return !(await findMissing()).includes('users_name_pairs')
  } finally {
    client.release(true)
  }
}
