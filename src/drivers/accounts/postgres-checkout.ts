import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'
import { TooSlow, Unavailable } from '../../lib/unavailable.ts'
import { endsConnection, isLost, isReadOnly, isUndone, translate } from './postgres-errors.ts'
import type { ConnectionPool } from './postgres-pool.ts'
import { run } from './postgres-session.ts'

const maxRepeats = 2

/** The transaction was rolled back and may be repeated. */
export class Undone extends Unavailable {}

/** The pool for Kysely: drops broken connections, repeats statements where that is safe, translates errors. */
export function forKysely(pool: ConnectionPool): PostgresPool {
  return { options: pool.options, connect: () => checkOut(pool), end: () => pool.end() }
}

/** At most half of the pool: however slow these statements are, every other request finds a connection. */
export function halfForKysely(pool: ConnectionPool, waitMs: number): PostgresPool {
  const onTimeout = () => new TooSlow('database', new Error('other long reads did not end in time'))
  const half = createSemaphore({ max: Math.max(1, Math.floor(pool.max / 2)), onTimeout })
  return {
    options: pool.options,
    async connect() {
      await half.acquire({ timeoutMs: waitMs })
      const client = await checkOut(pool).catch((error) => {
        half.release()
        throw error
      })
      const release = () => {
        client.release()
        half.release()
      }
      return { ...client, release }
    },
    // The pool is not its own.
    end: async () => {},
  }
}

/**
 * Checks out a connection of the pool until it is released. Outside a transaction, a statement that was rolled back or
 * whose connection was lost is repeated: such writes are idempotent. A server that ended one connection has probably
 * ended all, and one that is read-only is no longer the primary: then every connection is replaced.
 */
export async function checkOut(pool: ConnectionPool): Promise<PostgresPoolClient> {
  let client: pg.PoolClient | null = await pool.connect()
  let inTransaction = false

  const query = async (sql: string, params: readonly unknown[] = []) => {
    // The server rolled back when the connection ended.
    if (sql === 'rollback' && client === null) return { command: 'ROLLBACK', rowCount: 0, rows: [] }
    for (let left = maxRepeats; ; left--) {
      if (client === null && inTransaction) throw new Unavailable('database', new Error('the transaction was lost'))
      client ??= await pool.connect()
      try {
        const result = await run(client, sql, params, inTransaction)
        if (sql === 'begin') inTransaction = true
        return result
      } catch (error) {
        // If a new connection is read-only too, there is no primary to reach.
        const mustMove = isLost(error) || (isReadOnly(error) && !pool.isNew(client))
        if (mustMove) pool.replaceAll()
        if (mustMove || endsConnection(error)) {
          client.release(true)
          client = null
        }
        // The outcome of a commit whose connection was lost is unknown.
        const mayRepeat = isUndone(error) || (mustMove && sql !== 'commit')
        if (inTransaction && mayRepeat) throw new Undone('database', error)
        if (inTransaction || left === 0 || !mayRepeat) throw translate(error)
      }
    }
  }

  return { query: query as unknown as PostgresPoolClient['query'], release: () => client?.release() }
}
