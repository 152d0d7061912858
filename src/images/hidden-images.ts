import { PolledCopy } from './polled-copy.ts'
import type { Reports } from './reports.ts'

/** Called with the names that were hidden or are shown again. Must not throw. */
type Listener = (names: ReadonlySet<string>, isHidden: boolean) => void

/**
 * The names of hidden images, as in the database: every instance checks for changes once a second. visible-catalogue.ts
 * keeps them out of every choice, proxy.ts out of `/i`.
 */
export class HiddenImages extends PolledCopy {
  readonly #reports: Pick<Reports, 'hidden' | 'hiddenVersion'>
  readonly #listeners: Listener[] = []
  #names: ReadonlySet<string> = new Set()
  #version = -1

  constructor(reports: Pick<Reports, 'hidden' | 'hiddenVersion'>) {
    super()
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

  protected override async read(): Promise<void> {
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
