import type { CatalogueEntry } from '../../images/catalogue.ts'

/** Max picks that one query draws once picks are in demand. */
const maxDrawn = 256

/** Picks drawn in advance, each uniform and independent. Must be discarded when their source changes. */
export class DrawnAhead {
  readonly #draw: (count: number) => CatalogueEntry[]
  #entries: CatalogueEntry[] = []
  #next = 1

  constructor(draw: (count: number) => CatalogueEntry[]) {
    this.#draw = draw
  }

  pick(): CatalogueEntry | null {
    return this.#entries.pop() ?? this.#refill()
  }

  discard(): void {
    this.#entries = []
    this.#next = 1
  }

  #refill(): CatalogueEntry | null {
    this.#entries = this.#draw(this.#next)
    if (this.#entries.length > 0) this.#next = Math.min(this.#next * 2, maxDrawn)
    return this.#entries.pop() ?? null
  }
}
