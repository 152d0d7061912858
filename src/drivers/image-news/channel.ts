import { randomUUID } from 'node:crypto'
import type { ImageChange, ImageNews, NewsListener } from '../../images/image-news.ts'
import type { WalkStep } from '../../images/positions.ts'
import { batches } from '../../lib/batches.ts'
import { messageOf } from '../../lib/failure.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { Logger } from '../../process/logger.ts'
import { type Greeting, type Message, maxSteps, readMessage, writeMessage } from './message.ts'
import { Outbox } from './outbox.ts'

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

const startMs = 500
const answerMs = 2_000
const pingMs = 2_000
const backoff = { minMs: 100, maxMs: 4_000, resetMs: 10_000 }

/** News over a connection that is replaced when lost. */
export class Channel implements ImageNews {
  readonly #transport: Transport
  readonly #log: Pick<Logger, 'debug' | 'warn'>
  readonly #ownFolder: string | null | undefined
  readonly #own = randomUUID()
  readonly #outbox = new Outbox()
  #listener: NewsListener | null = null
  #connection: Connection | null = null
  #upSince = 0
  #isClosed = false
  /** Whether changes were missed by the time the next connection is made. */
  #isBehind = false
  /** Other outages are logged by the room that counts or stores there. */
  #isRefusalLogged = false
  #isSendingLogged = false
  #isFolderLogged = false
  #delayMs = backoff.minMs
  #timer: NodeJS.Timeout | undefined

  /** `ownFolder`: what to greet others with, if anything. */
  constructor(transport: Transport, log: Pick<Logger, 'debug' | 'warn'>, ownFolder?: Greeting['folder']) {
    this.#transport = transport
    this.#log = log
    this.#ownFolder = ownFolder
  }

  publish(change: ImageChange): void {
    this.#outbox.add(change)
    void this.#send()
  }

  publishSteps(steps: readonly WalkStep[]): void {
    for (const some of batches(steps, maxSteps))
      this.#connection?.send(writeMessage(this.#own, { steps: some })).catch(() => {})
  }

  async start(listener: NewsListener | null): Promise<void> {
    this.#listener = listener
    await withTimeout(this.#attempt(), startMs, () => {})
    this.#isBehind = true
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#send()
    this.#connection?.destroy()
    this.#connection = null
  }

  async #attempt(): Promise<void> {
    let made: Connection | null = null
    const lose = (reason: unknown) => {
      if (made !== null && made === this.#connection) this.#lose(made, reason)
    }
    try {
      made = await this.#transport.connect((text) => this.#hear(text), lose)
    } catch (error) {
      return this.#failed(error)
    }
    if (this.#isClosed) return made.destroy()
    this.#connection = made
    this.#upSince = performance.now()
    this.#isRefusalLogged = false
    this.#greet(false)
    if (this.#isBehind) this.#listener?.onGap()
    this.#isBehind = true
    void this.#send()
    this.#watch(made)
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return
    const { name } = this.#transport
    if (error instanceof Unsupported) {
      this.#isClosed = true
      const apart = typeof this.#ownFolder === 'string' ? '; without S3_ENDPOINT each also has images of its own' : ''
      return this.#log.warn(`changes of images are not shared with other instances: ${error.message}${apart}`)
    }
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
    this.#timer = setTimeout(() => this.#attempt(), this.#delayMs).unref()
    this.#delayMs = Math.min(this.#delayMs * 2, backoff.maxMs)
  }

  /** Pings, since a server that vanishes does not say so. */
  #watch(connection: Connection): void {
    const ping = async () => {
      try {
        await withTimeout(connection.ping(), answerMs)
        if (this.#connection !== connection) return
        this.#watch(connection)
        void this.#send()
      } catch (error) {
        if (this.#connection === connection) this.#lose(connection, error)
      }
    }
    this.#timer = setTimeout(ping, pingMs).unref()
  }

  #hear(text: string): void {
    const message = readMessage(text, this.#own)
    if (message === null || this.#isClosed) return
    try {
      this.#take(message)
    } catch (error) {
      this.#log.warn({ err: error }, 'could not follow a change of an image; the next listing will')
    }
  }

  #take(message: Message): void {
    if ('folder' in message) this.#meet(message)
    else if ('steps' in message) this.#listener?.onSteps(message.steps)
    else this.#listener?.onChange(message)
  }

  #greet(isReply: boolean): void {
    if (this.#ownFolder === undefined) return
    this.#connection?.send(writeMessage(this.#own, { folder: this.#ownFolder, isReply })).catch(() => {})
  }

  #meet({ folder, isReply }: Greeting): void {
    if (!isReply) this.#greet(true)
    if (this.#isFolderLogged || this.#ownFolder === undefined || folder === this.#ownFolder) return
    this.#isFolderLogged = true
    this.#log.warn(
      'another instance on DATABASE_URL has its images elsewhere, so each shows only its own; set S3_ENDPOINT on all instances',
    )
  }

  async #send(): Promise<void> {
    const send = (change: ImageChange) =>
      this.#connection && withTimeout(this.#connection.send(writeMessage(this.#own, change)), answerMs)
    try {
      await this.#outbox.flush(send)
      this.#isSendingLogged = false
    } catch (error) {
      // A lost connection is noticed elsewhere; the server may also be read-only or not allow publishing.
      if (!this.#isSendingLogged && this.#connection !== null)
        this.#log.warn({ err: messageOf(error) }, `could not share a change of an image over ${this.#transport.name}`)
      this.#isSendingLogged = true
    }
  }
}
