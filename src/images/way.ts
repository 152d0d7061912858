import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { Kind } from './kinds.ts'
import type { Position, WalkStep } from './positions.ts'
import type { ShapeFilter } from './shapes/classes.ts'
import { type HashOrder, nextRound, positionAt, type Rest, restOf } from './walk.ts'

/** One user's or link's walk through the matching images of a kind. */
export interface Walk {
  readonly name: string
  /** Distinguishes its orders from those of others. */
  readonly number: number
  position: Position
  ahead: Ahead | null
}

interface Step {
  readonly entry: CatalogueEntry
  readonly position: Position
  /** What is left behind it. */
  readonly rest: Rest
}

/** What was found out about the steps that follow, in this version of an order. The order itself may be gone. */
interface Ahead {
  readonly version: object
  readonly rest: Rest
  readonly steps: readonly Step[]
  readonly next: number
}

interface Place {
  readonly catalogue: Pick<Catalogue, 'ranked'>
  readonly kind: Kind
  readonly filter: ShapeFilter | null
  readonly order: HashOrder
}

/** One query reads so many steps of a walk that goes on. */
const maxAhead = 8

/** How far a request takes a walk; the walk itself moves with `keep`. */
export class Way {
  readonly #place: Place
  readonly #walk: Walk
  #position: Position
  #steps: readonly Step[] = []
  #next = 0
  rest: Rest

  constructor(place: Place, walk: Walk) {
    const { ahead, position } = walk
    this.#place = place
    this.#walk = walk
    this.#position = position
    if (ahead?.version === place.order.version) {
      this.rest = ahead.rest
      this.#steps = ahead.steps
      this.#next = ahead.next
    } else this.rest = restOf(place.order, walk.number, position)
  }

  get kind(): Kind {
    return this.#place.kind
  }

  get size(): number {
    return this.#place.order.size
  }

  /** The next image, of which there must be one; null if the order is outdated. */
  step(): CatalogueEntry | null {
    if (this.#next === this.#steps.length && !this.#readAhead()) return null
    const { entry, position, rest } = this.#steps[this.#next++] as Step
    this.#position = position
    this.rest = rest
    return entry
  }

  turn(): void {
    const { order } = this.#place
    const { number } = this.#walk
    this.#position = nextRound(order, number, this.#position)
    this.rest = restOf(order, number, this.#position)
    this.#steps = []
    this.#next = 0
  }

  /** The walk as it is now; null if it has not moved. */
  keep(): WalkStep | null {
    const { version } = this.#place.order
    if (this.#position === this.#walk.position) return null
    this.#walk.position = this.#position
    this.#walk.ahead = { version, rest: this.rest, steps: this.#steps, next: this.#next }
    return { name: this.#walk.name, ...this.#position }
  }

  #readAhead(): boolean {
    const { catalogue, kind, filter, order } = this.#place
    const { number } = this.#walk
    const size = Math.min(this.#steps.length * 2 || 1, maxAhead)
    const ranks: number[] = []
    const places: Pick<Step, 'position' | 'rest'>[] = []
    let position = this.#position
    let rest = this.rest
    while (ranks.length < size && rest.count > 0) {
      ranks.push(rest.rank)
      position = positionAt(order, number, position.round, rest.rank)
      rest = restOf(order, number, position, rest.count - 1)
      places.push({ position, rest })
    }
    const entries = catalogue.ranked(kind, ranks, filter)
    if (entries === null) return false
    this.#steps = entries.map((entry, index) => ({ entry, ...(places[index] as Pick<Step, 'position' | 'rest'>) }))
    this.#next = 0
    return true
  }
}
