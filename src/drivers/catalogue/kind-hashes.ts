import { setImmediate } from 'node:timers/promises'
import { classCount, type ShapeFilter } from '../../images/shapes/classes.ts'
import type { HashedImages } from '../../images/walk.ts'
import { hashOf, highOf, lowOf } from '../../lib/hash.ts'
import { createLru } from '../../lib/lru.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

/** Entries per turn of the event loop: about a millisecond. */
const batchSize = 1_000
/** Filters whose entries are kept: for a million, finding them takes some milliseconds. */
const maxFilters = 8

/** Waits for a turn of the event loop that no other caller shares. */
export type TakeTurn = () => Promise<void>

export function takingTurns(): TakeTurn {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

/** An entry, as far as it is kept here. Width and height are null if they are unknown. */
export type HashedRow = readonly [filename: string, shapeClass: number, width: number | null, height: number | null]

export const hashedColumns = 'filename, class, width, height'

interface Columns {
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly classes: Uint16Array
  readonly widths: Uint16Array
  readonly heights: Uint16Array
}

const columnsOf = (length: number): Columns => ({
  high: new Uint32Array(length),
  low: new Uint32Array(length),
  classes: new Uint16Array(length),
  widths: new Uint16Array(length),
  heights: new Uint16Array(length),
})

/**
 * The hashes of the names of a kind, their classes and sizes, by ordinal: 14 bytes per entry. Read at first use, and
 * kept up to date from then on.
 */
export class KindHashes {
  readonly #rows: (from: number, limit: number) => readonly HashedRow[]
  readonly #takeTurn: TakeTurn
  #columns = columnsOf(0)
  /** While they are being read, entries from here on have yet to be. */
  #size = 0
  #reading: Promise<void> | null = null
  #isRead = false
  #changes = 0
  /** Of classes and sizes. */
  #shapeChanges = 0
  readonly #matching = createLru<HashedImages>(maxFilters)

  /** `rows` reads those from an ordinal on, up to a number. */
  constructor(rows: (from: number, limit: number) => readonly HashedRow[], takeTurn: TakeTurn) {
    this.#rows = rows
    this.#takeTurn = takeTurn
  }

  /** Whether nothing has been read. */
  get isEmpty(): boolean {
    return this.#reading === null && !this.#isRead
  }

  /** `count` is the approximate size of the kind. */
  of(filter: ShapeFilter | null, count: () => number): MaybePromise<HashedImages> {
    if (!this.#isRead) {
      this.#reading ??= this.#read(count()).finally(() => {
        this.#reading = null
      })
      return this.#reading.then(() => this.of(filter, count))
    }
    const { high, low } = this.#columns
    if (filter === null) return { size: this.#size, version: this.#changes, ordinals: null, high, low }
    const version = this.#changes + this.#shapeChanges
    const known = this.#matching.get(filter.name)
    if (known?.version === version) return known
    const ordinals = this.#ordinalsOf(filter)
    const found = { size: ordinals.length, version, ordinals, high, low }
    this.#matching.set(filter.name, found)
    return found
  }

  /** Call this when an entry has this ordinal. */
  set(ordinal: number, [filename, shapeClass, width, height]: HashedRow): void {
    if (this.isEmpty || ordinal > this.#size) return
    if (ordinal === this.#size) this.#makeRoom()
    this.#size = Math.max(this.#size, ordinal + 1)
    this.#shapeChanges++
    const hash = hashOf(filename)
    this.#columns.high[ordinal] = highOf(hash)
    this.#columns.low[ordinal] = lowOf(hash)
    this.#columns.classes[ordinal] = shapeClass
    this.#columns.widths[ordinal] = width ?? 0
    this.#columns.heights[ordinal] = height ?? 0
  }

  /** Call this when the last entries are gone. */
  truncate(size: number): void {
    this.#size = Math.min(this.#size, size)
  }

  /** Call this when what was read of an entry may be outdated. */
  changed(): void {
    this.#changes++
  }

  has(ordinal: number, filename: string): boolean {
    const hash = hashOf(filename)
    return this.#columns.high[ordinal] === highOf(hash) && this.#columns.low[ordinal] === lowOf(hash)
  }

  /** Call this when another process has changed the kind. A reading in progress starts again. */
  drop(): void {
    this.#columns = columnsOf(0)
    this.#size = 0
    this.#isRead = false
    this.#changes++
    this.#matching.clear()
  }

  async #read(count: number): Promise<void> {
    this.#columns = columnsOf(count)
    this.#size = 0
    for (;;) {
      await this.#takeTurn()
      const rows = this.#rows(this.#size, batchSize)
      if (rows.length === 0) break
      for (const row of rows) this.set(this.#size, row)
    }
    this.#isRead = true
  }

  #ordinalsOf(filter: ShapeFilter): Uint32Array {
    const { classes, widths, heights } = this.#columns
    const { width, height } = filter.least ?? { width: 0, height: 0 }
    const isMeant = Array.from({ length: classCount }, (_, shapeClass) => filter.has(shapeClass))
    const found = new Uint32Array(this.#size)
    let end = 0
    for (let ordinal = 0; ordinal < this.#size; ordinal++) {
      if ((widths[ordinal] as number) < width || (heights[ordinal] as number) < height) continue
      if (isMeant[classes[ordinal] as number]) found[end++] = ordinal
    }
    return found.slice(0, end)
  }

  #makeRoom(): void {
    if (this.#size < this.#columns.high.length) return
    const grown = columnsOf(Math.ceil(this.#size * 1.25) + batchSize)
    for (const name of Object.keys(grown) as (keyof Columns)[]) grown[name].set(this.#columns[name])
    this.#columns = grown
  }
}
