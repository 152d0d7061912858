import type { CatalogueEntry, Listing, ReadHeader } from '../../images/catalogue.ts'
import type { Shape } from '../../images/shapes/shape.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { Bitmap } from './bitmap.ts'
import { mapIfLarge } from './catalogue-file.ts'
import { entryColumns } from './entry-rows.ts'
import { codeOf } from './faults.ts'
import { type ColumnRow, columnNames } from './kind-columns.ts'
import type { KindTable } from './kind-table.ts'

const droppedAtOnce = 500

type Row = Readonly<Record<string, unknown>>

/** Changes the objects of a kind. */
export class KindChanges {
  readonly #table: KindTable
  /** The ordinals that the listing in progress has seen. */
  #seen: Bitmap | null = null
  /** What has changed since its page was requested. */
  readonly #touched = new Set<string>()

  constructor(table: KindTable) {
    this.#table = table
  }

  put(entry: CatalogueEntry): void {
    this.#touch(entry.filename)
    this.#transaction(() => this.#store(entry))
  }

  remove(filename: string): void {
    this.#touch(filename)
    this.#transaction(() => {
      const row = this.#row(filename)
      if (row) this.#drop(Number(row.slot) - this.#table.firstSlot, row)
    })
  }

  describe(read: readonly ReadHeader[]): void {
    this.#transaction(() => {
      for (const { filename, etag, shape, fault } of read) {
        const row = this.#row(filename)
        if (row?.etag !== etag || row.fault !== null) continue
        const slot = Number(row.slot)
        if (row.isRead === 0) this.#setShape({ filename, slot }, shape)
        this.#run('UPDATE objects SET fault = ? WHERE slot = ?', codeOf(fault), slot)
      }
    })
  }

  listing(): Listing {
    const { connection, id } = this.#table
    const seen = new Bitmap()
    this.#touched.clear()
    // Other processes may have changed the kind.
    this.#table.discardRead()
    mapIfLarge(connection)
    const version = connection.dataVersion()
    this.#table.checkVersion(version)
    this.#seen = seen
    let below = Number.POSITIVE_INFINITY
    return {
      expect: () => this.#touched.clear(),
      take: (page) => this.#take(page, seen),
      end: () => {
        // Another process has moved entries, so the bits are wrong: nothing is dropped this time.
        if (this.#seen !== seen || connection.dataVersion() !== version) {
          if (this.#seen === seen) this.#seen = null
          return null
        }
        const dropped = this.#transaction(() => {
          const names: string[] = []
          while (names.length < droppedAtOnce) {
            below = seen.lastUnset(Math.min(below, this.#table.count() - 1))
            if (below < 0) break
            names.push(this.#dropAt(below))
          }
          return names
        })
        if (dropped.length > 0) {
          this.#table.discardRead()
          return dropped
        }
        this.#seen = null
        this.#run('UPDATE kinds SET complete = 1 WHERE id = ? AND complete = 0', id)
        return null
      },
    }
  }

  #take(page: readonly CatalogueEntry[], seen: Bitmap): string[] {
    const changed = page.filter((entry) => {
      if (this.#touched.has(entry.filename)) return false
      const row = this.#row(entry.filename)
      if (!row || !isSame(row, entry)) return true
      seen.set(Number(row.slot) - this.#table.firstSlot)
      return false
    })
    if (changed.length === 0) return []
    this.#table.discardRead()
    return this.#transaction(() => changed.filter((entry) => this.#store(entry))).map(({ filename }) => filename)
  }

  #touch(filename: string): void {
    if (this.#seen) this.#touched.add(filename)
    this.#table.discardRead()
  }

  /** Call in a transaction, like all methods below. False if nothing changed. */
  #store(entry: CatalogueEntry): boolean {
    const { id, firstSlot, columns } = this.#table
    const { filename, etag, size, modified } = entry
    const row = this.#row(filename)
    const slot = row ? Number(row.slot) : firstSlot + this.#table.count()
    this.#seen?.set(slot - firstSlot)
    if (row && isSame(row, entry)) return false
    columns.set(slot - firstSlot, [filename, null, null, null])
    if (row) {
      const sql =
        'UPDATE objects SET etag = ?, size = ?, modified = ?, isRead = 0, width = NULL, fault = NULL WHERE slot = ?'
      this.#run(sql, etag, size, modified, slot)
    } else {
      const sql = `INSERT INTO objects (slot, kind, ${entryColumns}) VALUES (?, ?, ?, ?, ?, ?)`
      this.#run(sql, slot, id, filename, etag, size, modified)
    }
    this.#resize(row ? 0 : 1, size - Number(row?.size ?? 0))
    return true
  }

  #setShape({ filename, slot }: { readonly filename: string; readonly slot: number }, shape: Shape | null): void {
    const { width = null, height = null, mime = null } = shape ?? {}
    const animated = shape && Number(shape.animated)
    const sql = 'UPDATE objects SET isRead = 1, width = ?, height = ?, mime = ?, animated = ? WHERE slot = ?'
    this.#run(sql, width, height, mime, animated, slot)
    this.#table.columns.set(slot - this.#table.firstSlot, [filename, width, height, animated])
  }

  #dropAt(ordinal: number): string {
    const sql = 'SELECT filename, size FROM objects WHERE slot = ?'
    const row = this.#table.connection.get(sql, [this.#table.firstSlot + ordinal]) as Row
    this.#drop(ordinal, row)
    return String(row.filename)
  }

  #drop(ordinal: number, { size }: Row): void {
    const { connection, firstSlot, columns } = this.#table
    const slot = firstSlot + ordinal
    const last = firstSlot + this.#table.count() - 1
    this.#run('DELETE FROM objects WHERE slot = ?', slot)
    if (last !== slot) {
      this.#run('UPDATE objects SET slot = ? WHERE slot = ?', slot, last)
      const moved = connection.get(`SELECT ${columnNames} FROM objects WHERE slot = ?`, [slot]) as Row
      columns.set(ordinal, [moved.filename, moved.width, moved.height, moved.animated] as ColumnRow)
    }
    columns.truncate(last - firstSlot)
    this.#resize(-1, -Number(size))
    this.#seen?.move(last - firstSlot, ordinal)
  }

  #resize(count: number, bytes: number): void {
    this.#run('UPDATE kinds SET count = count + ?, bytes = bytes + ? WHERE id = ?', count, bytes, this.#table.id)
  }

  #row(filename: string): Row | undefined {
    const sql = `SELECT slot, ${entryColumns}, isRead, fault FROM objects WHERE kind = ? AND filename = ?`
    return this.#table.connection.get(sql, [this.#table.id, filename])
  }

  #run(sql: string, ...params: (string | number | null)[]): void {
    this.#table.connection.run(sql, params)
  }

  #transaction<T>(act: () => T): T {
    return inTransaction(this.#table.connection.db, 'IMMEDIATE', act)
  }
}

const isSame = (row: Row, { etag, size, modified }: CatalogueEntry) =>
  row.etag === etag && row.size === size && row.modified === modified
