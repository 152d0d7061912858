import pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'
import type { Logger } from '../../process/logger.ts'
import { postgresSocket } from '../postgres/socket.ts'
import { codeOf, isNotOpened, isServerFull } from './postgres-errors.ts'
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
const tryAfterMs = 250
const warnEveryMs = 60_000
const int8 = 20

/** No other connection can be opened, but those that are open may still work. */
const isRefusal = (error: unknown) => isServerFull(error) || isNotOpened(error)

/**
 * The connection pool. When the server accepts no more connections, requests share those that are open, and one other
 * is tried now and then.
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
  /** Why no other connection could be opened: only one is tried now and then. Null once one is. */
  let refusal: unknown = null
  let retrying: NodeJS.Timeout | undefined
  let warnedAt = -Infinity

  // Without error listeners, a connection that the server ends would end this process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    openedAt.set(client, performance.now())
    refusal = null
  })
  pool.on('remove', (client) => {
    openedAt.delete(client)
    openIfWanted()
  })

  // node-postgres would let waiting requests begin connections when another one fails, and fail with them.
  pool.options.max = 0
  /** Opens a connection if none is idle and there are fewer than `room`; else waits for one. */
  const connect = (room: number): Promise<pg.PoolClient> => {
    pool.options.max = room
    const connection = pool.connect()
    pool.options.max = 0
    return connection
  }

  const isWanted = () => pool.waitingCount > 0 && pool.idleCount === 0 && pool.totalCount < max && !pool.ending

  const openOne = () =>
    void connect(max).then(
      (client) => client.release(),
      (error) => {
        if (isRefusal(error)) shareOpenOnes(error)
        else refusal = null
      },
    )

  const openIfWanted = () => {
    if (refusal === null && isWanted()) openOne()
  }

  const tryAgain = () => {
    retrying = undefined
    if (refusal === null) return
    if (isWanted()) openOne()
    else tryLater()
  }

  const tryLater = () => {
    // Not unreferenced: at startup nothing else keeps the process alive.
    if (!pool.ending) retrying ??= setTimeout(tryAgain, tryAfterMs)
  }

  /** Until another one can be opened. */
  const shareOpenOnes = (reason: unknown) => {
    refusal = reason
    tryLater()
    if (performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    log?.warn(
      { connections: openedAt.size, max },
      isServerFull(reason)
        ? 'the database accepts no further connection: requests wait for one of the pool; raise max_connections (default_pool_size of PgBouncer) or lower DATABASE_POOL_MAX'
        : `no further connection to the database opens within ${connectMs} ms: requests wait for one of the pool`,
    )
  }

  return {
    max,
    options: pool.options,
    /** Waits for a connection. Throws Unavailable if none is free in time or too many requests are already waiting. */
    async connect(): Promise<pg.PoolClient> {
      const deadline = performance.now() + connectMs
      for (let mayWait = true; ; ) {
        if (pool.waitingCount > maxWaiting)
          throw new Unavailable('database', new Error('too many requests are waiting for a connection'))
        try {
          const connection = connect(refusal === null ? max : 0)
          // If one connection is idle, node-postgres lets all requests of a turn wait for it.
          process.nextTick(openIfWanted)
          const client = await connection
          // While no other can be opened, one of before is better than none.
          if (refusal !== null || (openedAt.get(client) ?? 0) >= replacedAt) return client
          client.release(true)
        } catch (error) {
          const mayShare = isRefusal(error) && openedAt.size > 0 && mayWait
          if (mayShare || isServerFull(error)) shareOpenOnes(error)
          if (isServerFull(error) && performance.now() <= deadline) continue
          if (!mayShare) throw new Unavailable('database', codeOf(error) === '' ? (refusal ?? error) : error)
          mayWait = false
        }
      }
    },
    isNew: (client: pg.PoolClient) => performance.now() - (openedAt.get(client) ?? 0) < newMs,
    /** Drops all connections opened so far, each when it is next taken. */
    replaceAll(): void {
      replacedAt = performance.now()
    },
    end(): Promise<void> {
      clearTimeout(retrying)
      return pool.end()
    },
  }
}

export type ConnectionPool = ReturnType<typeof createPool>
