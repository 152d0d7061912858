import type { ImageChange } from '../../images/image-news.ts'

/** Beyond it, the oldest are dropped; the other instances' listings find them. */
const maxKept = 10_000

type Send = (change: ImageChange) => Promise<unknown> | null

/** The changes that this instance has not sent yet. */
export class Outbox {
  /** By key, since only the newest counts. */
  readonly #unsent = new Map<string, ImageChange>()
  #flushing: Promise<void> | null = null

  add(change: ImageChange): void {
    // Moved to the end.
    this.#unsent.delete(change.key)
    this.#unsent.set(change.key, change)
    const [oldest = ''] = this.#unsent.keys()
    if (this.#unsent.size > maxKept) this.#unsent.delete(oldest)
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
