import type { ImageChange } from '../../images/image-news.ts'

/** Beyond it, the oldest are dropped; the other instances' listings find them. */
const maxKept = 10_000

type Send = (change: ImageChange) => Promise<unknown> | null

/** The changes that this instance publishes: those not sent yet, and those that others may have missed. */
export class Outbox {
  /** By key, since only the newest counts. */
  readonly #unsent = new Map<string, ImageChange>()
  readonly #told = new Map<string, { readonly change: ImageChange; readonly at: number }>()
  #flushing: Promise<void> | null = null

  add(change: ImageChange): void {
    keep(this.#told, change.key, { change, at: performance.now() })
    keep(this.#unsent, change.key, change)
  }

  /** Sends everything added since then again. */
  repeat(since: number, isOfGone: boolean): void {
    for (const { change, at } of this.#told.values())
      if (at >= since && (change.isGone || !isOfGone)) keep(this.#unsent, change.key, change)
  }

  /** Sends one at a time, to bound what is in flight, until `send` rejects or returns null: not connected. */
  flush(send: Send): Promise<void> {
    this.#flushing ??= this.#flush(send).finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  async #flush(send: Send): Promise<void> {
    for (const change of this.#unsent.values()) {
      const sending = send(change)
      if (sending === null) return
      this.#unsent.delete(change.key)
      await sending.catch((error) => {
        if (!this.#unsent.has(change.key)) this.#unsent.set(change.key, change)
        throw error
      })
    }
  }
}

/** Moves the newest to the end. */
function keep<T>(all: Map<string, T>, key: string, value: T): void {
  all.delete(key)
  all.set(key, value)
  const [oldest = ''] = all.keys()
  if (all.size > maxKept) all.delete(oldest)
}
