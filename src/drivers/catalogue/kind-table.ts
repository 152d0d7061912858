import type { StatementSync } from 'node:sqlite'
import type { CatalogueEntry, KindSummary, Listing } from '../../images/catalogue.ts'
import type { HashOrder } from '../../images/walk.ts'
import { hashOf } from '../../lib/hash.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { Bitmap } from './bitmap.ts'
import { mapIfLarge } from './catalogue-file.ts'
import { KindOrder } from './kind-order.ts'

/** No kind has more objects. */
const maxOfKind = 2 ** 40
/** One query draws this many picks once a kind is often asked for. */
const maxDrawn = 256
const droppedAtOnce = 500
const columns = 'filename, etag, size, modified'

type Row = Readonly<Record<string, unknown>>

/** The objects of a kind. Ordinals are dense: the last entry takes the place of a removed one. */
export class KindTable {
  readonly #connection: SqliteConnection
  readonly #random: () => number
  readonly #id: number
  /** The slot of ordinal 0. */
  readonly #firstSlot: number
  readonly #drawing: StatementSync
  readonly #reading: StatementSync
  /** Picks drawn ahead, each uniform and independent; discarded at any change of the kind. */
  #drawn: CatalogueEntry[] = []
  #nextDraw = 1
  /** The ordinals that the listing in progress has seen. */
  #seen: Bitmap | null = null
  /** Null until it is asked for. */
  #order: KindOrder | null = null
  #orderVersion = 0
  /** What has changed since its page was requested. */
  readonly #touched = new Set<string>()

  constructor(connection: SqliteConnection, kind: string, random: () => number) {
    this.#connection = connection
    this.#random = random
    connection.run('INSERT INTO kinds (name) VALUES (?) ON CONFLICT DO NOTHING', [kind])
    this.#id = Number(connection.get('SELECT id FROM kinds WHERE name = ?', [kind])?.id)
    this.#firstSlot = this.#id * maxOfKind
    this.#drawing = connection.db.prepare(`SELECT ${columns} FROM json_each(?) CROSS JOIN objects ON slot = ? + value`)
    // SQLite's row objects are slow to make and to read.
    this.#drawing.setReturnArrays(true)
    this.#reading = connection.db.prepare(`SELECT ${columns} FROM objects WHERE slot = ?`)
    this.#reading.setReturnArrays(true)
  }

  count(): number {
    return Number(this.#get('SELECT count FROM kinds WHERE id = ?', this.#id)?.count)
  }

  pick(): CatalogueEntry | null {
    return this.#drawn.pop() ?? this.#draw() ?? null
  }

  at(ordinal: number): CatalogueEntry | null {
    return entryOf(this.#get(`SELECT ${columns} FROM objects WHERE slot = ?`, this.#firstSlot + ordinal))
  }

  order(): MaybePromise<HashOrder> {
    if (this.#order === null) {
      const sql = 'SELECT filename FROM objects WHERE slot >= ? AND slot < ? ORDER BY slot'
      const names = this.#connection.db.prepare(sql)
      names.setReturnArrays(true)
      this.#orderVersion = this.#dataVersion()
      const made = new KindOrder(this.count(), (from, limit) =>
        (names.all(this.#firstSlot + from, this.#firstSlot + from + limit) as unknown as [string][]).flat(),
      )
      made.ready?.catch(() => {
        if (this.#order === made) this.#order = null
      })
      this.#order = made
    }
    return this.#order.ready ?? this.#order.index
  }

  ranked(rank: number): CatalogueEntry | null {
    const index = this.#order?.index
    if (index === undefined || rank >= index.size) return null
    const row = this.#reading.get(this.#firstSlot + index.ordinalAt(rank))
    if (row) {
      const [filename, etag, size, modified] = row as unknown as [string, string, number, number]
      if (hashOf(filename) === index.hashAt(rank)) return { filename, etag, size, modified }
    }
    this.#dropOrder()
    return null
  }

  find(filename: string): CatalogueEntry | null {
    return entryOf(this.#get(`SELECT ${columns} FROM objects WHERE kind = ? AND filename = ?`, this.#id, filename))
  }

  page(after: string, limit: number): CatalogueEntry[] {
    const sql = `SELECT ${columns} FROM objects WHERE kind = ? AND filename > ? ORDER BY filename LIMIT ?`
    return this.#connection.run(sql, [this.#id, after, limit]).rows as unknown as CatalogueEntry[]
  }

  summary(): KindSummary {
    const row = this.#get('SELECT count, bytes FROM kinds WHERE id = ?', this.#id)
    const newest = this.#get('SELECT max(modified) AS newest FROM objects WHERE kind = ?', this.#id)?.newest ?? null
    return { count: Number(row?.count), bytes: Number(row?.bytes), newest: newest === null ? null : Number(newest) }
  }

  /** Whether every object was listed once. */
  isComplete(): boolean {
    return this.#get('SELECT complete FROM kinds WHERE id = ?', this.#id)?.complete === 1
  }

  put(entry: CatalogueEntry): void {
    this.#touch(entry.filename)
    this.#transaction(() => this.#store(entry))
  }

  remove(filename: string): void {
    this.#touch(filename)
    this.#transaction(() => {
      const row = this.#row(filename)
      if (row) this.#drop(Number(row.slot) - this.#firstSlot, { filename, size: Number(row.size) })
      else this.#order?.remove(filename)
    })
  }

  listing(): Listing {
    const seen = new Bitmap()
    this.#touched.clear()
    // Other processes may have changed the kind.
    this.#discardDrawn()
    mapIfLarge(this.#connection)
    const version = this.#dataVersion()
    if (version !== this.#orderVersion) this.#dropOrder()
    this.#seen = seen
    let below = Number.POSITIVE_INFINITY
    return {
      expect: () => this.#touched.clear(),
      take: (page) => this.#take(page, seen),
      end: () => {
        // Another process has moved entries, so their bits are wrong: nothing is dropped this time.
        if (this.#seen !== seen || this.#dataVersion() !== version) {
          if (this.#seen === seen) this.#seen = null
          return null
        }
        const dropped: string[] = []
        this.#transaction(() => {
          while (dropped.length < droppedAtOnce) {
            below = seen.lastUnset(Math.min(below, this.count() - 1))
            if (below < 0) break
            const row = this.#get('SELECT filename, size FROM objects WHERE slot = ?', this.#firstSlot + below)
            const gone = { filename: String(row?.filename), size: Number(row?.size) }
            this.#drop(below, gone)
            dropped.push(gone.filename)
          }
        })
        if (dropped.length > 0) {
          this.#discardDrawn()
          return dropped
        }
        this.#seen = null
        this.#run('UPDATE kinds SET complete = 1 WHERE id = ? AND complete = 0', this.#id)
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

  #draw(): CatalogueEntry | undefined {
    const count = this.count()
    if (count === 0) return undefined
    const ordinals = Array.from({ length: this.#nextDraw }, () => Math.floor(this.#random() * count))
    this.#nextDraw = Math.min(this.#nextDraw * 2, maxDrawn)
    this.#drawn = this.#drawing.all(`[${ordinals.join(',')}]`, this.#firstSlot).map((row) => {
      const [filename, etag, size, modified] = row as unknown as [string, string, number, number]
      return { filename, etag, size, modified }
    })
    return this.#drawn.pop()
  }

  #touch(filename: string): void {
    if (this.#seen) this.#touched.add(filename)
    this.#discardDrawn()
  }

  #dropOrder(): void {
    this.#order?.drop()
    this.#order = null
  }

  #discardDrawn(): void {
    this.#drawn = []
    this.#nextDraw = 1
  }

  /** In a transaction. False if nothing changes. */
  #store(entry: CatalogueEntry): boolean {
    const { filename, etag, size, modified } = entry
    const row = this.#row(filename)
    const slot = row ? Number(row.slot) : this.#firstSlot + this.count()
    this.#seen?.set(slot - this.#firstSlot)
    this.#order?.place(filename, slot - this.#firstSlot)
    if (row && isSame(row, entry)) return false
    if (row) this.#run('UPDATE objects SET etag = ?, size = ?, modified = ? WHERE slot = ?', etag, size, modified, slot)
    else {
      const sql = `INSERT INTO objects (slot, kind, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`
      this.#run(sql, slot, this.#id, filename, etag, size, modified)
    }
    this.#resize(row ? 0 : 1, size - Number(row?.size ?? 0))
    return true
  }

  /** In a transaction. */
  #drop(ordinal: number, { filename, size }: Pick<CatalogueEntry, 'filename' | 'size'>): void {
    const last = this.count() - 1
    this.#order?.remove(filename)
    this.#run('DELETE FROM objects WHERE slot = ?', this.#firstSlot + ordinal)
    if (last !== ordinal) {
      const moved = this.#order && this.at(last)
      this.#run('UPDATE objects SET slot = ? WHERE slot = ?', this.#firstSlot + ordinal, this.#firstSlot + last)
      if (moved) this.#order?.place(moved.filename, ordinal)
    }
    this.#resize(-1, -size)
    this.#seen?.move(last, ordinal)
  }

  #resize(count: number, bytes: number): void {
    this.#run('UPDATE kinds SET count = count + ?, bytes = bytes + ? WHERE id = ?', count, bytes, this.#id)
  }

  #row(filename: string): Row | undefined {
    return this.#get(`SELECT slot, ${columns} FROM objects WHERE kind = ? AND filename = ?`, this.#id, filename)
  }

  #dataVersion(): number {
    return Number(this.#get('PRAGMA data_version')?.data_version)
  }

  #get(sql: string, ...params: (string | number)[]): Row | undefined {
    return this.#connection.get(sql, params)
  }

  #run(sql: string, ...params: (string | number)[]): void {
    this.#connection.run(sql, params)
  }

  #transaction<T>(act: () => T): T {
    return inTransaction(this.#connection.db, 'IMMEDIATE', act)
  }
}

const entryOf = (row: Row | undefined) => (row ? (row as unknown as CatalogueEntry) : null)

const isSame = (row: Row, { etag, size, modified }: CatalogueEntry) =>
  row.etag === etag && row.size === size && row.modified === modified
