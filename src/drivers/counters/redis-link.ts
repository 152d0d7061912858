import { withTimeout } from '../../lib/timeout.ts'
import type { Logger } from '../../process/logger.ts'
import { withoutStack } from '../../process/outages.ts'
import type { Redis, RedisConnection } from './redis.ts'
import { createReplyWatch } from './reply-watch.ts'
import type { Run } from './script.ts'

export interface LinkUses {
  /** Tests a new connection. The function that it resolves to is called if the test was in time. */
  prove(connection: Pick<RedisConnection, 'run'>): Promise<() => void>
  onUp(): void
}

interface LinkOptions extends LinkUses {
  readonly redis: Pick<Redis, 'connection' | 'reason'>
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly times: RedisTimes
}

export const redisTimes = {
  /** A reply may take eight steps, 200 ms. */
  stepMs: 25,
  attemptMs: 1_000,
  retryMs: 1_000,
  /** Max backoff: short enough to share counters within 5 s of Redis' recovery. */
  maxRetryMs: 4_000,
  longLifeMs: 10_000,
  startMs: 500,
  steadyMs: 1_000,
  closeMs: 250,
}
export type RedisTimes = Readonly<typeof redisTimes>

const maxSteps = 8

/** Waits briefly for the first connection; later ones are made in the background. */
export async function openRedisLink(options: LinkOptions): Promise<RedisLink> {
  const link = new RedisLink(options)
  await link.open()
  return link
}

/** A connection to Redis that is replaced when it stops responding. */
export class RedisLink {
  readonly #options: LinkOptions
  readonly #outage: ReturnType<typeof createOutageLog>
  readonly #replies
  #current: RedisConnection | null = null
  #upSince = 0
  #health: 'up' | 'slow' | 'down' | null = null
  #isClosed = false
  #retrying: NodeJS.Timeout | null = null
  #delayMs: number

  constructor(options: LinkOptions) {
    const { stepMs, retryMs } = options.times
    this.#options = options
    this.#outage = createOutageLog(options)
    this.#delayMs = retryMs
    this.#replies = createReplyWatch(stepMs, maxSteps, () => {
      if (this.#current !== null) this.#lose(this.#current, new Error(`no response within ${stepMs * maxSteps} ms`))
    })
  }

  get isUp(): boolean {
    return this.#current !== null
  }

  /** The result of the last attempt; null before the first. `slow`: Redis responded too late to count as up. */
  get health() {
    return this.#health
  }

  open(): Promise<void> {
    return withTimeout(this.#attempt(), this.#options.times.startMs).catch((error) => this.#logUnavailable(error))
  }

  /** Rejects within about 200 ms if Redis does not respond; the link is then down. */
  run(run: Run): Promise<unknown> {
    return this.#ask((connection) => connection.run(run))
  }

  /** So that `health` is right though nothing else may be sent. Never rejects. */
  async check(): Promise<void> {
    if (this.#replies.isIdle) await this.#ask((connection) => connection.ping()).catch(() => {})
  }

  async #ask(act: (connection: RedisConnection) => Promise<unknown>): Promise<unknown> {
    const asked = this.#current
    if (asked === null) throw new Error('Redis is unavailable')
    const command = this.#replies.begin()
    try {
      return await act(asked)
    } catch (error) {
      this.#lose(asked, error)
      throw error
    } finally {
      this.#replies.end(command)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retrying) clearTimeout(this.#retrying)
    const last = this.#current
    this.#current = null
    if (last === null) return
    await withTimeout(last.close(), this.#options.times.closeMs).catch(() => {})
    last.destroy()
  }

  async #attempt(): Promise<void> {
    const { redis, prove, onUp, times } = this.#options
    const made = redis.connection((error) => this.#lose(made, error))
    made.hold(false)
    const connecting = made.connect()
    const proving = connecting.then(() => prove(made))
    // A test that takes longer than a command is allowed to take has failed.
    const proven = connecting.then(() => withTimeout(proving, times.stepMs * maxSteps))
    try {
      const accept = await withTimeout(proven, times.attemptMs, undefined, false)
      if (this.#isClosed) throw new Error('the connection was closed')
      made.hold(true)
      accept()
      this.#current = made
      this.#upSince = performance.now()
    } catch (error) {
      void this.#giveUp(made, proving)
      this.#logUnavailable(error)
      return this.#tryLater()
    }
    onUp()
    const onStable = () => {
      if (this.#current !== made) return false
      this.#health = 'up'
      return true
    }
    if (!this.#outage.end(onStable)) this.#health = 'up'
  }

  async #giveUp(made: RedisConnection, proving: Promise<unknown>): Promise<void> {
    const isSlow = await isLate(proving, this.#options.times.attemptMs)
    if (this.#current === null) this.#health = isSlow ? 'slow' : 'down'
    made.destroy()
    // The connection may still be established after we gave up.
    proving.catch(() => {}).finally(() => made.destroy())
  }

  #lose(lost: RedisConnection, error: unknown): void {
    if (this.#current !== lost) return
    const { retryMs, longLifeMs, maxRetryMs } = this.#options.times
    this.#current = null
    const wasIdle = this.#replies.isIdle
    this.#replies.forget()
    lost.destroy()
    const upMs = performance.now() - this.#upSince
    // A server may close a connection that has long been idle: that is not an outage.
    if (wasIdle && upMs > retryMs) return void this.#attempt()
    this.#logUnavailable(error)
    const isShort = upMs < longLifeMs
    // Redis accepted a connection and then did not respond, which a new attempt alone would not show.
    if (isShort) this.#health = 'slow'
    this.#delayMs = isShort ? Math.min(2 * this.#delayMs, maxRetryMs) : retryMs
    this.#tryLater()
  }

  #tryLater(): void {
    if (!this.#isClosed) this.#retrying = setTimeout(() => this.#attempt(), this.#delayMs).unref()
  }

  #logUnavailable(error: unknown): void {
    if (!this.#isClosed) this.#outage.begin(error)
  }
}

/** Logs one line for an outage, and one once the link has been stable for a while, so that flapping is not logged. */
function createOutageLog({ redis, log, times }: LinkOptions) {
  let isLogged = false
  return {
    begin(error: unknown): void {
      if (isLogged) return
      isLogged = true
      const reason = withoutStack(redis.reason(error))
      log.warn({ err: reason }, 'Redis is unavailable: each instance counts on its own until it is back')
    },
    /** False if there was no outage. `isStable` is checked after a while. */
    end(isStable: () => boolean): boolean {
      const wasLogged = isLogged
      const tell = () => {
        if (!isStable()) return
        log.info('Redis is back: limits are shared again')
        isLogged = false
      }
      if (wasLogged) setTimeout(tell, times.steadyMs).unref()
      return wasLogged
    },
  }
}

const isLate = (proving: Promise<unknown>, attemptMs: number) =>
  withTimeout(proving, attemptMs, undefined, false).then(
    () => true,
    () => false,
  )
