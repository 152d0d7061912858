import pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'
import type { Logger } from '../../process/logger.ts'
import { postgresSocket } from '../postgres/socket.ts'
import { codeOf, isNotOpened, isServerFull, isWaitOver } from './postgres-errors.ts'
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
const growAfterMs = 250
const warnEveryMs = 60_000
const int8 = 20

/**
 * The connection pool. When the server accepts no more connections, the pool shrinks to those that are open, and tries
 * one other now and then, until it opens.
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
  const openedAt = new Map<pg.PoolClient, number>()
  /** Connections opened before are dropped. */
  let replacedAt = -Infinity
  /** Why no other connection could be opened: the pool has shrunk. Null once one is. */
  let refusal: unknown = null
  let growing: NodeJS.Timeout | undefined
  let warnedAt = -Infinity

  // Without error listeners, a connection that the server ends would end this process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    openedAt.set(client, performance.now())
    restore()
  })
  pool.on('remove', (client) => {
    openedAt.delete(client)
    if (refusal !== null) pool.options.max = openedAt.size
  })

  const restore = () => {
    refusal = null
    pool.options.max = max
  }

  const growLater = () => {
    // Not unreferenced: at startup nothing else keeps the process alive.
    if (!pool.ending) growing ??= setTimeout(grow, growAfterMs)
  }

  const shrink = (reason: unknown) => {
    refusal = reason
    pool.options.max = openedAt.size
    growLater()
    if (performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    log?.warn(
      { connections: openedAt.size, max },
      'the database accepts no further connection: requests wait for one of the pool; raise max_connections (default_pool_size of PgBouncer) or lower DATABASE_POOL_MAX',
    )
  }

  const grow = () => {
    growing = undefined
    if (refusal === null) return
    if (pool.waitingCount === 0) return growLater()
    // Room for this attempt only: node-postgres would let waiting requests begin others, which fail with it.
    pool.options.max = pool.totalCount + 1
    const attempt = pool.connect()
    pool.options.max = openedAt.size
    attempt.then(
      (client) => client.release(),
      (error) => (isServerFull(error) || isNotOpened(error) ? shrink(error) : restore()),
    )
  }

  return {
    max,
    options: pool.options,
    /** Waits for a connection. Throws Unavailable if none is free in time or too many requests are already waiting. */
    async connect(): Promise<pg.PoolClient> {
      const deadline = performance.now() + connectMs
      for (let isRetry = false; ; isRetry = true) {
        if (pool.waitingCount > maxWaiting)
          throw new Unavailable('database', new Error('too many requests are waiting for a connection'))
        const mayOpen = refusal === null && openedAt.size < max
        try {
          const client = await pool.connect()
          if ((openedAt.get(client) ?? 0) >= replacedAt) return client
          client.release(true)
        } catch (error) {
          if (isServerFull(error)) shrink(error)
          if (isServerFull(error) && performance.now() <= deadline) continue
          // Those that are open may be fine: then wait for one of them.
          const isAttempt = isNotOpened(error) || (mayOpen && isWaitOver(error))
          if (isAttempt && openedAt.size > 0 && !isRetry) shrink(error)
          else throw new Unavailable('database', codeOf(error) === '' ? (refusal ?? error) : error)
        }
      }
    },
    isNew: (client: pg.PoolClient) => performance.now() - (openedAt.get(client) ?? 0) < newMs,
    /** Drops all connections opened so far, each when it is next taken. */
    replaceAll(): void {
      replacedAt = performance.now()
    },
    end(): Promise<void> {
      clearTimeout(growing)
      return pool.end()
    },
  }
}

export type ConnectionPool = ReturnType<typeof createPool>
