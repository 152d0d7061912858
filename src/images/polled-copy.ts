/** A copy of what is in the database, which every instance keeps up to date by checking for changes once a second. */
export abstract class PolledCopy {
  #refreshing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null

  /** Reads what has changed. */
  protected abstract read(): Promise<void>

  /** One at a time, so that no older result replaces a newer one. */
  refresh(): Promise<void> {
    const next = this.#refreshing.then(() => this.read())
    this.#refreshing = next.catch(() => {})
    return next
  }

  start(delayMs = pollMs): void {
    const poll = async () => {
      // Readiness logs that the database is unavailable.
      await this.refresh().catch(() => {})
      if (this.#timer) this.start()
    }
    this.#timer = setTimeout(poll, delayMs).unref()
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#refreshing
  }
}

const pollMs = 1_000
