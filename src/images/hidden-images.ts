import type { Reports } from './reports.ts'

/** Called with the names that were hidden or are shown again. Must not throw. */
type Listener = (names: ReadonlySet<string>, isHidden: boolean) => void

const pollMs = 1_000

/**
 * The names of hidden images, as in the database: every instance checks for changes once a second. visible-catalogue.ts
 * keeps them out of every choice, proxy.ts out of `/i`.
 */
export class HiddenImages {
  readonly #reports: Pick<Reports, 'hidden' | 'hiddenVersion'>
  readonly #listeners: Listener[] = []
  #names: ReadonlySet<string> = new Set()
  #version = -1
  #refreshing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null

  constructor(reports: Pick<Reports, 'hidden' | 'hiddenVersion'>) {
    this.#reports = reports
  }

  /** Not before the database has been read for the first time. */
  get isKnown(): boolean {
    return this.#version >= 0
  }

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  get names(): ReadonlySet<string> {
    return this.#names
  }

  has(key: string): boolean {
    return this.#names.has(key)
  }

  /** The listener gets the current names at once. */
  subscribe(listener: Listener): void {
    this.#listeners.push(listener)
    listener(this.#names, true)
  }

  /** One at a time, so that no older result replaces a newer one. */
  refresh(): Promise<void> {
    const next = this.#refreshing.then(() => this.#refresh())
    this.#refreshing = next.catch(() => {})
    return next
  }

  start(): void {
    const poll = async () => {
      // Readiness logs that the database is unavailable.
      await this.refresh().catch(() => {})
      if (this.#timer) this.start()
    }
    this.#timer = setTimeout(poll, pollMs).unref()
  }

  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#refreshing
  }

  async #refresh(): Promise<void> {
    const version = await this.#reports.hiddenVersion()
    if (version === this.#version) return
    const [old, names] = [this.#names, new Set(await this.#reports.hidden())]
    this.#names = names
    this.#version = version
    for (const listener of this.#listeners) {
      listener(names.difference(old), true)
      listener(old.difference(names), false)
    }
  }
}
