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
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The pool as Kysely sees it: statements prepared once, broken connections thrown away, failures translated. */
export function forKysely(pool: pg.Pool): PostgresPool {
  return { options: pool.options, connect: () => lease(pool), end: () => pool.end() }
}

/**
 * A connection of the pool for as long as Kysely holds it. Outside a transaction a statement that was undone, or
 * whose connection was lost, is asked again: every write of the store repeats its condition, so twice is as once.
 * Each idle connection may turn out dead; the one after them is new.
 */
async function lease(pool: pg.Pool): Promise<PostgresPoolClient> {
  let client: pg.PoolClient | null = await connect(pool)
  let inTransaction = false

  const query = async (sql: string, params: readonly unknown[] = []) => {
    if (sql === 'begin') inTransaction = true
    for (let left = mostConnections; ; left--) {
      if (client === null && inTransaction) throw new Unavailable('database', new Error('the transaction was lost'))
      client ??= await connect(pool)
      try {
        return await ask(client, sql, params)
      } catch (error) {
        if (isConnectionError(error)) {
          client.release(true)
          client = null
        }
        const mayRepeat = undone.has(codeOf(error)) || isLost(error)
        if (inTransaction || left === 0 || !mayRepeat) throw translate(error)
      }
    }
  }

  return { query: query as unknown as PostgresPoolClient['query'], release: () => client?.release() }
}

const ask = (client: pg.PoolClient, sql: string, params: readonly unknown[]) =>
  client.query({ text: sql, values: [...params], ...(params.length > 0 && { name: statementName(sql) }) })

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
