import type { CatalogueEntry, Listing, ReadHeader } from '../../images/catalogue.ts'
import { classOf, unreadClass } from '../../images/shapes/classes.ts'
import type { Shape } from '../../images/shapes/shape.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { Bitmap } from './bitmap.ts'
import { mapIfLarge } from './catalogue-file.ts'
import { entryColumns as columns } from './entry-rows.ts'
import { codeOf } from './faults.ts'
import { type HashedRow, hashedColumns } from './kind-hashes.ts'
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
    this.#table.shapes.discardDrawn()
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
    const { id, firstSlot, hashes, shapes } = this.#table
    const { filename, etag, size, modified } = entry
    const row = this.#row(filename)
    const slot = row ? Number(row.slot) : firstSlot + this.#table.count()
    this.#seen?.set(slot - firstSlot)
    if (row && isSame(row, entry)) return false
    hashes.set(slot - firstSlot, [filename, unreadClass, null, null])
    if (row) {
      if (row.place !== null) shapes.remove(Number(row.place))
      const sql = `UPDATE objects SET etag = ?, size = ?, modified = ?, class = ${unreadClass}, place = NULL, fault = NULL WHERE slot = ?`
      this.#run(sql, etag, size, modified, slot)
    } else {
      const sql = `INSERT INTO objects (slot, kind, ${columns}) VALUES (?, ?, ?, ?, ?, ?)`
      this.#run(sql, slot, id, filename, etag, size, modified)
    }
    this.#resize(row ? 0 : 1, size - Number(row?.size ?? 0))
    return true
  }

  #setShape({ filename, slot }: { readonly filename: string; readonly slot: number }, shape: Shape | null): void {
    const { firstSlot, hashes, shapes } = this.#table
    const shapeClass = classOf(shape)
    const { width = null, height = null, mime = null, animated = null } = shape ?? {}
    const place = shape === null ? null : shapes.add(shapeClass, slot)
    const sql = 'UPDATE objects SET class = ?, place = ?, width = ?, height = ?, mime = ?, animated = ? WHERE slot = ?'
    this.#run(sql, shapeClass, place, width, height, mime, animated === null ? null : Number(animated), slot)
    hashes.set(slot - firstSlot, [filename, shapeClass, width, height])
  }

  #dropAt(ordinal: number): string {
    const sql = 'SELECT filename, size, place FROM objects WHERE slot = ?'
    const row = this.#table.connection.get(sql, [this.#table.firstSlot + ordinal]) as Row
    this.#drop(ordinal, row)
    return String(row.filename)
  }

  #drop(ordinal: number, { size, place }: Row): void {
    const { connection, firstSlot, hashes, shapes } = this.#table
    const slot = firstSlot + ordinal
    const last = firstSlot + this.#table.count() - 1
    if (place !== null) shapes.remove(Number(place))
    this.#run('DELETE FROM objects WHERE slot = ?', slot)
    if (last !== slot) {
      this.#run('UPDATE objects SET slot = ? WHERE slot = ?', slot, last)
      const moved = connection.get(`SELECT ${hashedColumns}, place FROM objects WHERE slot = ?`, [slot]) as Row
      if (moved.place !== null) shapes.moved(Number(moved.place), slot)
      hashes.set(ordinal, [moved.filename, moved.class, moved.width, moved.height] as HashedRow)
    }
    hashes.truncate(last - firstSlot)
    this.#resize(-1, -Number(size))
    this.#seen?.move(last - firstSlot, ordinal)
  }

  #resize(count: number, bytes: number): void {
    this.#run('UPDATE kinds SET count = count + ?, bytes = bytes + ? WHERE id = ?', count, bytes, this.#table.id)
  }

  #row(filename: string): Row | undefined {
    const sql = `SELECT slot, ${columns}, class, place, fault FROM objects WHERE kind = ? AND filename = ?`
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
