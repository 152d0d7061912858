import type { CatalogueEntry, KindSummary, PagePosition } from '../../images/catalogue.ts'
import { type ShapeFilter, unknownClass, unreadClass } from '../../images/shapes/classes.ts'
import type { Shape } from '../../images/shapes/shape.ts'
import type { HashedImages } from '../../images/walk.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { type Budget, CachedEntries } from './cached-entries.ts'
import { DrawnAhead } from './drawn-ahead.ts'
import { entryColumns, prepareEntries } from './entry-rows.ts'
import { type HashedRow, hashedColumns, KindHashes, type TakeTurn } from './kind-hashes.ts'
import { byName, type PageOrder } from './page-orders.ts'
import { ShapeGroups } from './shape-groups.ts'

/** Slots reserved per kind, more than any kind has objects. */
const maxOfKind = 2 ** 40

/** What all kinds of a catalogue share. */
export interface KindShares {
  readonly connection: SqliteConnection
  readonly random: () => number
  readonly budget: Budget
  readonly takeTurn: TakeTurn
}

type Row = Readonly<Record<string, unknown>>

/** The objects of a kind. Ordinals are dense: the last entry takes the ordinal of a removed one. */
export class KindTable {
  readonly connection: SqliteConnection
  readonly id: number
  /** The slot of ordinal 0. */
  readonly firstSlot: number
  readonly shapes: ShapeGroups
  readonly hashes: KindHashes
  readonly #read: (ordinals: readonly number[] | Uint32Array) => CatalogueEntry[]
  readonly #cached: CachedEntries
  readonly #drawn: DrawnAhead
  /** Of the data when the hashes were read. */
  #hashedVersion = 0

  constructor(kind: string, { connection, random, budget, takeTurn }: KindShares) {
    this.connection = connection
    connection.run('INSERT INTO kinds (name) VALUES (?) ON CONFLICT DO NOTHING', [kind])
    this.id = Number(connection.get('SELECT id FROM kinds WHERE name = ?', [kind])?.id)
    this.firstSlot = this.id * maxOfKind
    this.shapes = new ShapeGroups(connection, { kind: this.id, firstPlace: this.firstSlot, random })
    const reading = prepareEntries(connection, 'json_each(?) CROSS JOIN objects ON slot = ? + value')
    this.#read = (ordinals) => reading(`[${ordinals.join(',')}]`, this.firstSlot)
    this.#cached = new CachedEntries(budget, this.#read)
    this.#drawn = new DrawnAhead((drawn) => {
      const total = this.count()
      if (total === 0) return []
      const ordinals = Array.from({ length: drawn }, () => Math.floor(random() * total))
      return this.#cached.at(ordinals, total, connection.dataVersion())
    })
    const hashing = connection.db.prepare(
      `SELECT ${hashedColumns} FROM objects WHERE slot >= ? AND slot < ? ORDER BY slot`,
    )
    hashing.setReturnArrays(true)
    this.hashes = new KindHashes((from, limit) => {
      const first = this.firstSlot + from
      return hashing.all(first, first + limit) as unknown as HashedRow[]
    }, takeTurn)
  }

  count(): number {
    return Number(this.#get('SELECT count FROM kinds WHERE id = ?', this.id)?.count)
  }

  /** Uniformly random. */
  pick(filter: ShapeFilter | null): CatalogueEntry | null {
    return filter === null ? this.#drawn.pick() : this.shapes.pick(filter)
  }

  at(ordinal: number): CatalogueEntry | null {
    return this.#read([ordinal])[0] ?? null
  }

  hashesOf(filter: ShapeFilter | null): MaybePromise<HashedImages> {
    if (this.hashes.isEmpty) this.#hashedVersion = this.connection.dataVersion()
    return this.hashes.of(filter, () => this.count())
  }

  hashed(ordinals: Uint32Array): readonly CatalogueEntry[] | null {
    const found = this.#read(ordinals)
    if (ordinals.every((ordinal, index) => this.hashes.has(ordinal, found[index]?.filename ?? ''))) return found
    this.hashes.drop()
    return null
  }

  /** Call this at times: another process may have changed the kind. */
  checkVersion(version: number): void {
    if (version !== this.#hashedVersion) this.hashes.drop()
  }

  find(filename: string): CatalogueEntry | null {
    const sql = `SELECT ${entryColumns} FROM objects WHERE kind = ? AND filename = ?`
    return (this.#get(sql, this.id, filename) as unknown as CatalogueEntry | undefined) ?? null
  }

  shape(filename: string): Shape | null {
    const sql = 'SELECT width, height, mime, animated FROM objects WHERE kind = ? AND filename = ? AND class > ?'
    const row = this.#get(sql, this.id, filename, unknownClass)
    return row ? ({ ...row, animated: row.animated === 1 } as unknown as Shape) : null
  }

  page(order: PageOrder, after: PagePosition, limit: number, filter: ShapeFilter | null): CatalogueEntry[] {
    if (filter !== null) return this.shapes.page(order, after, limit, filter)
    const sql = `SELECT ${entryColumns} FROM objects WHERE kind = ? AND ${order.after} LIMIT ?`
    return this.connection.run(sql, [this.id, ...order.params(after), limit]).rows as unknown as CatalogueEntry[]
  }

  unread(after: PagePosition, limit: number): CatalogueEntry[] {
    return this.shapes.pageOf(unreadClass, byName, after, limit)
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
    this.shapes.discardDrawn()
    this.hashes.changed()
  }

  #get(sql: string, ...params: (string | number)[]): Row | undefined {
    return this.connection.get(sql, params)
  }
}
