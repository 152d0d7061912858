import { setImmediate } from 'node:timers/promises'
import { hashOf } from '../../lib/hash.ts'
import { HashIndex } from './hash-index.ts'

/** Entries per turn of the event loop: about a millisecond. */
const batchSize = 1_000

/** Waits for a turn of the event loop that no other caller shares. */
export type TakeTurn = () => Promise<void>

export function takingTurns(): TakeTurn {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

/** An entry, as far as an order needs it. Width and height are null if they are unknown. */
export type Placed = readonly [filename: string, shapeClass: number, width: number | null, height: number | null]

export const placedColumns = 'filename, class, width, height'

export const placedIn = ({ filename, class: shapeClass, width, height }: Readonly<Record<string, unknown>>) =>
  [filename, shapeClass, width, height] as unknown as Placed

export type Entries = (from: number, limit: number) => readonly Placed[]

/** The index of a kind by hashes, tagged with classes, kept up to date while it is being built and from then on. */
export class KindOrder {
  readonly index: HashIndex
  /** Null once the index is complete. */
  ready: Promise<HashIndex> | null
  /** Entries from this ordinal on have yet to be read. */
  #read = 0
  #isDropped = false

  /** `entries` reads those from an ordinal on, up to a number. */
  constructor(count: number, entries: Entries, takeTurn: TakeTurn) {
    this.index = new HashIndex(count)
    this.ready = this.#build(entries, takeTurn)
  }

  /** Call this when an entry gets this ordinal and class. */
  place(filename: string, ordinal: number, shapeClass: number): void {
    if (ordinal < this.#read) this.index.set(hashOf(filename), ordinal, shapeClass)
  }

  remove(filename: string): void {
    this.index.delete(hashOf(filename))
  }

  /** Stops building. */
  drop(): void {
    this.#isDropped = true
  }

  async #build(entries: Entries, takeTurn: TakeTurn): Promise<HashIndex> {
    do {
      await takeTurn()
      const some = entries(this.#read, batchSize)
      if (some.length === 0) break
      const from = this.#read
      this.#read += some.length
      for (const [index, [filename, shapeClass]] of some.entries()) this.place(filename, from + index, shapeClass)
    } while (!this.#isDropped)
    this.#read = Number.POSITIVE_INFINITY
    this.ready = null
    return this.index
  }
}
