import { hash } from 'node:crypto'
import type pg from 'pg'
import { NoSession } from './postgres-errors.ts'

/** random_page_cost: the default of 4 is for spinning disks. */
const settingsOf = (statementMs: number) =>
  Object.entries({
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: 10_000,
    random_page_cost: 1.1,
  })

/** Clients of a pooler (PgBouncer): each transaction may run on another server session. With how they begin one. */
const pooled = new WeakMap<object, string>()

/**
 * Sets up a new session unless a pooler is in between: the backend pid that it reported at the start differs from the
 * server process's. Other clients get that session next, so nothing may be set on it. Nor can the startup packet carry
 * the settings, since PgBouncer refuses parameters that it does not know. Throws NoSession on a timeout.
 */
export async function prepareSession(
  client: pg.ClientBase,
  { prepareMs, statementMs }: { readonly prepareMs: number; readonly statementMs: number },
): Promise<void> {
  const settings = settingsOf(statementMs)
  const { processID } = client as unknown as { processID: number | null }
  const calls = settings.map(([name, value]) => `set_config('${name}', '${value}', false)`)
  const text = `SELECT ${calls.join(', ')} WHERE pg_backend_pid() = ${processID}`
  const { rowCount } = await client.query({ text, query_timeout: prepareMs } as pg.QueryConfig).catch((error) => {
    // How node-postgres reports `query_timeout`.
    throw error.message === 'Query read timeout' ? new NoSession('no server session in time', { cause: error }) : error
  })
  if (rowCount !== 0) return
  pooled.set(client, ['BEGIN', ...settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join('; '))
  Object.assign(client, { pipeline: true })
}

/**
 * Prepares a connection for statements that may take long, and takes an advisory lock for as long as it is open. False
 * if another has that. Through a pooler there are neither: its sessions are shared, and set no timeouts.
 */
export async function ownsSession(client: pg.ClientBase, lock: number): Promise<boolean> {
  if (pooled.has(client)) return true
  const { rows } = await client.query<{ free: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS free`)
  await client.query('SET statement_timeout = 0')
  return rows[0]?.free === true
}

/** Suffix of a statement that must stay unnamed: from the sixth run on, PostgreSQL plans named ones without values. */
export const replan = '/* replan */'

/**
 * Runs a statement. On a direct connection, it is prepared once. Through a pooler, it is unnamed, and a single
 * statement is wrapped in a transaction that sets the timeouts, pipelined to keep it at one round trip.
 */
export async function run(
  client: pg.ClientBase,
  text: string,
  params: readonly unknown[],
  inTransaction: boolean,
): Promise<pg.QueryResult> {
  const values = [...params]
  const begin = pooled.get(client)
  if (begin === undefined) {
    const isNamed = values.length > 0 && !text.endsWith(replan)
    return client.query({ text, values, ...(isNamed && { name: statementName(text) }) })
  }
  if (inTransaction) return client.query({ text, values })
  if (text === 'begin') return client.query(begin)
  const [, result] = await Promise.all([client.query(begin), client.query({ text, values }), client.query('COMMIT')])
  return result
}

const names = new Map<string, string>()

/** A hash of the text, so that clients of a pooler never give one name to different texts. */
function statementName(text: string): string {
  const known = names.get(text)
  if (known) return known
  const name = `menagerie_${hash('sha256', text, 'hex').slice(0, 32)}`
  names.set(text, name)
  return name
}
