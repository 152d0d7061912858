import type { StatementSync } from 'node:sqlite'
import type { CatalogueEntry, KindSummary, PagePosition, Sort } from '../../images/catalogue.ts'
import type { Shape } from '../../images/shapes/shape.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { entryColumns, prepareEntries } from './entry-rows.ts'
import { pageOrders } from './page-orders.ts'

/** Slots reserved per kind, more than any kind has objects. */
const maxOfKind = 2 ** 40

/** The slots and filenames of a kind's entries, in each order. */
export type Scans = Readonly<Record<Sort, StatementSync>>

export function prepareScan({ db }: SqliteConnection, sort: Sort): StatementSync {
  const sql = `SELECT slot, filename FROM objects WHERE kind = ? AND ${pageOrders[sort].after} LIMIT ?`
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}

type Row = Readonly<Record<string, unknown>>

/** The objects of a kind, as they are in the file. Ordinals are dense: the last entry takes the ordinal of a removed one. */
export class KindRows {
  readonly connection: SqliteConnection
  readonly id: number
  /** The slot of ordinal 0. */
  readonly firstSlot: number
  /** The entries with these ordinals. */
  readonly read: (ordinals: readonly number[] | Uint32Array) => CatalogueEntry[]
  readonly #scans: Scans

  constructor(kind: string, connection: SqliteConnection, scans: Scans) {
    this.connection = connection
    this.#scans = scans
    connection.run('INSERT INTO kinds (name) VALUES (?) ON CONFLICT DO NOTHING', [kind])
    this.id = Number(connection.get('SELECT id FROM kinds WHERE name = ?', [kind])?.id)
    this.firstSlot = this.id * maxOfKind
    const reading = prepareEntries(connection, 'json_each(?) CROSS JOIN objects ON slot = ? + value')
    this.read = (ordinals) => reading(`[${ordinals.join(',')}]`, this.firstSlot)
  }

  count(): number {
    return Number(this.#get('SELECT count FROM kinds WHERE id = ?', this.id)?.count)
  }

  at(ordinal: number): CatalogueEntry | null {
    return this.read([ordinal])[0] ?? null
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

  #get(sql: string, ...params: (string | number)[]): Row | undefined {
    return this.connection.get(sql, params)
  }
}
