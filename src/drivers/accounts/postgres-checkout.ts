import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'
import { TooSlow, Unavailable } from '../../lib/unavailable.ts'
import { endsConnection, isLost, isReadOnly, isStale, isUndone, translate } from './postgres-errors.ts'
import type { ConnectionPool } from './postgres-pool.ts'
import { ask } from './postgres-session.ts'

/** The transaction was rolled back and may be repeated. */
export class Undone extends Unavailable {}

/** The pool for Kysely: drops broken connections, repeats statements where that is safe, translates errors. */
export function forKysely(pool: ConnectionPool): PostgresPool {
  return { options: pool.options, connect: () => checkOut(pool), end: () => pool.end() }
}

/** At most half of the pool: however slow these statements are, every other request finds a connection. */
export function halfForKysely(pool: ConnectionPool, waitMs: number): PostgresPool {
  const tooSlow = () => new TooSlow('database', new Error('other long reads did not end in time'))
  const turns = createSemaphore({ max: Math.max(1, Math.floor(pool.max / 2)), onTimeout: tooSlow })
  return {
    options: pool.options,
    async connect() {
      await turns.acquire({ timeoutMs: waitMs })
      try {
        const client = await checkOut(pool)
        const release = () => {
          client.release()
          turns.release()
        }
        return { ...client, release }
      } catch (error) {
        turns.release()
        throw error
      }
    },
    // The pool is not its own.
    end: async () => {},
  }
}

/**
 * Checks out a connection of the pool until it is released. Outside a transaction, a statement that was rolled back or
 * whose connection was lost is repeated: such writes are idempotent. Any number of idle connections may turn out to be
 * dead, but only one new connection.
 */
export async function checkOut(pool: ConnectionPool): Promise<PostgresPoolClient> {
  const askedAt = performance.now()
  let client: pg.PoolClient | null = await pool.connect()
  let inTransaction = false

  const query = async (sql: string, params: readonly unknown[] = []) => {
    // The server rolled back when the connection ended.
    if (sql === 'rollback' && client === null) return { command: 'ROLLBACK', rowCount: 0, rows: [] }
    for (let left = pool.max; ; left--) {
      if (client === null && inTransaction) throw new Unavailable('database', new Error('the transaction was lost'))
      client ??= await pool.connect()
      try {
        const result = await ask(client, sql, params, inTransaction)
        if (sql === 'begin') inTransaction = true
        return result
      } catch (error) {
        const isElsewhere = (isReadOnly(error) || isStale(error)) && pool.replaceSince(client)
        if (isLost(error) && pool.isOpenedSince(client, askedAt)) left = Math.min(left, 1)
        if (isElsewhere || endsConnection(error)) {
          client.release(true)
          client = null
        }
        // The outcome of a commit whose connection was lost is unknown.
        const mayRepeat = isElsewhere || isStale(error) || isUndone(error) || (isLost(error) && sql !== 'commit')
        if (inTransaction && mayRepeat) throw new Undone('database', error)
        if (inTransaction || left === 0 || !mayRepeat) throw translate(error)
      }
    }
  }

  return { query: query as unknown as PostgresPoolClient['query'], release: () => client?.release() }
}
