import pg from 'pg'
import { withTimeout } from '../../lib/timeout.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import type { Logger } from '../../process/logger.ts'
import { postgresSocket } from '../postgres/socket.ts'
import { codeOf, isServerFull } from './postgres-errors.ts'
import { prepareSession } from './postgres-session.ts'

export const poolTimes = {
  /** To wait for a connection or open one. */
  connectMs: 2_000,
  /** Together with `connectMs`, keeps a request under 5 s even if the server is frozen. */
  queryMs: 2_900,
  /** The server ends a statement before we give up: a slow one is told apart from a server that is away. */
  statementMs: 2_500,
  /** To set up a new session. */
  prepareMs: 750,
}
export type PoolTimes = Readonly<typeof poolTimes>

export interface PoolOptions {
  readonly max?: number
  readonly times?: Partial<PoolTimes>
  readonly log?: Pick<Logger, 'warn' | 'info'>
}

const defaultMax = 10
const maxWaiting = 1000
const newMs = 1_000
/** If a connection takes longer to open, wait for a freed one too. */
const slowMs = 250
const backoff = { firstMs: 50, maxMs: 1_000 }
const warnEveryMs = 60_000
const int8 = 20

/**
 * The connection pool. When the server accepts no more connections, the pool shrinks to those it has: requests wait for
 * one of them, while the pool tries one new connection at a time, with backoff.
 */
export function createPool(url: string, { max = defaultMax, log, times }: PoolOptions = {}) {
  const { connectMs, queryMs, ...session } = { ...poolTimes, ...times }
  const pool = new pg.Pool({
    connectionString: url,
    stream: postgresSocket,
    max,
    min: 1,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    application_name: 'menagerie',
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    } as pg.CustomTypesConfig,
    onConnect: (client) => prepareSession(client, session),
  })
  /** When each connection was opened. */
  const opened = new Map<pg.PoolClient, number>()
  /** Why the server last refused a connection. */
  let refusal: unknown = null
  let replacedAt = -Infinity
  let backoffMs = backoff.firstMs
  let retry: NodeJS.Timeout | undefined
  let warnedAt = -Infinity

  const isOpenedSince = (client: pg.PoolClient, time: number) => (opened.get(client) ?? -Infinity) >= time

  const resize = (size: number) => {
    pool.options.max = Math.min(max, size)
  }

  const shrink = (reason: unknown) => {
    refusal = reason
    resize(opened.size)
    if (retry !== undefined || pool.ending) return
    // Not unreferenced: at startup nothing else keeps the process alive.
    retry = setTimeout(growByOne, backoffMs)
    backoffMs = Math.min(backoffMs * 2, backoff.maxMs)
    if (performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    log?.warn(
      { connections: opened.size, max },
      'the database accepts no further connection: requests wait for one of the pool; raise max_connections (default_pool_size of PgBouncer) or lower DATABASE_POOL_MAX',
    )
  }

  const growByOne = async () => {
    retry = undefined
    resize(opened.size + 1)
    if (pool.waitingCount === 0 || pool.ending) return
    try {
      const client = await pool.connect()
      client.release()
    } catch (error) {
      if (isServerFull(error)) shrink(error)
    }
  }

  /** A free or new connection. */
  const take = (): Promise<pg.PoolClient> => {
    const size = pool.options.max ?? max
    const isOpening = pool.idleCount === 0 && pool.totalCount < size
    const opening = pool.connect()
    return isOpening && opened.size > 0 ? orFreed(opening) : opening
  }

  /** The new connection or, if that is slow to open, one that is freed meanwhile. */
  const orFreed = async (opening: Promise<pg.PoolClient>): Promise<pg.PoolClient> => {
    if (await isSettled(opening, slowMs)) return opening
    // With the pool full for the moment, node-postgres waits for a connection to become free.
    const { max: present = max } = pool.options
    resize(pool.totalCount)
    const waiting = pool.connect()
    resize(present)
    let isOver = false
    const unlessLate = async (taken: Promise<pg.PoolClient>) => {
      try {
        const client = await taken
        // This may be the same client as the first, used and freed meanwhile.
        if (isOver) client.release()
        return client
      } finally {
        isOver = true
      }
    }
    return Promise.race([unlessLate(opening), unlessLate(waiting)])
  }

  // Without error listeners, a connection that the server ends would end this process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    opened.set(client, performance.now())
    backoffMs = backoff.firstMs
    refusal = null
    if ((pool.options.max ?? max) < max) resize(opened.size + 1)
  })
  pool.on('remove', (client) => opened.delete(client))

  return {
    max,
    options: pool.options,
    /** Waits for a connection. Throws Unavailable if none is free in time or too many requests are already waiting. */
    async connect(): Promise<pg.PoolClient> {
      const askedAt = performance.now()
      for (let isRefused = false; ; isRefused = true) {
        if (pool.waitingCount > maxWaiting)
          throw new Unavailable('database', new Error('too many requests are waiting for a connection'))
        try {
          const client = await take()
          if ((opened.get(client) ?? 0) >= replacedAt) return client
          client.release(true)
        } catch (error) {
          if (!isServerFull(error)) throw new Unavailable('database', codeOf(error) === '' ? (refusal ?? error) : error)
          shrink(error)
          // The next attempt waits for a pooled connection, with its own timeout, however long this refusal took.
          if (isRefused && performance.now() - askedAt > connectMs) throw new Unavailable('database', error)
        }
      }
    },
    /**
     * Call this when the server rejected a write as read-only. Drops every connection opened so far, so that the next
     * one reaches the new primary. Returns false if this connection is itself new: then there is no primary to reach.
     */
    replaceSince(client: pg.PoolClient): boolean {
      if (isOpenedSince(client, performance.now() - newMs)) return false
      replacedAt = performance.now()
      return true
    },
    isOpenedSince,
    end(): Promise<void> {
      clearTimeout(retry)
      return pool.end()
    },
  }
}

const isSettled = (promise: Promise<unknown>, withinMs: number) => {
  const settled = () => true
  return withTimeout(promise.then(settled, settled), withinMs, () => false)
}

export type ConnectionPool = ReturnType<typeof createPool>
