import { Socket } from 'node:net'
import pg from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { Unavailable } from '../../lib/unavailable.ts'

export interface Pace {
  /** How often an idle connection says something: asks for the lock, or whether the server is still there. */
  readonly pollMs: number
  /** How long an answer may take. */
  readonly answerMs: number
}

interface Statement {
  readonly text: string
  /** Where it may take longer than others; then it sets what the server allows itself. */
  readonly patienceMs?: number
}

/** One connection that is never replaced: what it holds on the server, it holds as long as it is. */
export interface Link {
  /** Throws Pooled behind a connection pooler. */
  connect(): Promise<void>
  /** One after another. Rejects with what the server said, or with Unavailable where the connection is over. */
  query<Row extends pg.QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /** Whether the server has answered lately; it ends the session of one that has been silent for longer. */
  isSure(): boolean
  /** From now on the server is asked whether it is there; the end of the connection is told once, unless it is ours. */
  watch(onLost: (reason: Error) => void): void
  /** Ends it as if the server had. */
  lose(reason: Error): void
  /** Lets what is under way end first. */
  close(): Promise<void>
  destroy(): void
}

/** A pooler is in between: each transaction may run on another session, so no lock can be held. */
export class Pooled extends Error {}

const int8 = 20
/** SQLSTATE of a write on a read-only server. */
const readOnly = '25006'
const connectMs = 2_000
/** The server ends a statement by itself; only one that does not is waited for no longer. */
const graceMs = 1_000
const farewellMs = 1_000

export function createLink(url: string, { pollMs, answerMs }: Pace): Link {
  const socket = new Socket()
  const client = new pg.Client({
    connectionString: url,
    stream: () => socket,
    connectionTimeoutMillis: connectMs,
    application_name: 'menagerie status worker',
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    } as pg.CustomTypesConfig,
  })
  const mutex = createSemaphore({ max: 1 })
  let over: Error | null = null
  let answeredWhatWasAskedAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let onLost = (_: Error) => {}

  const end = (reason: Error) => {
    if (over) return
    over = reason
    clearTimeout(timer)
    socket.destroy()
    onLost(reason)
  }
  client.on('error', end)
  client.on('end', () => end(new Error('the server ended the connection')))

  const ask = async <Row extends pg.QueryResultRow>(
    { text }: Statement,
    values: readonly unknown[],
    waitMs: number,
  ) => {
    if (over) throw new Unavailable('database', over)
    const askedAt = performance.now()
    try {
      const query = { text, values: [...values], query_timeout: waitMs }
      const { rows } = await client.query<Row>(query)
      answeredWhatWasAskedAt = askedAt
      return rows
    } catch (error) {
      if (error instanceof pg.DatabaseError) {
        // An answer too, where it is not the last.
        if (error.severity !== 'FATAL') answeredWhatWasAskedAt = askedAt
        if (error.code === readOnly) end(error)
        throw error
      }
      end(error as Error)
      throw new Unavailable('database', error)
    }
  }
  const beat = async () => {
    // A statement that is under way has its own time-out.
    if (mutex.running === 0) await mutex.run(() => ask({ text: 'SELECT 1' }, [], answerMs)).catch(() => {})
    if (!over) timer = setTimeout(beat, pollMs).unref()
  }

  return {
    async connect() {
      if (over) throw new Unavailable('database', over)
      try {
        await client.connect()
        const { processID } = client as unknown as { processID: number | null }
        const text = sessionText(processID, { silentMs: pollMs + answerMs, answerMs })
        const { rowCount } = await client.query({ text, query_timeout: answerMs } as pg.QueryConfig)
        if (rowCount === 0) throw new Pooled()
      } catch (error) {
        end(error as Error)
        throw error
      }
    },
    query: (statement, values = []) =>
      mutex.run(() => ask(statement, values, statement.patienceMs ?? answerMs + graceMs)),
    isSure: () => over === null && performance.now() - answeredWhatWasAskedAt < pollMs + answerMs,
    watch(tell) {
      if (over) throw new Unavailable('database', over)
      onLost = tell
      timer = setTimeout(beat, pollMs).unref()
    },
    lose: end,
    async close() {
      onLost = () => {}
      clearTimeout(timer)
      await mutex.run(async () => {
        if (over) return
        await withTimeout(client.end(), farewellMs).catch(() => {})
        end(new Error('closed'))
      })
    },
    destroy() {
      onLost = () => {}
      end(new Error('closed'))
    },
  }
}

/**
 * Who says nothing for so long is gone, for all the server knows: a process that was frozen, a machine that vanished.
 * The server ends such a session and with it its lock. Those before PostgreSQL 14 have no such setting, and only see
 * that a machine vanished; with a socket of the file system, keepalive means nothing and harms nothing.
 *
 * Behind a pooler the reported backend pid is not that of the server process: nothing is set, and no row returned.
 */
const sessionText = (pid: number | null, { silentMs, answerMs }: { silentMs: number; answerMs: number }) => {
  const seconds = Math.max(1, Math.floor(silentMs / 4_000))
  const wanted = [
    ['statement_timeout', answerMs],
    ['idle_session_timeout', silentMs],
    ['tcp_user_timeout', silentMs],
    ['tcp_keepalives_idle', seconds],
    ['tcp_keepalives_interval', seconds],
    ['tcp_keepalives_count', 3],
  ]
  const rows = wanted.map(([name, value]) => `('${name}', '${value}')`).join(', ')
  return `SELECT set_config(name, value, false) FROM (VALUES ${rows}) AS wanted (name, value)
    WHERE name IN (SELECT name FROM pg_settings) AND pg_backend_pid() = ${pid}`
}
