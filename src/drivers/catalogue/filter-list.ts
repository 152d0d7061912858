import type { CatalogueEntry } from '../../images/catalogue.ts'
import type { Filter } from '../../images/filter.ts'
import { firstFrom } from '../../lib/sorted.ts'
import { DrawnAhead } from './drawn-ahead.ts'

const maxFilters = 100
/** Of all lists together: those of sixteen million images. */
const maxBytes = 67_108_864
/** A list with everything that belongs to it, besides its ordinals. */
const listBytes = 1_024
const minRoom = 1_000
/** Since the list was last used: some milliseconds. */
const maxMoved = 8_000_000

/** Chooses entries of the list at random, each uniformly. */
export type Draw = (list: FilterList, count: number) => CatalogueEntry[]

/** The ordinals of the entries of a kind that match a filter, ascending, while the entries change. */
export class FilterList {
  readonly filter: Filter
  /** While the list is being compiled, entries from here on have yet to be looked at. */
  end = 0
  size = 0
  /** Null once it is compiled. */
  compiling: Promise<void> | null = null
  readonly drawn: DrawnAhead
  /** Of the kind when picks were last drawn. */
  #drawnVersion = -1
  #ordinals = new Uint32Array(0)
  /** How many ordinals changes have moved since the list was last used. */
  #moved = 0

  constructor(filter: Filter, draw: Draw) {
    this.filter = filter
    this.drawn = new DrawnAhead((count) => draw(this, count))
  }

  get bytes(): number {
    return this.#ordinals.byteLength + listBytes
  }

  get ordinals(): Uint32Array {
    return this.#ordinals.subarray(0, this.size)
  }

  /** Call this when it is used, with the version of the kind. */
  use(version: number): void {
    if (this.#drawnVersion !== version) this.drawn.discard()
    this.#drawnVersion = version
    this.#moved = 0
  }

  /** Before it is compiled. `room`: how many entries the kind has. */
  begin(room: number): void {
    this.#ordinals = withRoom(room)
  }

  /** Frees what is not needed, apart from some room for changes. */
  finish(): void {
    const ordinals = withRoom(this.size)
    ordinals.set(this.ordinals)
    this.#ordinals = ordinals
    this.compiling = null
  }

  /** False if it must be compiled again: there is no room, or changing it takes too long. */
  set(ordinal: number, isMatch: boolean): boolean {
    const { size } = this
    const ordinals = this.#ordinals
    let at = size
    if (size > 0 && ordinal <= (ordinals[size - 1] as number)) at = firstFrom(ordinals, size, ordinal)
    const isIn = at < size && ordinals[at] === ordinal
    if (isIn === isMatch) return true
    this.#moved += size - at
    if ((isMatch && size === ordinals.length) || this.#moved > maxMoved) return false
    if (isMatch) {
      ordinals.copyWithin(at + 1, at, size)
      ordinals[at] = ordinal
    } else ordinals.copyWithin(at, at + 1, size)
    this.size += isMatch ? 1 : -1
    return true
  }

  /** Ends before this ordinal. */
  truncate(end: number): void {
    this.end = Math.min(this.end, end)
    while (this.size > 0 && (this.#ordinals[this.size - 1] as number) >= end) this.size--
  }
}

const withRoom = (count: number) => new Uint32Array(Math.ceil(count * 1.25) + minRoom)

/** What is compiled of all kinds, and what is called when it makes way: least recently used filters first. */
export class FilterLists {
  readonly #maxBytes: number
  readonly #byFilter = new Map<string, Map<FilterList, () => void>>()
  #bytes = 0
  /** One at a time, since what is being compiled is not counted. */
  #compiled = Promise.resolve()

  constructor(bytes = maxBytes) {
    this.#maxBytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Runs `compile` after those before it. It does not throw. */
  compile(compile: () => Promise<void>): Promise<void> {
    this.#compiled = this.#compiled.then(compile)
    return this.#compiled
  }

  use({ name }: Filter): void {
    const lists = this.#byFilter.get(name)
    if (lists === undefined) return
    this.#byFilter.delete(name)
    this.#byFilter.set(name, lists)
  }

  /** The lists of this filter stay, however large: whoever chooses from several kinds needs them all at once. */
  add(list: FilterList, drop: () => void): void {
    const { name } = list.filter
    const lists = this.#byFilter.get(name) ?? new Map<FilterList, () => void>()
    this.#byFilter.set(name, lists.set(list, drop))
    this.#bytes += list.bytes
    this.use(list.filter)
    for (const [oldest, makingWay] of this.#byFilter) {
      if (oldest === name || (this.#bytes <= this.#maxBytes && this.#byFilter.size <= maxFilters)) return
      for (const [each, drop] of makingWay) {
        this.remove(each)
        drop()
      }
    }
  }

  remove(list: FilterList): void {
    const lists = this.#byFilter.get(list.filter.name)
    if (!lists?.delete(list)) return
    this.#bytes -= list.bytes
    if (lists.size === 0) this.#byFilter.delete(list.filter.name)
  }
}
