import { messageOf } from '../../lib/failure.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { Logger } from '../../process/logger.ts'

export interface Connection {
  send(message: string): Promise<unknown>
  ping(): Promise<unknown>
  destroy(): void
}

export interface Transport {
  /** For the log. */
  readonly name: string
  /** Resolves once subscribed; rejects with Unsupported if that is impossible. */
  connect(onMessage: (text: string) => void, onLost: (reason: unknown) => void): Promise<Connection>
}

/** Retrying does not help. The message says why and what to do. */
export class Unsupported extends Error {}

interface LinkEvents {
  onMessage(text: string): void
  onConnected(): void
  /** Again and again while connected. */
  onAnswer(): void
  /** There will be no connection. */
  onUnsupported(message: string): void
}

export const answerMs = 2_000
const pingMs = 2_000
const backoff = { minMs: 100, maxMs: 4_000, resetMs: 10_000 }

/** A connection that is replaced when lost. */
export class Link {
  readonly #transport: Transport
  readonly #log: Pick<Logger, 'debug' | 'warn'>
  readonly #events: LinkEvents
  #connection: Connection | null = null
  #upSince = 0
  #isClosed = false
  /** Other outages are logged by the room that counts or stores there. */
  #isRefusalLogged = false
  #delayMs = backoff.minMs
  #timer: NodeJS.Timeout | undefined

  constructor(transport: Transport, log: Pick<Logger, 'debug' | 'warn'>, events: LinkEvents) {
    this.#transport = transport
    this.#log = log
    this.#events = events
  }

  /** Null while it is lost. */
  get connection(): Connection | null {
    return this.#connection
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async connect(): Promise<void> {
    let made: Connection | null = null
    const lose = (reason: unknown) => {
      if (made !== null && made === this.#connection) this.#lose(made, reason)
    }
    try {
      made = await this.#transport.connect((text) => this.#events.onMessage(text), lose)
    } catch (error) {
      return this.#failed(error)
    }
    if (this.#isClosed) return made.destroy()
    this.#connection = made
    this.#upSince = performance.now()
    this.#isRefusalLogged = false
    this.#events.onConnected()
    this.#watch(made)
  }

  /** No other is made from now on. */
  stop(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  close(): void {
    this.#connection?.destroy()
    this.#connection = null
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return
    if (error instanceof Unsupported) {
      this.#isClosed = true
      return this.#events.onUnsupported(error.message)
    }
    const { name } = this.#transport
    const text = messageOf(error)
    if (/permission/i.test(text) && !this.#isRefusalLogged) {
      this.#log.warn(
        { err: text },
        `${name} does not let instances share changes of images; they show at the next listing`,
      )
      this.#isRefusalLogged = true
    } else this.#log.debug({ err: text }, `no connection to ${name} for changes of images`)
    this.#tryLater()
  }

  #lose(connection: Connection, reason: unknown): void {
    this.#connection = null
    clearTimeout(this.#timer)
    connection.destroy()
    if (this.#isClosed) return
    if (performance.now() - this.#upSince > backoff.resetMs) this.#delayMs = backoff.minMs
    this.#log.debug({ err: messageOf(reason) }, `lost the connection to ${this.#transport.name} for changes of images`)
    this.#tryLater()
  }

  #tryLater(): void {
    this.#timer = setTimeout(() => this.connect(), this.#delayMs).unref()
    this.#delayMs = Math.min(this.#delayMs * 2, backoff.maxMs)
  }

  /** Pings, since a server that vanishes does not say so. */
  #watch(connection: Connection): void {
    const ping = async () => {
      try {
        await withTimeout(connection.ping(), answerMs)
        if (this.#connection !== connection) return
        this.#watch(connection)
        this.#events.onAnswer()
      } catch (error) {
        if (this.#connection === connection) this.#lose(connection, error)
      }
    }
    this.#timer = setTimeout(ping, pingMs).unref()
  }
}
