import { hash } from 'node:crypto'
import type pg from 'pg'

/** Pages cost about the same wherever they are on the disk: PostgreSQL's default, 4, is for turning ones. */
const settings = { statement_timeout: 5_000, idle_in_transaction_session_timeout: 10_000, random_page_cost: 1.1 }
const prepareTimeoutMs = 1_000

const wanted = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`)
const beginWithSettings = [
  'BEGIN',
  ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`),
].join('; ')

/** Connections to a pooler (PgBouncer): each transaction may run on another server session. */
const pooled = new WeakSet<object>()

/**
 * Sets a new session up. The pid that a pooler tells at the start is not that of the server process behind it. There
 * nothing may be set for the session, since others get it next, and nothing is sent at the start: PgBouncer refuses
 * every parameter that it does not know.
 */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  const { processID } = client as unknown as { processID: number | null }
  const text = `SELECT set_config(name, value, false) FROM (VALUES ${wanted.join(', ')}) AS wanted (name, value)
    WHERE pg_backend_pid() = ${processID}`
  const { rowCount } = await client.query({ text, query_timeout: prepareTimeoutMs } as pg.QueryConfig)
  if (rowCount !== 0) return
  pooled.add(client)
  Object.assign(client, { pipeline: true })
}

/** Ends a statement that is to have no name: a named one is planned without its values from the sixth time on. */
export const planAnew = '/* plan anew */'

/**
 * Asks over this session. Direct, statements are prepared once. Through a pooler they have no name, and whatever is not
 * in a transaction becomes one, with the settings of a session and without a further round trip.
 */
export async function ask(
  client: pg.ClientBase,
  text: string,
  params: readonly unknown[],
  inTransaction: boolean,
): Promise<pg.QueryResult> {
  const values = [...params]
  if (!pooled.has(client)) {
    const isNamed = values.length > 0 && !text.endsWith(planAnew)
    return client.query({ text, values, ...(isNamed && { name: statementName(text) }) })
  }
  if (inTransaction) return client.query({ text, values })
  if (text === 'begin') {
    await client.query(beginWithSettings)
    return { command: 'BEGIN', rowCount: 0, rows: [], oid: 0, fields: [] }
  }
  const [begun, asked, committed] = await Promise.allSettled([
    client.query(beginWithSettings),
    client.query({ text, values }),
    client.query('COMMIT'),
  ])
  for (const result of [begun, asked, committed]) if (result.status === 'rejected') throw result.reason
  return (asked as PromiseFulfilledResult<pg.QueryResult>).value
}

const names = new Map<string, string>()

/** Made from the text alone: whoever else prepares statements in this session, a name never means another text. */
function statementName(text: string): string {
  const known = names.get(text)
  if (known) return known
  const name = `menagerie_${hash('sha256', text, 'hex').slice(0, 32)}`
  names.set(text, name)
  return name
}
