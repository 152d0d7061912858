import type { CatalogueEntry, EntryGroup, PagePosition } from '../../images/catalogue.ts'
import { type ShapeFilter, unknownClass } from '../../images/shapes/classes.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { DrawnAhead } from './drawn-ahead.ts'
import { entryColumns, prepareEntries } from './entry-rows.ts'
import { mergePages } from './merge-pages.ts'
import type { PageOrder } from './page-orders.ts'

/** Places reserved per class, more than any class has objects. */
const maxOfClass = 2 ** 31
/** Filters for which picks are drawn ahead. */
const maxFilters = 16

interface Options {
  readonly kind: number
  /** The first place of class 0. */
  readonly firstPlace: number
  readonly random: () => number
}

interface ClassCount {
  readonly class: number
  readonly count: number
}

/** The classified objects of a kind, by class, with dense ordinals as in the table of objects. */
export class ShapeGroups {
  readonly #connection: SqliteConnection
  readonly #kind: number
  readonly #firstPlace: number
  readonly #random: () => number
  readonly #reading: ReturnType<typeof prepareEntries>
  readonly #drawn = new Map<ShapeFilter, DrawnAhead>()

  constructor(connection: SqliteConnection, { kind, firstPlace, random }: Options) {
    this.#connection = connection
    this.#kind = kind
    this.#firstPlace = firstPlace
    this.#random = random
    const members = 'json_each(?) CROSS JOIN members ON members.place = value'
    this.#reading = prepareEntries(connection, `${members} CROSS JOIN objects ON objects.slot = members.slot`)
  }

  pick(filter: ShapeFilter): CatalogueEntry | null {
    const known = this.#drawn.get(filter)
    if (known) return known.pick()
    if (this.#drawn.size >= maxFilters) this.#drawn.clear()
    const made = new DrawnAhead((count) => this.#draw(filter, count))
    this.#drawn.set(filter, made)
    return made.pick()
  }

  discardDrawn(): void {
    for (const drawn of this.#drawn.values()) drawn.discard()
  }

  groups(kind: string, filter: ShapeFilter): EntryGroup[] {
    return this.#counts(filter).map(({ class: shapeClass, count }) => ({
      kind,
      count,
      at: (ordinal) => this.#reading(`[${this.#placeOf(shapeClass, ordinal)}]`)[0] ?? null,
    }))
  }

  page(order: PageOrder, after: PagePosition, limit: number, filter: ShapeFilter): CatalogueEntry[] {
    const lists = this.#counts(filter).map(
      (each) => (from: PagePosition, length: number) => this.pageOf(each.class, order, from, length),
    )
    return mergePages(order, lists, after, limit)
  }

  pageOf(shapeClass: number, order: PageOrder, after: PagePosition, limit: number): CatalogueEntry[] {
    // The index for the newest contains only known shapes, and is used only if the query says so.
    const isKnown = shapeClass > unknownClass ? ` AND class > ${unknownClass}` : ''
    const sql = `SELECT ${entryColumns} FROM objects WHERE kind = ? AND class = ?${isKnown} AND ${order.after} LIMIT ?`
    const params = [this.#kind, shapeClass, ...order.params(after), limit]
    return this.#connection.run(sql, params).rows as unknown as CatalogueEntry[]
  }

  /** The number of objects in each matching class. */
  #counts(filter: ShapeFilter): ClassCount[] {
    const sql = 'SELECT class, count FROM classes WHERE kind = ? AND count > 0'
    const rows = this.#connection.run(sql, [this.#kind]).rows as unknown as ClassCount[]
    return rows.filter((row) => filter.has(row.class))
  }

  /** Call in a transaction, like all methods below. Returns the object's place. */
  add(shapeClass: number, slot: number): number {
    const place = this.#placeOf(shapeClass, this.#count(shapeClass))
    this.#run('INSERT INTO members (place, slot) VALUES (?, ?)', place, slot)
    const sql = 'INSERT INTO classes (kind, class, count) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1'
    this.#run(sql, this.#kind, shapeClass)
    return place
  }

  /** The last object of the class takes the place. */
  remove(place: number): void {
    const shapeClass = Math.floor((place - this.#firstPlace) / maxOfClass)
    const last = this.#placeOf(shapeClass, this.#count(shapeClass) - 1)
    if (last !== place) {
      const slot = Number(this.#connection.get('SELECT slot FROM members WHERE place = ?', [last])?.slot)
      this.#run('UPDATE objects SET place = ? WHERE slot = ?', place, slot)
      this.moved(place, slot)
    }
    this.#run('DELETE FROM members WHERE place = ?', last)
    this.#run('UPDATE classes SET count = count - 1 WHERE kind = ? AND class = ?', this.#kind, shapeClass)
  }

  /** Call this when the object in this place gets another slot. */
  moved(place: number, slot: number): void {
    this.#run('UPDATE members SET slot = ? WHERE place = ?', slot, place)
  }

  #draw(filter: ShapeFilter, drawn: number): CatalogueEntry[] {
    const classes = this.#counts(filter)
    const total = classes.reduce((sum, { count }) => sum + count, 0)
    if (total === 0) return []
    const places = Array.from({ length: drawn }, () => {
      let ordinal = Math.floor(this.#random() * total)
      for (const { class: shapeClass, count } of classes) {
        if (ordinal < count) return this.#placeOf(shapeClass, ordinal)
        ordinal -= count
      }
      throw new Error('there are fewer images than counted')
    })
    return this.#reading(`[${places.join(',')}]`)
  }

  #placeOf(shapeClass: number, ordinal: number): number {
    return this.#firstPlace + shapeClass * maxOfClass + ordinal
  }

  #count(shapeClass: number): number {
    const sql = 'SELECT count FROM classes WHERE kind = ? AND class = ?'
    return Number(this.#connection.get(sql, [this.#kind, shapeClass])?.count ?? 0)
  }

  #run(sql: string, ...params: number[]): void {
    this.#connection.run(sql, params)
  }
}
