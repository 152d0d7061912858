import type { CatalogueEntry, EntryGroup } from '../../images/catalogue.ts'
import type { Filter } from '../../images/filter.ts'
import type { HashedImages } from '../../images/walk.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { type Budget, CachedEntries } from './cached-entries.ts'
import { DrawnAhead } from './drawn-ahead.ts'
import type { FilterList, FilterLists } from './filter-list.ts'
import { type ColumnRow, columnNames, KindColumns, type TakeTurn } from './kind-columns.ts'
import { KindRows, type Scans } from './kind-rows.ts'

/** What all kinds of a catalogue share. */
export interface KindShares {
  readonly connection: SqliteConnection
  readonly random: () => number
  readonly budget: Budget
  readonly takeTurn: TakeTurn
  readonly lists: FilterLists
  readonly scans: Scans
  readonly tagsOf: (kind: string, filename: string) => readonly string[]
}

/** The objects of a kind, with what is kept in memory to choose from them. */
export class KindTable extends KindRows {
  readonly columns: KindColumns
  readonly takeTurn: TakeTurn
  readonly #tagsOf: (filename: string) => readonly string[]
  readonly #cached: CachedEntries
  readonly #drawn: DrawnAhead
  /** Of the data when the columns were read. */
  #columnsVersion = 0

  constructor(kind: string, { connection, random, budget, takeTurn, lists, scans, tagsOf }: KindShares) {
    super(kind, connection, scans)
    this.takeTurn = takeTurn
    this.#tagsOf = (filename) => tagsOf(kind, filename)
    this.#cached = new CachedEntries(budget, this.read)
    this.#drawn = new DrawnAhead((count) => this.#draw(count, random))
    const reader = connection.db.prepare(
      `SELECT ${columnNames} FROM objects WHERE slot >= ? AND slot < ? ORDER BY slot`,
    )
    reader.setReturnArrays(true)
    this.columns = new KindColumns({
      read: (from, limit) => {
        const first = this.firstSlot + from
        return reader.all(first, first + limit) as unknown as ColumnRow[]
      },
      tagsOf: this.#tagsOf,
      draw: (list, count) => this.#drawMatching(list, count, random),
      takeTurn,
      lists,
    })
  }

  /** Uniformly random. A filter must be compiled. */
  pick(filter: Filter | null): CatalogueEntry | null {
    return (filter === null ? this.#drawn : this.compiled(filter).drawn).pick()
  }

  #draw(count: number, random: () => number): CatalogueEntry[] {
    const total = this.count()
    if (total === 0) return []
    const ordinals = Array.from({ length: count }, () => Math.floor(random() * total))
    return this.#cached.at(ordinals, total, this.connection.dataVersion())
  }

  #drawMatching({ size, ordinals }: FilterList, count: number, random: () => number): CatalogueEntry[] {
    if (size === 0) return []
    return this.hashed(Uint32Array.from({ length: count }, () => ordinals[Math.floor(random() * size)] as number)) ?? []
  }

  /** As another process may just have changed them, unless the kind is so large that it was read not long ago. */
  hashesOf(filter: Filter | null): MaybePromise<HashedImages> {
    if (this.columns.mayBeReadAgain) this.checkVersion(this.connection.dataVersion())
    return this.columns.of(filter, this.#counting)
  }

  compiled(filter: Filter): FilterList {
    const list = this.columns.compiled(filter)
    if (list === undefined) throw new Unavailable('the list of what matches')
    return list
  }

  /** What matches, in a constant order. The filter must be compiled. */
  matching(filter: Filter): Pick<EntryGroup, 'count' | 'at'> {
    const { size, ordinals } = this.compiled(filter)
    return { count: size, at: (number) => this.hashed(ordinals.subarray(number, number + 1))?.[0] ?? null }
  }

  /** How many entries have each tag. */
  tagCounts(): MaybePromise<ReadonlyMap<string, number>> {
    return this.columns.tagCounts(this.#counting)
  }

  /** Null if another process has changed the kind. */
  hashed(ordinals: Uint32Array): CatalogueEntry[] | null {
    const found = this.read(ordinals)
    if (ordinals.every((ordinal, index) => this.columns.has(ordinal, found[index]?.filename ?? ''))) return found
    this.columns.drop()
    return null
  }

  /** Call this when the tags of an image have changed. */
  retag(filename: string): void {
    if (this.columns.isEmpty) return
    const sql = `SELECT slot, ${columnNames} FROM objects WHERE kind = ? AND filename = ?`
    const row = this.connection.get(sql, [this.id, filename])
    if (row)
      this.columns.set(Number(row.slot) - this.firstSlot, [filename, row.width, row.height, row.animated] as ColumnRow)
  }

  /** Another process may have changed the kind. */
  checkVersion(version: number): void {
    if (version !== this.#columnsVersion) this.columns.drop()
  }

  /** In its name or one of its tags. The text is in lower case. */
  hasText(filename: string, text: string): boolean {
    return filename.toLowerCase().includes(text) || this.#tagsOf(filename).some((tag) => tag.includes(text))
  }

  /** Call this when anything has changed. */
  discardRead(): void {
    this.#drawn.discard()
    this.#cached.discard()
    this.columns.changed()
  }

  /** The columns are about to be read if they have not been. */
  readonly #counting = (): number => {
    if (this.columns.isEmpty) this.#columnsVersion = this.connection.dataVersion()
    return this.count()
  }
}
