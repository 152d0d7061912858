import { randomUUID } from 'node:crypto'
import type { ImageChange, ImageNews, NewsListener } from '../../images/image-news.ts'
import type { WalkStep } from '../../images/positions.ts'
import { batches } from '../../lib/batches.ts'
import { messageOf } from '../../lib/failure.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { Logger } from '../../process/logger.ts'
import { answerMs, Link, type Transport } from './link.ts'
import { type Greeting, type Message, maxSteps, readMessage, writeMessage } from './message.ts'
import { Outbox } from './outbox.ts'

const startMs = 500

/** News between the instances that share a transport. */
export class Channel implements ImageNews {
  readonly #transport: Transport
  readonly #log: Pick<Logger, 'debug' | 'warn'>
  readonly #ownFolder: string | null | undefined
  readonly #own = randomUUID()
  readonly #outbox = new Outbox()
  readonly #link: Link
  #listener: NewsListener | null = null
  /** Whether changes were missed by the time the next connection is made. */
  #isBehind = false
  #isSendingLogged = false
  #isFolderLogged = false

  /** `ownFolder`: what to greet others with, if anything. */
  constructor(transport: Transport, log: Pick<Logger, 'debug' | 'warn'>, ownFolder?: Greeting['folder']) {
    this.#transport = transport
    this.#log = log
    this.#ownFolder = ownFolder
    this.#link = new Link(transport, log, {
      onMessage: (text) => this.#hear(text),
      onConnected: () => this.#connected(),
      onAnswer: () => void this.#send(),
      onUnsupported: (message) => this.#warnOfUnsupported(message),
    })
  }

  publish(change: ImageChange): void {
    this.#outbox.add(change)
    void this.#send()
  }

  publishSteps(steps: readonly WalkStep[]): void {
    for (const some of batches(steps, maxSteps)) this.#tell({ steps: some })
  }

  async start(listener: NewsListener | null): Promise<void> {
    this.#listener = listener
    await withTimeout(this.#link.connect(), startMs, () => {})
    this.#isBehind = true
  }

  async close(): Promise<void> {
    this.#link.stop()
    await this.#send()
    this.#link.close()
  }

  #connected(): void {
    this.#greet(false)
    if (this.#isBehind) this.#listener?.onGap()
    this.#isBehind = true
    void this.#send()
  }

  #warnOfUnsupported(message: string): void {
    const apart = typeof this.#ownFolder === 'string' ? '; without S3_ENDPOINT each also has images of its own' : ''
    this.#log.warn(`changes of images are not shared with other instances: ${message}${apart}`)
  }

  #hear(text: string): void {
    const message = readMessage(text, this.#own)
    if (message === null || this.#link.isClosed) return
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
    if (this.#ownFolder !== undefined) this.#tell({ folder: this.#ownFolder, isReply })
  }

  #meet({ folder, isReply }: Greeting): void {
    if (!isReply) this.#greet(true)
    if (this.#isFolderLogged || this.#ownFolder === undefined || folder === this.#ownFolder) return
    this.#isFolderLogged = true
    this.#log.warn(
      'another instance on DATABASE_URL has its images elsewhere, so each shows only its own; set S3_ENDPOINT on all instances',
    )
  }

  /** Whether it arrives does not matter. */
  #tell(message: Message): void {
    this.#link.connection?.send(writeMessage(this.#own, message)).catch(() => {})
  }

  async #send(): Promise<void> {
    const send = (change: ImageChange) =>
      this.#link.connection && withTimeout(this.#link.connection.send(writeMessage(this.#own, change)), answerMs)
    try {
      await this.#outbox.flush(send)
      this.#isSendingLogged = false
    } catch (error) {
      // A lost connection is noticed elsewhere; the server may also be read-only or not allow publishing.
      if (!this.#isSendingLogged && this.#link.connection !== null)
        this.#log.warn({ err: messageOf(error) }, `could not share a change of an image over ${this.#transport.name}`)
      this.#isSendingLogged = true
    }
  }
}
