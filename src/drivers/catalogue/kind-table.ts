import type { StatementSync } from 'node:sqlite'
import type { CatalogueEntry, EntryGroup, KindSummary, PagePosition, Sort } from '../../images/catalogue.ts'
import type { Filter } from '../../images/filter.ts'
import type { Shape } from '../../images/shapes/shape.ts'
import type { HashedImages } from '../../images/walk.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { type Budget, CachedEntries } from './cached-entries.ts'
import { DrawnAhead } from './drawn-ahead.ts'
import { entryColumns, prepareEntries } from './entry-rows.ts'
import type { FilterList, FilterLists } from './filter-list.ts'
import { type ColumnRow, columnNames, KindColumns, type TakeTurn } from './kind-columns.ts'
import { pageOrders } from './page-orders.ts'

/** Slots reserved per kind, more than any kind has objects. */
const maxOfKind = 2 ** 40

/** What all kinds of a catalogue share. */
export interface KindShares {
  readonly connection: SqliteConnection
  readonly random: () => number
  readonly budget: Budget
  readonly takeTurn: TakeTurn
  readonly lists: FilterLists
  /** The slots and filenames of a kind's entries, in each order. */
  readonly scans: Readonly<Record<Sort, StatementSync>>
  readonly tagsOf: (kind: string, filename: string) => readonly string[]
}

export function prepareScan({ db }: SqliteConnection, sort: Sort): StatementSync {
  const sql = `SELECT slot, filename FROM objects WHERE kind = ? AND ${pageOrders[sort].after} LIMIT ?`
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}

type Row = Readonly<Record<string, unknown>>

/** The objects of a kind. Ordinals are dense: the last entry takes the ordinal of a removed one. */
export class KindTable {
  readonly connection: SqliteConnection
  readonly id: number
  /** The slot of ordinal 0. */
  readonly firstSlot: number
  readonly columns: KindColumns
  readonly takeTurn: TakeTurn
  /** The entries with these ordinals. */
  readonly read: (ordinals: readonly number[] | Uint32Array) => CatalogueEntry[]
  readonly #scans: KindShares['scans']
  readonly #tagsOf: (filename: string) => readonly string[]
  readonly #cached: CachedEntries
  readonly #drawn: DrawnAhead
  /** Of the data when the columns were read. */
  #columnsVersion = 0

  constructor(kind: string, { connection, random, budget, takeTurn, lists, scans, tagsOf }: KindShares) {
    this.connection = connection
    this.takeTurn = takeTurn
    this.#scans = scans
    this.#tagsOf = (filename) => tagsOf(kind, filename)
    connection.run('INSERT INTO kinds (name) VALUES (?) ON CONFLICT DO NOTHING', [kind])
    this.id = Number(connection.get('SELECT id FROM kinds WHERE name = ?', [kind])?.id)
    this.firstSlot = this.id * maxOfKind
    const reading = prepareEntries(connection, 'json_each(?) CROSS JOIN objects ON slot = ? + value')
    this.read = (ordinals) => reading(`[${ordinals.join(',')}]`, this.firstSlot)
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

  count(): number {
    return Number(this.#get('SELECT count FROM kinds WHERE id = ?', this.id)?.count)
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

  at(ordinal: number): CatalogueEntry | null {
    return this.read([ordinal])[0] ?? null
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
    const row = this.#get(sql, this.id, filename)
    if (row)
      this.columns.set(Number(row.slot) - this.firstSlot, [filename, row.width, row.height, row.animated] as ColumnRow)
  }

  /** Another process may have changed the kind. */
  checkVersion(version: number): void {
    if (version !== this.#columnsVersion) this.columns.drop()
  }

  find(filename: string): CatalogueEntry | null {
    const sql = `SELECT ${entryColumns} FROM objects WHERE kind = ? AND filename = ?`
    return (this.#get(sql, this.id, filename) as unknown as CatalogueEntry | undefined) ?? null
  }

  shape(filename: string): Shape | null {
    const sql =
      'SELECT width, height, mime, animated FROM objects WHERE kind = ? AND filename = ? AND width IS NOT NULL'
    const row = this.#get(sql, this.id, filename)
    return row ? ({ ...row, animated: row.animated === 1 } as unknown as Shape) : null
  }

  page(sort: Sort, after: PagePosition | null, limit: number): CatalogueEntry[] {
    const { after: later, params, first } = pageOrders[sort]
    const sql = `SELECT ${entryColumns} FROM objects WHERE kind = ? AND ${later} LIMIT ?`
    return this.connection.run(sql, [this.id, ...params(after ?? first), limit]).rows as unknown as CatalogueEntry[]
  }

  /** From the index of the order alone: less than a microsecond each. */
  scan(sort: Sort, after: PagePosition, limit: number): [ordinal: number, filename: string][] {
    const rows = this.#scans[sort].all(this.id, ...pageOrders[sort].params(after), limit)
    return (rows as unknown as [number, string][]).map(([slot, filename]) => [slot - this.firstSlot, filename])
  }

  /** In its name or one of its tags. The text is in lower case. */
  hasText(filename: string, text: string): boolean {
    return filename.toLowerCase().includes(text) || this.#tagsOf(filename).some((tag) => tag.includes(text))
  }

  unread(after: string, limit: number): CatalogueEntry[] {
    const sql = `SELECT ${entryColumns} FROM objects WHERE kind = ? AND isRead = 0 AND filename > ? ORDER BY filename LIMIT ?`
    return this.connection.run(sql, [this.id, after, limit]).rows as unknown as CatalogueEntry[]
  }

  summary(): KindSummary {
    const row = this.#get('SELECT count, bytes FROM kinds WHERE id = ?', this.id)
    const newest = this.#get('SELECT max(modified) AS newest FROM objects WHERE kind = ?', this.id)?.newest ?? null
    return { count: Number(row?.count), bytes: Number(row?.bytes), newest: newest === null ? null : Number(newest) }
  }

  /** Whether a listing has ever completed. */
  isComplete(): boolean {
    return this.#get('SELECT complete FROM kinds WHERE id = ?', this.id)?.complete === 1
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

  #get(sql: string, ...params: (string | number)[]): Row | undefined {
    return this.connection.get(sql, params)
  }
}
