import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { Kind } from './kinds.ts'
import type { Position, WalkStep } from './positions.ts'
import { countAhead, type HashOrder, nextRound, type Step, stepsAhead } from './walk.ts'

/** One user's or link's walk through the matching images of a kind. */
export interface Walk {
  readonly name: string
  /** Distinguishes its orders from those of other walks. */
  readonly number: number
  position: Position
  ahead: Ahead | null
}

/** What is known about the next steps, in this version of an order. The order itself may be gone. */
interface Ahead {
  readonly version: object
  /** How many images are left in this round. */
  readonly left: number
  readonly steps: readonly Step[]
  readonly entries: readonly CatalogueEntry[]
  readonly next: number
}

interface Place {
  readonly catalogue: Pick<Catalogue, 'ordered'>
  readonly kind: Kind
  readonly order: HashOrder
}

/** How far a request takes a walk; the walk itself moves with `keep`. */
export class WalkCursor {
  readonly #place: Place
  readonly #walk: Walk
  #position: Position
  #steps: readonly Step[] = []
  #entries: readonly CatalogueEntry[] = []
  #next = 0
  /** How many images are left in this round. */
  left: number

  constructor(place: Place, walk: Walk) {
    const { ahead, position } = walk
    this.#place = place
    this.#walk = walk
    this.#position = position
    if (ahead?.version === place.order.version) {
      this.left = ahead.left
      this.#steps = ahead.steps
      this.#entries = ahead.entries
      this.#next = ahead.next
    } else this.left = countAhead(place.order, walk.number, position)
  }

  get kind(): Kind {
    return this.#place.kind
  }

  get size(): number {
    return this.#place.order.size
  }

  /** The next image, which must exist; null if the order is outdated. */
  step(): CatalogueEntry | null {
    if (this.#next === this.#entries.length && !this.#readAhead()) return null
    this.#position = this.#steps[this.#next] as Step
    this.left--
    return this.#entries[this.#next++] as CatalogueEntry
  }

  turn(): void {
    const { order } = this.#place
    this.#position = nextRound(order, this.#walk.number, this.#position)
    this.left = order.size
    this.#entries = []
    this.#next = 0
  }

  /** Stores the new position in the walk; null if it has not moved. */
  keep(): WalkStep | null {
    const { version } = this.#place.order
    const { name, position } = this.#walk
    if (this.#position === position) return null
    this.#walk.position = this.#position
    this.#walk.ahead = { version, left: this.left, steps: this.#steps, entries: this.#entries, next: this.#next }
    return { name, round: this.#position.round, place: this.#position.place }
  }

  /** Reads one image at first; for a walk that continues, a few with one query. */
  #readAhead(): boolean {
    const { catalogue, kind, order } = this.#place
    const steps = stepsAhead(order, this.#walk.number, this.#position)
    if (this.#steps.length === 0) steps.length = 1
    const entries = catalogue.ordered(kind, steps)
    if (entries === null) return false
    this.#steps = steps
    this.#entries = entries
    this.#next = 0
    return true
  }
}
