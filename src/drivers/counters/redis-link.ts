import { withTimeout } from '../../lib/timeout.ts'
import type { Logger } from '../../process/logger.ts'
import type { Redis, RedisConnection } from './redis.ts'
import type { Run } from './script.ts'

/** Redis as long as it answers. */
export interface RedisLink {
  readonly isUp: boolean
  /** What the last attempt has shown; null before the first. Slow: it answered, but too late to be up. */
  readonly health: 'up' | 'slow' | 'down' | null
  /** Rejects where Redis is away, within a fifth of a second or so; by then the link is not up any more. */
  run(run: Run): Promise<unknown>
  close(): Promise<void>
}

interface LinkOptions {
  readonly redis: Redis
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Does on this connection what it is for. What it resolves with is called if that was in time. */
  prove(connection: RedisConnection): Promise<() => void>
  onUp(): void
  readonly times: RedisTimes
}

export const redisTimes = {
  /** An answer has eight steps: 200 ms. A stall of our own event loop counts as one of them. */
  stepMs: 25,
  attemptMs: 1_000,
  retryMs: 1_000,
  /** A link that breaks off soon is tried less often, but so that it is shared within 5 s of its return. */
  mostRetryMs: 4_000,
  longLifeMs: 10_000,
  startMs: 500,
  steadyMs: 1_000,
  farewellMs: 250,
}
export type RedisTimes = Readonly<typeof redisTimes>

const mostSteps = 8

/** Waits a moment for the first connection; after that Redis may come and go, and is connected to in the background. */
export async function openRedisLink({ redis, log, prove, onUp, times }: LinkOptions): Promise<RedisLink> {
  const { stepMs, attemptMs, retryMs } = times
  let current: RedisConnection | null = null
  let upSince = 0
  let health: RedisLink['health'] = null
  let isSaidAway = false
  let isClosed = false
  let retrying: NodeJS.Timeout | null = null
  /** Oldest first. */
  const underWay = new Set<{ readonly since: number }>()
  let step = 0
  let isWatching = false
  let delayMs = retryMs

  const sayAway = (error: unknown) => {
    if (isSaidAway || isClosed) return
    isSaidAway = true
    log.warn({ err: redis.reason(error) }, 'Redis is away: each instance counts for itself until it is back')
  }

  /** When it is to stay: one that comes and goes is told of once. */
  const sayBack = (made: RedisConnection) => {
    if (current !== made) return
    health = 'up'
    log.info('Redis is back: limits are shared again')
    isSaidAway = false
  }

  const lose = (lost: RedisConnection, error: unknown) => {
    if (current !== lost) return
    current = null
    const wasIdle = underWay.size === 0
    underWay.clear()
    lost.destroy()
    // A server may close what has been idle for long: that is not away, and nobody has to hear of it.
    if (wasIdle && performance.now() - upSince > retryMs) return void attempt()
    sayAway(error)
    const isShort = performance.now() - upSince < times.longLifeMs
    // It could be connected to, and did not answer: an attempt alone would not show that.
    if (isShort) health = 'slow'
    delayMs = isShort ? Math.min(2 * delayMs, times.mostRetryMs) : retryMs
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
    // What could not be answered in time later is no proof now.
    const proven = connecting.then(() => withTimeout(proving, stepMs * mostSteps))
    try {
      const accept = await withTimeout(proven, attemptMs, undefined, false)
      if (isClosed) throw new Error('closed meanwhile')
      made.hold(true)
      accept()
      current = made
      upSince = performance.now()
    } catch (error) {
      void isLate(proving, attemptMs).then((isIt) => {
        if (current === null) health = isIt ? 'slow' : 'down'
        made.destroy()
        // It may come about after all, when nobody wants it any more.
        proving.catch(() => {}).finally(() => made.destroy())
      })
      sayAway(error)
      return tryLater()
    }
    onUp()
    if (isSaidAway) setTimeout(() => sayBack(made), times.steadyMs).unref()
    else health = 'up'
  }

  const watch = () => {
    if (isWatching) return
    isWatching = true
    // What has come by now is read before it is looked for.
    setTimeout(() => setImmediate(look), stepMs).unref()
  }

  const look = () => {
    isWatching = false
    step += 1
    const [oldest] = underWay
    if (oldest === undefined || current === null) return
    if (step - oldest.since >= mostSteps) lose(current, new Error(`no answer within ${stepMs * mostSteps} ms`))
    else watch()
  }

  await withTimeout(attempt(), times.startMs).catch(sayAway)

  return {
    get isUp() {
      return current !== null
    },
    get health() {
      return health
    },
    async run(run) {
      const asked = current
      if (asked === null) throw new Error('Redis is away')
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
    async close() {
      isClosed = true
      if (retrying) clearTimeout(retrying)
      const last = current
      current = null
      if (last === null) return
      await withTimeout(last.close(), times.farewellMs).catch(() => {})
      last.destroy()
    },
  }
}

const isLate = (proving: Promise<unknown>, attemptMs: number) =>
  withTimeout(proving, attemptMs, undefined, false).then(
    () => true,
    () => false,
  )
