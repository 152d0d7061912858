import type { ShapeFilter } from '../../images/shapes/classes.ts'
import type { HashOrder } from '../../images/walk.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { HashIndex } from './hash-index.ts'
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

  index(filter: ShapeFilter | null): HashIndex | undefined {
    return this.#orders.get(filter)?.index
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
    const [oldest] = this.#orders.keys()
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
