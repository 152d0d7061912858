import type { CatalogueEntry } from '../../images/catalogue.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { DrawnAhead } from './drawn-ahead.ts'
import { prepareEntries } from './entry-rows.ts'
import { type Budget, HeldEntries } from './held-entries.ts'

/** What all kinds of a catalogue share. */
export interface Picking {
  readonly random: () => number
  readonly budget: Budget
}

interface Ordinals {
  /** The slot of ordinal 0. */
  readonly firstSlot: number
  readonly count: () => number
}

/** Chooses uniformly from a kind. */
export class KindPicks {
  readonly #held: HeldEntries
  readonly #drawn: DrawnAhead
  /** The entries with these ordinals, as far as they exist. */
  readonly at: (ordinals: readonly number[] | Uint32Array) => CatalogueEntry[]

  constructor(connection: SqliteConnection, { random, budget }: Picking, { firstSlot, count }: Ordinals) {
    const drawing = prepareEntries(connection, 'json_each(?) CROSS JOIN objects ON slot = ? + value')
    this.at = (ordinals) => drawing.all(`[${ordinals.join(',')}]`, firstSlot)
    this.#held = new HeldEntries(budget, this.at)
    this.#drawn = new DrawnAhead((drawn) => {
      const total = count()
      if (total === 0) return []
      const ordinals = Array.from({ length: drawn }, () => Math.floor(random() * total))
      return this.#held.at(ordinals, total, connection.dataVersion())
    })
  }

  one(): CatalogueEntry | null {
    return this.#drawn.pick()
  }

  /** Call this when anything has changed. */
  discard(): void {
    this.#drawn.discard()
    this.#held.discard()
  }
}
