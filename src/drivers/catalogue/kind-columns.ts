import { setImmediate } from 'node:timers/promises'
import { type Filter, matches } from '../../images/filter.ts'
import type { HashedImages } from '../../images/walk.ts'
import { hashOf, highOf, lowOf } from '../../lib/hash.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { type Draw, FilterList, type FilterLists } from './filter-list.ts'

/** Entries read per turn of the event loop: about a millisecond. */
const batchSize = 1_000
/** Entries looked at per turn for a filter: the same. */
const scannedAtOnce = 20_000
/** So few are looked at without waiting for a turn, also of 200 kinds. */
const fewEntries = 1_000

/** Waits for a turn of the event loop that no other caller shares. */
export type TakeTurn = () => Promise<void>

export function takingTurns(): TakeTurn {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

/** An entry, as far as it is kept here. The shape is null if it is unknown. */
export type ColumnRow = readonly [
  filename: string,
  width: number | null,
  height: number | null,
  isAnimated: number | null,
]

export const columnNames = 'filename, width, height, animated'

const columnsOf = (length: number) => ({
  high: new Uint32Array(length),
  low: new Uint32Array(length),
  widths: new Uint16Array(length),
  heights: new Uint16Array(length),
  /** Bits. */
  marks: new Uint8Array(length),
})

type Columns = ReturnType<typeof columnsOf>

export interface ColumnsOptions {
  /** Those from an ordinal on, up to a number. */
  readonly read: (from: number, limit: number) => readonly ColumnRow[]
  readonly tagsOf: (filename: string) => readonly string[]
  readonly draw: Draw
  readonly takeTurn: TakeTurn
  /** Of all kinds. */
  readonly lists: FilterLists
}

const noTags: readonly string[] = []
const [animatedMark, taggedMark] = [1, 2]

/**
 * What a kind's entries are chosen by, by ordinal: the hashes of their names, their shapes, 13 bytes per entry, and
 * their tags. Read at first use, and kept up to date from then on, with the lists of what matches a filter.
 */
export class KindColumns {
  readonly #options: ColumnsOptions
  #columns = columnsOf(0)
  readonly #tags = new Map<number, readonly string[]>()
  readonly #counts = new Map<string, number>()
  /** While they are being read, entries from here on have yet to be. */
  #size = 0
  #reading: Promise<void> | null = null
  #isRead = false
  #readAt = 0
  #readMs = 0
  #changes = 0
  /** Of shapes and tags. */
  #columnChanges = 0
  /** By the name of the filter. */
  readonly #lists = new Map<string, FilterList>()

  constructor(options: ColumnsOptions) {
    this.#options = options
  }

  /** Whether nothing has been read. */
  get isEmpty(): boolean {
    return this.#reading === null && !this.#isRead
  }

  /** Whether reading them again, now and whenever this is true, takes at most a tenth of the time. */
  get mayBeReadAgain(): boolean {
    return this.#isRead && performance.now() - this.#readAt > 9 * this.#readMs
  }

  /** `count` is the approximate size of the kind. */
  of(filter: Filter | null, count: () => number): MaybePromise<HashedImages> {
    const wait = this.#whenRead(count) ?? (filter && this.#whenCompiled(filter))
    if (wait) return wait.then(() => this.of(filter, count))
    const { high, low } = this.#columns
    if (filter === null) return { size: this.#size, version: this.#changes, ordinals: null, high, low }
    const { size, ordinals } = this.compiled(filter) as FilterList
    return { size, version: this.#version, ordinals, high, low }
  }

  /** What matches; undefined if it must be compiled first. */
  compiled({ name }: Filter): FilterList | undefined {
    const list = this.#lists.get(name)
    if (list === undefined || list.compiling !== null) return undefined
    this.#options.lists.use(list.filter)
    list.use(this.#version)
    return list
  }

  /** How many entries have each tag. */
  tagCounts(count: () => number): MaybePromise<ReadonlyMap<string, number>> {
    return this.#whenRead(count)?.then(() => this.tagCounts(count)) ?? this.#counts
  }

  /** Call this when an entry has this ordinal, or other tags. */
  set(ordinal: number, [filename, width, height, isAnimated]: ColumnRow): void {
    if (this.isEmpty || ordinal > this.#size) return
    if (ordinal === this.#size) this.#makeRoom()
    this.#size = Math.max(this.#size, ordinal + 1)
    this.#columnChanges++
    const hash = hashOf(filename)
    this.#columns.high[ordinal] = highOf(hash)
    this.#columns.low[ordinal] = lowOf(hash)
    this.#columns.widths[ordinal] = width ?? 0
    this.#columns.heights[ordinal] = height ?? 0
    const tags = this.#options.tagsOf(filename)
    this.#columns.marks[ordinal] = (isAnimated ? animatedMark : 0) | (tags.length > 0 ? taggedMark : 0)
    this.#tag(ordinal, tags)
    for (const list of this.#lists.values()) {
      if (list.compiling !== null && ordinal >= list.end) continue
      if (!list.set(ordinal, this.isMatch(list.filter, ordinal))) this.#forget(list)
    }
  }

  /** Call this when the last entries are gone. */
  truncate(size: number): void {
    if (this.#tags.size > 0) for (let ordinal = size; ordinal < this.#size; ordinal++) this.#tag(ordinal, noTags)
    this.#size = Math.min(this.#size, size)
    for (const list of this.#lists.values()) list.truncate(size)
  }

  /** Call this when what was read of an entry may be outdated. */
  changed(): void {
    this.#changes++
  }

  has(ordinal: number, filename: string): boolean {
    const hash = hashOf(filename)
    return this.#columns.high[ordinal] === highOf(hash) && this.#columns.low[ordinal] === lowOf(hash)
  }

  isMatch(filter: Filter, ordinal: number): boolean {
    const { widths, heights, marks } = this.#columns
    const its = marks[ordinal] ?? 0
    const tags = filter.tags !== null && its & taggedMark ? (this.#tags.get(ordinal) ?? noTags) : noTags
    return matches(filter, widths[ordinal] ?? 0, heights[ordinal] ?? 0, (its & animatedMark) !== 0, tags)
  }

  /** Call this when another process has changed the kind. What is in progress starts again. */
  drop(): void {
    this.#columns = columnsOf(0)
    this.#tags.clear()
    this.#counts.clear()
    this.#size = 0
    this.#isRead = false
    this.#changes++
    for (const list of this.#lists.values()) this.#forget(list)
  }

  get #version(): number {
    return this.#changes + this.#columnChanges
  }

  #whenRead(count: () => number): Promise<void> | null {
    if (this.#isRead) return null
    this.#reading ??= this.#read(count()).finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(count: number): Promise<void> {
    const startedAt = performance.now()
    this.#columns = columnsOf(count)
    this.#size = 0
    for (;;) {
      await this.#options.takeTurn()
      const rows = this.#options.read(this.#size, batchSize)
      if (rows.length === 0) break
      for (const row of rows) this.set(this.#size, row)
    }
    this.#isRead = true
    this.#readAt = performance.now()
    this.#readMs = this.#readAt - startedAt
  }

  #whenCompiled(filter: Filter): Promise<void> | null {
    const known = this.#lists.get(filter.name)
    if (known) return known.compiling
    const { lists, draw } = this.#options
    const list = new FilterList(filter, draw)
    this.#lists.set(filter.name, list)
    if (this.#size > fewEntries) list.compiling = lists.compile(() => this.#compile(list))
    else {
      list.begin(this.#size)
      this.#scan(list)
    }
    return list.compiling
  }

  /** Also ends if the list is forgotten: whoever waits for it asks again. */
  async #compile(list: FilterList): Promise<void> {
    if (this.#isKept(list)) list.begin(this.#size)
    do await this.#options.takeTurn()
    while (this.#isKept(list) && !this.#scan(list))
  }

  /** Looks at the next entries; true if there are no more. */
  #scan(list: FilterList): boolean {
    const to = Math.min(list.end + scannedAtOnce, this.#size)
    for (; list.end < to; list.end++)
      if (this.isMatch(list.filter, list.end) && !list.set(list.end, true)) {
        this.#forget(list)
        return true
      }
    if (to < this.#size) return false
    list.finish()
    this.#options.lists.add(list, () => this.#lists.delete(list.filter.name))
    return true
  }

  #isKept(list: FilterList): boolean {
    return this.#lists.get(list.filter.name) === list
  }

  #forget(list: FilterList): void {
    this.#lists.delete(list.filter.name)
    this.#options.lists.remove(list)
  }

  #tag(ordinal: number, tags: readonly string[]): void {
    const old = this.#tags.get(ordinal) ?? noTags
    if (old === tags || old.length + tags.length === 0) return
    for (const tag of old) this.#count(tag, -1)
    for (const tag of tags) this.#count(tag, 1)
    if (tags.length > 0) this.#tags.set(ordinal, tags)
    else this.#tags.delete(ordinal)
  }

  #count(tag: string, change: number): void {
    const count = (this.#counts.get(tag) ?? 0) + change
    if (count > 0) this.#counts.set(tag, count)
    else this.#counts.delete(tag)
  }

  #makeRoom(): void {
    if (this.#size < this.#columns.high.length) return
    const grown = columnsOf(Math.ceil(this.#size * 1.25) + batchSize)
    for (const name of Object.keys(grown) as (keyof Columns)[]) grown[name].set(this.#columns[name])
    this.#columns = grown
  }
}
