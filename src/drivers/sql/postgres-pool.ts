import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'

const mostConnections = 10
const mostWaiting = 1000
const int8 = 20

/** Serialization failure, deadlock: nothing was done, so doing it again is safe, whatever it was. */
const undone = new Set(['40001', '40P01'])
/** The server ended the connection (shutdown, crash, too many, broken): a read may be asked again. */
const lost = new Set([
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08003',
  '08006',
  'ECONNRESET',
  'EPIPE',
  'ECONNREFUSED',
])

/** The transaction left nothing behind, and may be done again. */
export class Undone extends Unavailable {}

const uniqueIsBroken = '23505'
export const isDuplicate = (error: unknown) => codeOf(error) === uniqueIsBroken

export function createPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: mostConnections,
    connectionTimeoutMillis: 2_000,
    // With the wait for a connection: an answer within 5 s even of a server that froze.
    query_timeout: 2_900,
    statement_timeout: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'menagerie',
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    } as pg.CustomTypesConfig,
  })
  // Without listeners, a connection that the server ends would end this process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    // PostgreSQL takes it that a page far off costs four times the next one, as on a turning disk.
    client.query('SET random_page_cost = 1.1').catch(() => {})
  })
  return pool
}

/** The pool as Kysely sees it: statements prepared once, broken connections thrown away, failures translated. */
export function forKysely(pool: pg.Pool): PostgresPool {
  return { options: pool.options, connect: () => lease(pool), end: () => pool.end() }
}

/**
 * A connection of the pool for as long as Kysely holds it. Outside a transaction a statement that was undone, or
 * whose connection was lost, is asked again: writes outside a transaction are such that twice is as once.
 * Each idle connection may turn out dead; the one after them is new.
 */
async function lease(pool: pg.Pool): Promise<PostgresPoolClient> {
  let client: pg.PoolClient | null = await connect(pool)
  let inTransaction = false

  const query = async (sql: string, params: readonly unknown[] = []) => {
    // Rolled back by the server, when it ended the connection.
    if (sql === 'rollback' && client === null) return { command: 'ROLLBACK', rowCount: 0, rows: [] }
    for (let left = mostConnections; ; left--) {
      if (client === null && inTransaction) throw new Unavailable('database', new Error('the transaction was lost'))
      client ??= await connect(pool)
      try {
        const result = await ask(client, sql, params)
        if (sql === 'begin') inTransaction = true
        return result
      } catch (error) {
        if (isConnectionError(error)) {
          client.release(true)
          client = null
        }
        const wasUndone = undone.has(codeOf(error))
        // What becomes of a commit whose connection was lost, nobody here can tell.
        if (inTransaction && (wasUndone || (isLost(error) && sql !== 'commit'))) throw new Undone('database', error)
        if (inTransaction || left === 0 || !(wasUndone || isLost(error))) throw translate(error)
      }
    }
  }

  return { query: query as unknown as PostgresPoolClient['query'], release: () => client?.release() }
}

/** Ends a statement that is to have no name: a named one is planned without its values from the sixth time on. */
export const planAnew = '/* plan anew */'

const ask = (client: pg.PoolClient, sql: string, params: readonly unknown[]) => {
  const isNamed = params.length > 0 && !sql.endsWith(planAnew)
  return client.query({ text: sql, values: [...params], ...(isNamed && { name: statementName(sql) }) })
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  if (pool.waitingCount > mostWaiting)
    throw new Unavailable('database', new Error('too many requests wait for a connection'))
  try {
    return await pool.connect()
  } catch (error) {
    throw new Unavailable('database', error)
  }
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')
const isSqlError = (error: unknown) => error instanceof pg.DatabaseError
const isConnectionError = (error: unknown) => !isSqlError(error) || lost.has(codeOf(error))
const isLost = (error: unknown) =>
  lost.has(codeOf(error)) || /Connection terminated|not queryable/.test((error as Error).message)

/** A class of errors that say "not now": resources, operator's intervention, system, connection, read-only, timeout. */
function translate(error: unknown): unknown {
  const passing = !isSqlError(error) || /^(08|53|57|58|XX|40|25006)/.test(codeOf(error))
  return passing && !(error instanceof Unavailable) ? new Unavailable('database', error) : error
}

const names = new Map<string, string>()

/** The same text has the same name on every connection; our texts are few and fixed. */
function statementName(sql: string): string {
  const known = names.get(sql)
  if (known) return known
  const name = `m${names.size}`
  names.set(sql, name)
  return name
}
