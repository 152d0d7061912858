import type { ShapeFilter } from '../../images/shapes/classes.ts'
import type { HashOrder } from '../../images/walk.ts'
import { hashOf } from '../../lib/hash.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { HashIndex } from './hash-index.ts'
import { type Entries, KindOrder, type Placed, type TakeTurn } from './kind-order.ts'
import { Sides } from './sides.ts'

/** Orders kept for filters, least recently used out first. For a million entries, building one takes 10 ms. */
const maxMatching = 8

/** The hash orders of a kind: of all entries (null), and of those that match a filter. Built on demand. */
export class KindOrders {
  readonly #entries: Entries
  readonly #takeTurn: TakeTurn
  #whole: KindOrder | null = null
  readonly #matching = new Map<ShapeFilter, HashIndex>()
  readonly #sides = new Sides()

  constructor(entries: Entries, takeTurn: TakeTurn) {
    this.#entries = (from, limit) => {
      const some = entries(from, limit)
      for (const [index, [, , width, height]] of some.entries()) this.#sides.set(from + index, sized(width, height))
      return some
    }
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
    const order = this.#matching.get(filter) ?? whole.index.filtered(filter.has, this.#sizesOf(filter))
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

  /** Call this when an entry gets this class and size, and this ordinal in the kind. */
  place(ordinal: number, [filename, shapeClass, width, height]: Placed): void {
    if (this.#whole === null) return
    this.#sides.set(ordinal, sized(width, height))
    this.#whole.place(filename, ordinal, shapeClass)
    if (this.#matching.size === 0) return
    const hash = hashOf(filename)
    for (const [filter, index] of this.#matching) {
      if (filter.has(shapeClass) && (this.#sizesOf(filter)?.(ordinal) ?? true)) index.set(hash, ordinal, shapeClass)
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
    this.#sides.clear()
  }

  #sizesOf(filter: ShapeFilter): ((ordinal: number) => boolean) | null {
    if (filter.least === null) return null
    const { width, height } = filter.least
    return (ordinal) => this.#sides.reach(ordinal, width, height)
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

const sized = (width: number | null, height: number | null) =>
  width === null || height === null ? null : { width, height }
