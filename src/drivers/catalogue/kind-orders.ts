import type { CatalogueEntry } from '../../images/catalogue.ts'
import type { ShapeFilter } from '../../images/shapes/classes.ts'
import type { HashOrder } from '../../images/walk.ts'
import { hashOf } from '../../lib/hash.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { KindOrder } from './kind-order.ts'

/** The oldest gives way; building one for a million entries takes a second. */
const maxOrders = 8

type Entry = readonly [filename: string, shapeClass: number]

/** The orders of a kind by hashes: of all entries (null), or of those that match a filter. Built when asked for. */
export class KindOrders {
  readonly #entries: (from: number, limit: number) => readonly Entry[]
  readonly #orders = new Map<ShapeFilter | null, KindOrder>()

  constructor(entries: (from: number, limit: number) => readonly Entry[]) {
    this.#entries = entries
  }

  get isEmpty(): boolean {
    return this.#orders.size === 0
  }

  /** `count`: how many it will have, about. */
  of(filter: ShapeFilter | null, count: () => number): MaybePromise<HashOrder> {
    const order = this.#orders.get(filter) ?? this.#build(filter, count())
    return order.ready ?? order.index
  }

  /** The entries at these ranks, which `read` finds by their ordinals; null, without the orders, if they are outdated. */
  entries(
    filter: ShapeFilter | null,
    ranks: readonly number[],
    read: (ordinals: readonly number[]) => CatalogueEntry[],
  ): CatalogueEntry[] | null {
    const index = this.#orders.get(filter)?.index
    if (index === undefined) return null
    if (ranks.every((rank) => rank < index.size)) {
      const found = read(ranks.map((rank) => index.ordinalAt(rank)))
      const hashes = found.map(({ filename }) => hashOf(filename))
      if (found.length === ranks.length && ranks.every((rank, at) => index.hashAt(rank) === hashes[at])) return found
    }
    this.drop()
    return null
  }

  /** What was read of an entry may be outdated. */
  changed(): void {
    for (const { index } of this.#orders.values()) index.version++
  }

  /** The entry has this class, and this ordinal in the kind, now. */
  place(filename: string, ordinal: number, shapeClass: number): void {
    for (const [filter, order] of this.#orders) {
      if (filter === null || filter.has(shapeClass)) order.place(filename, ordinal)
      else order.remove(filename)
    }
  }

  remove(filename: string): void {
    for (const order of this.#orders.values()) order.remove(filename)
  }

  /** Another process has changed the kind. */
  drop(): void {
    for (const filter of this.#orders.keys()) this.#end(filter)
  }

  #build(filter: ShapeFilter | null, count: number): KindOrder {
    // One that is being built is waited for.
    const [oldest] = this.#orders.entries().find(([, { ready }]) => ready === null) ?? []
    if (this.#orders.size >= maxOrders && oldest !== undefined) this.#end(oldest)
    const made = new KindOrder(count, (from, limit) =>
      this.#entries(from, limit).map(([filename, shapeClass]) =>
        filter === null || filter.has(shapeClass) ? filename : null,
      ),
    )
    made.ready?.catch(() => {
      if (this.#orders.get(filter) === made) this.#orders.delete(filter)
    })
    this.#orders.set(filter, made)
    return made
  }

  #end(filter: ShapeFilter | null): void {
    this.#orders.get(filter)?.drop()
    this.#orders.delete(filter)
  }
}
