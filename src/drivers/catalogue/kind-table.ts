import type { CatalogueEntry, KindSummary, Listing, PagePosition, ReadHeader } from '../../images/catalogue.ts'
import { classOf, type ShapeFilter, unknownClass, unreadClass } from '../../images/shapes/classes.ts'
import type { Shape } from '../../images/shapes/shape.ts'
import type { HashedImages } from '../../images/walk.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { Bitmap } from './bitmap.ts'
import { mapIfLarge } from './catalogue-file.ts'
import { entryColumns as columns, prepareEntries } from './entry-rows.ts'
import { codeOf } from './faults.ts'
import { type HashedRow, hashedColumns, KindHashes, type TakeTurn } from './kind-hashes.ts'
import { KindPicks, type Picking } from './kind-picks.ts'
import { byName, type PageOrder } from './page-orders.ts'
import { ShapeGroups } from './shape-groups.ts'

/** Slots reserved per kind, more than any kind has objects. */
const maxOfKind = 2 ** 40
const droppedAtOnce = 500

export interface KindShares extends Picking {
  readonly connection: SqliteConnection
  readonly takeTurn: TakeTurn
}

type Row = Readonly<Record<string, unknown>>

/** The objects of a kind. Ordinals are dense: the last entry takes the ordinal of a removed one. */
export class KindTable {
  readonly #connection: SqliteConnection
  readonly id: number
  /** The slot of ordinal 0. */
  readonly #firstSlot: number
  readonly #shapes: ShapeGroups
  readonly #reading: ReturnType<typeof prepareEntries>
  readonly #picks: KindPicks
  /** The ordinals that the listing in progress has seen. */
  #seen: Bitmap | null = null
  readonly #hashes: KindHashes
  /** Of the data when the hashes were read. */
  #hashedVersion = 0
  /** What has changed since its page was requested. */
  readonly #touched = new Set<string>()

  constructor(kind: string, shares: KindShares) {
    const { connection, random, takeTurn } = shares
    this.#connection = connection
    connection.run('INSERT INTO kinds (name) VALUES (?) ON CONFLICT DO NOTHING', [kind])
    this.id = Number(connection.get('SELECT id FROM kinds WHERE name = ?', [kind])?.id)
    this.#firstSlot = this.id * maxOfKind
    this.#shapes = new ShapeGroups(connection, { kind: this.id, firstPlace: this.#firstSlot, random })
    this.#reading = prepareEntries(connection, 'objects WHERE slot = ?')
    const ordinals = { firstSlot: this.#firstSlot, count: () => this.count() }
    this.#picks = new KindPicks(connection, shares, ordinals)
    const hashing = connection.db.prepare(
      `SELECT ${hashedColumns} FROM objects WHERE slot >= ? AND slot < ? ORDER BY slot`,
    )
    hashing.setReturnArrays(true)
    this.#hashes = new KindHashes((from, limit) => {
      const first = this.#firstSlot + from
      return hashing.all(first, first + limit) as unknown as HashedRow[]
    }, takeTurn)
  }

  count(): number {
    return Number(this.#get('SELECT count FROM kinds WHERE id = ?', this.id)?.count)
  }

  pick(filter: ShapeFilter | null): CatalogueEntry | null {
    return filter === null ? this.#picks.one() : this.#shapes.pick(filter)
  }

  /** The number of objects in each matching class. */
  classes(filter: ShapeFilter) {
    return this.#shapes.counts(filter)
  }

  /** The entry with this ordinal in a class or (null) in the kind. */
  at(shapeClass: number | null, ordinal: number): CatalogueEntry | null {
    if (shapeClass !== null) return this.#shapes.at(shapeClass, ordinal)
    return this.#reading.get(this.#firstSlot + ordinal)
  }

  hashes(filter: ShapeFilter | null): MaybePromise<HashedImages> {
    if (this.#hashes.isEmpty) this.#hashedVersion = this.#connection.dataVersion()
    return this.#hashes.of(filter, () => this.count())
  }

  hashed(ordinals: Uint32Array): readonly CatalogueEntry[] | null {
    const found = this.#picks.at(ordinals)
    if (ordinals.every((ordinal, index) => this.#hashes.has(ordinal, found[index]?.filename ?? ''))) return found
    this.#hashes.drop()
    return null
  }

  dropHashes(): void {
    this.#hashes.drop()
  }

  find(filename: string): CatalogueEntry | null {
    return entryOf(this.#get(`SELECT ${columns} FROM objects WHERE kind = ? AND filename = ?`, this.id, filename))
  }

  shape(filename: string): Shape | null {
    const sql = 'SELECT width, height, mime, animated FROM objects WHERE kind = ? AND filename = ? AND class > ?'
    const row = this.#get(sql, this.id, filename, unknownClass)
    return row ? ({ ...row, animated: row.animated === 1 } as unknown as Shape) : null
  }

  page(order: PageOrder, after: PagePosition, limit: number, filter: ShapeFilter | null): CatalogueEntry[] {
    if (filter !== null) return this.#shapes.page(order, after, limit, filter)
    const sql = `SELECT ${columns} FROM objects WHERE kind = ? AND ${order.after} LIMIT ?`
    return this.#connection.run(sql, [this.id, ...order.params(after), limit]).rows as unknown as CatalogueEntry[]
  }

  unread(after: PagePosition, limit: number): CatalogueEntry[] {
    return this.#shapes.pageOf(unreadClass, byName, after, limit)
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

  put(entry: CatalogueEntry): void {
    this.#touch(entry.filename)
    this.#transaction(() => this.#store(entry))
  }

  remove(filename: string): void {
    this.#touch(filename)
    this.#transaction(() => {
      const row = this.#row(filename)
      if (row) this.#drop(Number(row.slot) - this.#firstSlot, row)
    })
  }

  describe(read: readonly ReadHeader[]): void {
    this.#shapes.discardDrawn()
    this.#transaction(() => {
      for (const { filename, etag, shape, fault } of read) {
        const row = this.#row(filename)
        if (row?.etag !== etag || row.fault !== null) continue
        const slot = Number(row.slot)
        if (row.class === unreadClass) this.#setShape({ filename, slot }, shape)
        this.#run('UPDATE objects SET fault = ? WHERE slot = ?', codeOf(fault), slot)
      }
    })
  }

  listing(): Listing {
    const seen = new Bitmap()
    this.#touched.clear()
    // Other processes may have changed the kind.
    this.#discardDrawn()
    mapIfLarge(this.#connection)
    const version = this.#connection.dataVersion()
    if (version !== this.#hashedVersion) this.#hashes.drop()
    this.#seen = seen
    let below = Number.POSITIVE_INFINITY
    return {
      expect: () => this.#touched.clear(),
      take: (page) => this.#take(page, seen),
      end: () => {
        // Another process has moved entries, so the bits are wrong: nothing is dropped this time.
        if (this.#seen !== seen || this.#connection.dataVersion() !== version) {
          if (this.#seen === seen) this.#seen = null
          return null
        }
        const dropped: string[] = []
        this.#transaction(() => {
          while (dropped.length < droppedAtOnce) {
            below = seen.lastUnset(Math.min(below, this.count() - 1))
            if (below < 0) break
            const sql = 'SELECT filename, size, place FROM objects WHERE slot = ?'
            const row = this.#get(sql, this.#firstSlot + below) as Row
            this.#drop(below, row)
            dropped.push(String(row.filename))
          }
        })
        if (dropped.length > 0) {
          this.#discardDrawn()
          return dropped
        }
        this.#seen = null
        this.#run('UPDATE kinds SET complete = 1 WHERE id = ? AND complete = 0', this.id)
        return null
      },
    }
  }

  #take(page: readonly CatalogueEntry[], seen: Bitmap): string[] {
    const changed = page.filter((entry) => {
      if (this.#touched.has(entry.filename)) return false
      const row = this.#row(entry.filename)
      if (!row || !isSame(row, entry)) return true
      seen.set(Number(row.slot) - this.#firstSlot)
      return false
    })
    if (changed.length === 0) return []
    this.#discardDrawn()
    return this.#transaction(() => changed.filter((entry) => this.#store(entry))).map(({ filename }) => filename)
  }

  #touch(filename: string): void {
    if (this.#seen) this.#touched.add(filename)
    this.#discardDrawn()
  }

  #discardDrawn(): void {
    this.#picks.discard()
    this.#shapes.discardDrawn()
    this.#hashes.changed()
  }

  /** Call in a transaction. False if nothing changed. */
  #store(entry: CatalogueEntry): boolean {
    const { filename, etag, size, modified } = entry
    const row = this.#row(filename)
    const slot = row ? Number(row.slot) : this.#firstSlot + this.count()
    const isUnchanged = row !== undefined && isSame(row, entry)
    this.#seen?.set(slot - this.#firstSlot)
    if (isUnchanged) return false
    this.#hashes.set(slot - this.#firstSlot, [filename, unreadClass, null, null])
    if (row) {
      if (row.place !== null) this.#shapes.remove(Number(row.place))
      const sql = `UPDATE objects SET etag = ?, size = ?, modified = ?, class = ${unreadClass}, place = NULL, fault = NULL WHERE slot = ?`
      this.#run(sql, etag, size, modified, slot)
    } else {
      const sql = `INSERT INTO objects (slot, kind, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`
      this.#run(sql, slot, this.id, filename, etag, size, modified)
    }
    this.#resize(row ? 0 : 1, size - Number(row?.size ?? 0))
    return true
  }

  /** In a transaction. */
  #setShape({ filename, slot }: { readonly filename: string; readonly slot: number }, shape: Shape | null): void {
    const shapeClass = classOf(shape)
    const { width = null, height = null, mime = null, animated = null } = shape ?? {}
    const place = shape === null ? null : this.#shapes.add(shapeClass, slot)
    const sql = 'UPDATE objects SET class = ?, place = ?, width = ?, height = ?, mime = ?, animated = ? WHERE slot = ?'
    this.#run(sql, shapeClass, place, width, height, mime, animated === null ? null : Number(animated), slot)
    this.#hashes.set(slot - this.#firstSlot, [filename, shapeClass, width, height])
  }

  /** In a transaction. */
  #drop(ordinal: number, { size, place }: Row): void {
    const slot = this.#firstSlot + ordinal
    const last = this.#firstSlot + this.count() - 1
    if (place !== null) this.#shapes.remove(Number(place))
    this.#run('DELETE FROM objects WHERE slot = ?', slot)
    if (last !== slot) {
      this.#run('UPDATE objects SET slot = ? WHERE slot = ?', slot, last)
      const moved = this.#get(`SELECT ${hashedColumns}, place FROM objects WHERE slot = ?`, slot) as Row
      if (moved.place !== null) this.#shapes.moved(Number(moved.place), slot)
      this.#hashes.set(ordinal, [moved.filename, moved.class, moved.width, moved.height] as HashedRow)
    }
    this.#hashes.truncate(last - this.#firstSlot)
    this.#resize(-1, -Number(size))
    this.#seen?.move(last - this.#firstSlot, ordinal)
  }

  #resize(count: number, bytes: number): void {
    this.#run('UPDATE kinds SET count = count + ?, bytes = bytes + ? WHERE id = ?', count, bytes, this.id)
  }

  #row(filename: string): Row | undefined {
    const sql = `SELECT slot, ${columns}, class, place, fault FROM objects WHERE kind = ? AND filename = ?`
    return this.#get(sql, this.id, filename)
  }

  #get(sql: string, ...params: (string | number)[]): Row | undefined {
    return this.#connection.get(sql, params)
  }

  #run(sql: string, ...params: (string | number | null)[]): void {
    this.#connection.run(sql, params)
  }

  #transaction<T>(act: () => T): T {
    return inTransaction(this.#connection.db, 'IMMEDIATE', act)
  }
}

const entryOf = (row: Row | undefined) => (row ? (row as unknown as CatalogueEntry) : null)

const isSame = (row: Row, { etag, size, modified }: CatalogueEntry) =>
  row.etag === etag && row.size === size && row.modified === modified
