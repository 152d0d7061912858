import { withTimeout } from '../../lib/timeout.ts'
import type { Logger } from '../../process/logger.ts'
import { withoutStack } from '../../process/outages.ts'
import type { Redis, RedisConnection } from './redis.ts'
import type { Run } from './script.ts'

interface LinkOptions {
  readonly redis: Redis
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Tests a new connection. The function it resolves with is called if the test was in time. */
  prove(connection: RedisConnection): Promise<() => void>
  onUp(): void
  readonly times: RedisTimes
}

export const redisTimes = {
  /** A reply may take eight steps, 200 ms. A stall of our own event loop counts as one step. */
  stepMs: 25,
  attemptMs: 1_000,
  retryMs: 1_000,
  /** Backoff; short enough to share counters within 5 s of Redis' return. */
  maxRetryMs: 4_000,
  longLifeMs: 10_000,
  startMs: 500,
  steadyMs: 1_000,
  closeMs: 250,
}
export type RedisTimes = Readonly<typeof redisTimes>

const maxSteps = 8

/**
 * A connection to Redis that is replaced when it stops responding. Waits briefly for the first connection; later ones
 * are made in the background.
 */
export async function openRedisLink({ redis, log, prove, onUp, times }: LinkOptions) {
  const { stepMs, attemptMs, retryMs } = times
  let current: RedisConnection | null = null
  let upSince = 0
  let health: 'up' | 'slow' | 'down' | null = null
  let isOutageLogged = false
  let isClosed = false
  let retrying: NodeJS.Timeout | null = null
  /** Oldest first. */
  const underWay = new Set<{ readonly since: number }>()
  let step = 0
  let isWatching = false
  let delayMs = retryMs

  const logUnavailable = (error: unknown) => {
    if (isOutageLogged || isClosed) return
    isOutageLogged = true
    log.warn(
      { err: withoutStack(redis.reason(error)) },
      'Redis is unavailable: each instance counts on its own until it is back',
    )
  }

  /** Logged only after the link has been stable for a while, so that a flapping link does not fill the log. */
  const logBack = (made: RedisConnection) => {
    if (current !== made) return
    health = 'up'
    log.info('Redis is back: limits are shared again')
    isOutageLogged = false
  }

  const lose = (lost: RedisConnection, error: unknown) => {
    if (current !== lost) return
    current = null
    const wasIdle = underWay.size === 0
    underWay.clear()
    lost.destroy()
    // A server may close a connection that was idle for long: that is no outage.
    if (wasIdle && performance.now() - upSince > retryMs) return void attempt()
    logUnavailable(error)
    const isShort = performance.now() - upSince < times.longLifeMs
    // It accepted a connection and then did not respond, which a new attempt alone would not show.
    if (isShort) health = 'slow'
    delayMs = isShort ? Math.min(2 * delayMs, times.maxRetryMs) : retryMs
    tryLater()
  }

  const tryLater = () => {
    if (!isClosed) retrying = setTimeout(attempt, delayMs).unref()
  }

  const attempt = async () => {
    const made = redis.connection((error) => lose(made, error))
    made.hold(false)
    const connecting = made.connect()
    const proving = connecting.then(() => prove(made))
    // A test that takes longer than a command may does not pass.
    const proven = connecting.then(() => withTimeout(proving, stepMs * maxSteps))
    try {
      const accept = await withTimeout(proven, attemptMs, undefined, false)
      if (isClosed) throw new Error('the connection was closed')
      made.hold(true)
      accept()
      current = made
      upSince = performance.now()
    } catch (error) {
      void isLate(proving, attemptMs).then((isIt) => {
        if (current === null) health = isIt ? 'slow' : 'down'
        made.destroy()
        // The connection may still be established after we gave up.
        proving.catch(() => {}).finally(() => made.destroy())
      })
      logUnavailable(error)
      return tryLater()
    }
    onUp()
    if (isOutageLogged) setTimeout(() => logBack(made), times.steadyMs).unref()
    else health = 'up'
  }

  const watch = () => {
    if (isWatching) return
    isWatching = true
    // Replies that have arrived by now are read first.
    setTimeout(() => setImmediate(look), stepMs).unref()
  }

  const look = () => {
    isWatching = false
    step += 1
    const [oldest] = underWay
    if (oldest === undefined || current === null) return
    if (step - oldest.since >= maxSteps) lose(current, new Error(`no response within ${stepMs * maxSteps} ms`))
    else watch()
  }

  await withTimeout(attempt(), times.startMs).catch(logUnavailable)

  return {
    get isUp(): boolean {
      return current !== null
    },
    /** The result of the last attempt; null before the first. `slow`: Redis responded too late to count as up. */
    get health() {
      return health
    },
    /** Rejects within about 200 ms if Redis does not respond; from then on the link is down. */
    async run(run: Run): Promise<unknown> {
      const asked = current
      if (asked === null) throw new Error('Redis is unavailable')
      const command = { since: step }
      underWay.add(command)
      watch()
      try {
        return await asked.run(run)
      } catch (error) {
        lose(asked, error)
        throw error
      } finally {
        underWay.delete(command)
      }
    },
    async close(): Promise<void> {
      isClosed = true
      if (retrying) clearTimeout(retrying)
      const last = current
      current = null
      if (last === null) return
      await withTimeout(last.close(), times.closeMs).catch(() => {})
      last.destroy()
    },
  }
}

export type RedisLink = Awaited<ReturnType<typeof openRedisLink>>

const isLate = (proving: Promise<unknown>, attemptMs: number) =>
  withTimeout(proving, attemptMs, undefined, false).then(
    () => true,
    () => false,
  )
