import type { ShapeFilter } from '../../images/shapes/classes.ts'
import type { HashOrder } from '../../images/walk.ts'
import { hashOf } from '../../lib/hash.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { HashIndex } from './hash-index.ts'
import { type Entries, KindOrder, type TakeTurn } from './kind-order.ts'

/** Orders kept for filters, least recently used out first. For a million entries, building one takes 10 ms. */
const maxMatching = 8

/** The hash orders of a kind: of all entries (null), and of those that match a filter. Built on demand. */
export class KindOrders {
  readonly #entries: Entries
  readonly #takeTurn: TakeTurn
  #whole: KindOrder | null = null
  readonly #matching = new Map<ShapeFilter, HashIndex>()

  constructor(entries: Entries, takeTurn: TakeTurn) {
    this.#entries = entries
    this.#takeTurn = takeTurn
  }

  get isEmpty(): boolean {
    return this.#whole === null
  }

  /** `count` returns the approximate size of the whole kind. */
  of(filter: ShapeFilter | null, count: () => number): MaybePromise<HashOrder> {
    const whole = this.#whole ?? this.#build(count())
    if (filter === null) return whole.ready ?? whole.index
    if (whole.ready !== null) return whole.ready.then(() => this.of(filter, count))
    const order = this.#matching.get(filter) ?? whole.index.filtered(filter.has)
    this.#matching.delete(filter)
    this.#matching.set(filter, order)
    const [oldest] = this.#matching.keys()
    if (this.#matching.size > maxMatching && oldest !== undefined) this.#matching.delete(oldest)
    return order
  }

  /** Call this when what was read of an entry may be outdated. */
  changed(): void {
    if (this.#whole) this.#whole.index.version = {}
    for (const index of this.#matching.values()) index.version = {}
  }

  /** Call this when an entry gets this class, and this ordinal in the kind. */
  place(filename: string, ordinal: number, shapeClass: number): void {
    this.#whole?.place(filename, ordinal, shapeClass)
    if (this.#matching.size === 0) return
    const hash = hashOf(filename)
    for (const [filter, index] of this.#matching) {
      if (filter.has(shapeClass)) index.set(hash, ordinal, shapeClass)
      else index.delete(hash)
    }
  }

  remove(filename: string): void {
    this.#whole?.remove(filename)
    for (const index of this.#matching.values()) index.delete(hashOf(filename))
  }

  /** Call this when another process has changed the kind. */
  drop(): void {
    this.#whole?.drop()
    this.#whole = null
    this.#matching.clear()
  }

  #build(count: number): KindOrder {
    const made = new KindOrder(count, this.#entries, this.#takeTurn)
    made.ready?.catch(() => {
      if (this.#whole === made) this.#whole = null
    })
    this.#whole = made
    return made
  }
}
