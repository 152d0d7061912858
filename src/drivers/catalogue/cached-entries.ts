import type { CatalogueEntry } from '../../images/catalogue.ts'

/** For all kinds together: about 8 MB, including their descriptors as JSON. */
const maxEntries = 16_384

/** Shared by all kinds of a catalogue. */
export interface Budget {
  entries: number
}

export const newBudget = (): Budget => ({ entries: maxEntries })

/** Entries by ordinal, kept in memory until they may have changed. Pays off for small kinds, whose picks repeat. */
export class CachedEntries {
  readonly #budget: Budget
  readonly #read: (ordinals: readonly number[]) => CatalogueEntry[]
  #entries: (CatalogueEntry | undefined)[] = []
  #version = 0

  /** `read` skips ordinals without an entry. */
  constructor(budget: Budget, read: (ordinals: readonly number[]) => CatalogueEntry[]) {
    this.#budget = budget
    this.#read = read
  }

  /** `count` is that of the kind; `version` is that of the data, which other processes change. */
  at(ordinals: readonly number[], count: number, version: number): CatalogueEntry[] {
    if (version !== this.#version || count !== this.#entries.length) this.discard()
    if (this.#entries.length === 0 && !this.#reserve(count)) return this.#read(ordinals)
    this.#version = version
    const missing = ordinals.filter((ordinal) => this.#entries[ordinal] === undefined)
    const found = missing.length === 0 ? [] : this.#read(missing)
    if (found.length < missing.length) return this.#read(ordinals)
    for (const [index, ordinal] of missing.entries())
      this.#entries[ordinal] = { ...(found[index] as CatalogueEntry), isCached: true }
    return ordinals.map((ordinal) => this.#entries[ordinal] as CatalogueEntry)
  }

  discard(): void {
    this.#budget.entries += this.#entries.length
    this.#entries = []
  }

  #reserve(count: number): boolean {
    if (count > this.#budget.entries) return false
    this.#budget.entries -= count
    this.#entries = new Array(count)
    return true
  }
}
