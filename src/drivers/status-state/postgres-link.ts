import pg from 'pg'
import { createSemaphore } from '../../lib/semaphore.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import { postgresSocket } from '../postgres/socket.ts'

export interface Pace {
  /** How often an idle connection polls, for the lock or for whether the server still responds. */
  readonly pollMs: number
  /** The timeout of a statement. */
  readonly answerMs: number
}

interface Statement {
  readonly text: string
  /** A longer timeout than `answerMs`; the statement sets the server's own. */
  readonly timeoutMs?: number
}

/** One at a time. Rejects with the server's error, or with Unavailable if the connection has ended. */
export type Query = <Row extends object>(statement: Statement, values?: readonly unknown[]) => Promise<Row[]>

/** Thrown behind a connection pooler: each transaction may run on another session, so no lock can be held. */
export class Pooled extends Error {}

const int8 = 20
/** SQLSTATE of a write on a read-only server. */
const readOnly = '25006'
const connectMs = 2_000
/** On top of the server's own statement_timeout. */
const graceMs = 1_000
const farewellMs = 1_000

export type Link = ReturnType<typeof createLink>

/** A single connection, never reconnected: its advisory lock lasts exactly as long as it does. */
export function createLink(url: string, { pollMs, answerMs }: Pace, name = 'menagerie status worker') {
  const socket = postgresSocket()
  const client = new pg.Client({
    connectionString: url,
    stream: () => socket,
    connectionTimeoutMillis: connectMs,
    application_name: name,
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

  const send = async <Row extends object>({ text }: Statement, values: readonly unknown[], waitMs: number) => {
    if (over) throw new Unavailable('database', over)
    const askedAt = performance.now()
    try {
      const config = { text, values: [...values], query_timeout: waitMs }
      const { rows } = await client.query<Row & pg.QueryResultRow>(config)
      answeredWhatWasAskedAt = askedAt
      return rows
    } catch (error) {
      if (error instanceof pg.DatabaseError) {
        // An error is a response too, unless it ends the session.
        if (error.severity !== 'FATAL') answeredWhatWasAskedAt = askedAt
        if (error.code === readOnly) end(error)
        throw error
      }
      end(error as Error)
      throw new Unavailable('database', error)
    }
  }
  const query: Query = (statement, values = []) => send(statement, values, statement.timeoutMs ?? answerMs + graceMs)
  const beat = async () => {
    // A running statement has its own timeout.
    if (mutex.running === 0) await mutex.run(() => send({ text: 'SELECT 1' }, [], answerMs)).catch(() => {})
    if (!over) timer = setTimeout(beat, pollMs).unref()
  }

  return {
    /** Throws Pooled behind a connection pooler. */
    async connect(): Promise<void> {
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
    query: ((statement, values) => mutex.run(() => query(statement, values))) as Query,
    /** Nothing else is sent in between. */
    alone: <T>(act: (query: Query) => Promise<T>): Promise<T> => mutex.run(() => act(query)),
    /** Whether the server has responded recently enough that it cannot have ended the session. */
    isSure: () => over === null && performance.now() - answeredWhatWasAskedAt < pollMs + answerMs,
    /** Starts polling. Calls `tell` once, unless this side closes the connection. */
    watch(tell: (reason: Error) => void): void {
      if (over) throw new Unavailable('database', over)
      onLost = tell
      timer = setTimeout(beat, pollMs).unref()
    },
    /** Closes it and tells. */
    lose: end,
    /** Waits for the running statement. */
    async close(): Promise<void> {
      onLost = () => {}
      clearTimeout(timer)
      await mutex.run(async () => {
        if (over) return
        await withTimeout(client.end(), farewellMs).catch(() => {})
        end(new Error('closed'))
      })
    },
    destroy(): void {
      onLost = () => {}
      end(new Error('closed'))
    },
  }
}

/**
 * Makes the server end the session, and so release its lock, when the client is silent for that long. Before PostgreSQL
 * 14 there is no idle_session_timeout, and only keepalive detects a vanished machine. Behind a pooler the backend pid
 * differs from the reported one; nothing is then set and no row returned.
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
