import { setImmediate as nextTurn } from 'node:timers/promises'
import { hashOf } from '../../lib/hash.ts'
import { HashIndex } from './hash-index.ts'

/** Entries between two turns of the event loop: about a millisecond. */
const batchSize = 1_000

type Filenames = (from: number, limit: number) => readonly (string | null)[]

/** An index by hashes, kept up to date while it is being built and from then on. */
export class KindOrder {
  readonly index: HashIndex
  /** Null once it is complete. */
  ready: Promise<HashIndex> | null
  /** Entries from this ordinal on are still to be read. */
  #read = 0
  #isDropped = false

  /** `filenames`: of the entries from this ordinal on, at most so many; null for one that is left out. */
  constructor(count: number, filenames: Filenames) {
    this.index = new HashIndex(count)
    this.ready = this.#build(filenames)
  }

  /** The entry is at this ordinal now. */
  place(filename: string, ordinal: number): void {
    if (ordinal < this.#read) this.index.set(hashOf(filename), ordinal)
  }

  remove(filename: string): void {
    this.index.delete(hashOf(filename))
  }

  /** Ends its building. */
  drop(): void {
    this.#isDropped = true
  }

  async #build(filenames: Filenames): Promise<HashIndex> {
    do {
      await nextTurn()
      const some = filenames(this.#read, batchSize)
      if (some.length === 0) break
      const from = this.#read
      this.#read += some.length
      for (const [index, filename] of some.entries()) if (filename !== null) this.place(filename, from + index)
    } while (!this.#isDropped)
    this.#read = Number.POSITIVE_INFINITY
    this.ready = null
    return this.index
  }
}
