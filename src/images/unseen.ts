import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import { createLru } from '../lib/lru.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Catalogue } from './catalogue.ts'
import type { Choice, Random } from './choose.ts'
import type { Filter } from './filter.ts'
import type { ImageNews } from './image-news.ts'
import type { Kind } from './kinds.ts'
import type { Position, SavedPositions, SavedWalk, Walker, WalkStep } from './positions.ts'
import { inTime, type Selection } from './selection.ts'
import { beginning, isAhead, type Stretch, WalkCursor, walkerOf } from './walk.ts'

export interface Positions extends SavedPositions {
  /** Saves within a second. A position that another instance has advanced beyond is dropped. */
  save(walk: SavedWalk): void
}

/** For a program that offers no walks. */
export const noPositions: Positions = { find: () => null, save() {} }

/** One user's or link's walk through the matching images of a kind. */
interface Walk {
  readonly name: string
  /** Distinguishes its orders from those of other walks. */
  readonly number: number
  position: Position
  /** When the saved position was last read, by the monotonic clock. */
  readAt: number
  reading: Promise<void> | null
}

export interface Drawn {
  readonly choices: readonly Choice[]
  /** How many images the walker has not seen in this round. */
  readonly remaining: number
}

interface UnseenDeps {
  readonly catalogue: Catalogue
  readonly positions: Positions
  readonly clock: Clock
  /** Tells the other instances; null if there can be none. */
  readonly publishSteps: ImageNews['publishSteps'] | null
}

const maxKept = 10_000
/** Of all walks together: 12 bytes each. */
const maxStepsAhead = 262_144
/** How long an instance relies on the position that it knows: others may advance, and their news may be lost. */
const freshMs = 100
/** A step is published at once; steps that follow within this time are published together. */
const tellEveryMs = 10

/** Chooses images that a walker has not seen: every image of a kind once before any comes again. */
export class Unseen {
  readonly #deps: UnseenDeps
  readonly #walks = createLru<Walk>(maxKept)
  /** By the walk's name. */
  readonly #ahead = new LRUCache<string, Stretch>({
    maxSize: maxStepsAhead,
    sizeCalculation: ({ places }) => places.length + 1,
  })
  readonly #untold = new Map<string, WalkStep>()
  #toldAt = -Infinity

  constructor(deps: UnseenDeps) {
    this.#deps = deps
  }

  /** `count` distinct images of these kinds; fewer if there are fewer. With `isPeek`, they do not count as seen. */
  draw(walker: Walker, selection: Selection, count: number, random: Random, isPeek = false): MaybePromise<Drawn> {
    const { catalogue } = this.#deps
    const { of, filter } = selection
    const drawing: Drawing[] = []
    const waits: Promise<unknown>[] = []
    for (const kind of of) {
      const images = catalogue.hashes(kind, filter)
      const walk = this.#walk(walker, kind, filter)
      const known = this.#refresh(walk)
      if (isPromise(images)) waits.push(inTime(images))
      else if (known === null && images.size > 0) {
        const ahead = this.#ahead.get(walk.name)
        const cursor = new WalkCursor(catalogue, { kind, images }, walk.number, walk.position, ahead)
        drawing.push({ walk, ahead, cursor })
      }
      if (known !== null) waits.push(known)
    }
    const again = () => this.draw(walker, selection, count, random, isPeek)
    if (waits.length > 0) return Promise.all(waits).then(again)
    const drawn = drawFrom(
      drawing.map(({ cursor }) => cursor),
      count,
      random,
    )
    if (drawn === null) return again()
    for (const { walk, ahead, cursor } of drawing) {
      if (cursor.stretch !== ahead) this.#ahead.set(walk.name, cursor.stretch)
      if (isPeek || cursor.position === walk.position) continue
      walk.position = cursor.position
      this.#save(walker, { name: walk.name, ...cursor.position })
    }
    return drawn
  }

  /** Applies what another instance has published. */
  follow(steps: readonly WalkStep[]): void {
    for (const { name, ...position } of steps) learn(this.#walkOf(name), position)
  }

  #save({ userId, linkId }: Walker, step: WalkStep): void {
    const { clock, positions, publishSteps } = this.#deps
    const { name, round, place } = step
    // Written out: spreading both would take longer than everything else here.
    positions.save({ userId, linkId, name, round, place })
    if (publishSteps === null) return
    const isScheduled = this.#untold.size > 0
    this.#untold.set(step.name, step)
    if (isScheduled) return
    const tell = () => {
      this.#toldAt = clock.monotonic()
      publishSteps([...this.#untold.values()])
      this.#untold.clear()
    }
    const waitMs = this.#toldAt + tellEveryMs - clock.monotonic()
    if (waitMs > 0) setTimeout(tell, waitMs).unref()
    else setImmediate(tell)
  }

  /** Each filter has its own walk, since a walk skips what does not match. */
  #walk({ userId, linkId }: Walker, kind: Kind, filter: Filter | null): Walk {
    return this.#walkOf(`${linkId ?? userId} ${kind}${filter === null ? '' : ` ${filter.name}`}`)
  }

  #walkOf(name: string): Walk {
    const known = this.#walks.get(name)
    if (known) return known
    const made = { name, number: walkerOf(name), position: beginning, readAt: -Infinity, reading: null }
    this.#walks.set(name, made)
    return made
  }

  /** Null if the position is known; otherwise reads it once for all waiters. */
  #refresh(walk: Walk): Promise<void> | null {
    const { clock, positions } = this.#deps
    if (walk.reading !== null || clock.monotonic() - walk.readAt < freshMs) return walk.reading
    const found = positions.find(walk.name)
    const read = (saved: Position | null) => {
      if (saved !== null) learn(walk, saved)
      walk.readAt = clock.monotonic()
    }
    if (!isPromise(found)) {
      read(found)
      return null
    }
    walk.reading = found.then(read).finally(() => {
      walk.reading = null
    })
    return walk.reading
  }
}

function learn(walk: Walk, position: Position): void {
  if (isAhead(position, walk.position)) walk.position = position
}

interface Drawing {
  readonly walk: Walk
  readonly ahead: Stretch | undefined
  readonly cursor: WalkCursor
}

/** Null if another process has changed a kind. */
export function drawFrom(cursors: readonly WalkCursor[], count: number, random: Random): Drawn | null {
  const all = cursors.reduce((sum, { images }) => sum + images.size, 0)
  const left = () => cursors.reduce((sum, cursor) => sum + cursor.left, 0)
  const choices: Choice[] = []
  while (choices.length < Math.min(count, all)) {
    if (left() === 0) for (const cursor of cursors) cursor.turn()
    const cursor = cursorAt(cursors, Math.floor(random() * left()))
    const { kind } = cursor
    const entry = cursor.step()
    if (entry === null) return null
    // If a round ends within a reply, the next may begin with the same images.
    if (!choices.some((each) => each.kind === kind && each.entry.filename === entry.filename))
      choices.push({ kind, entry })
  }
  return { choices, remaining: left() }
}

/** The cursor that contains the image with this number among all that are left. */
function cursorAt(cursors: readonly WalkCursor[], number: number): WalkCursor {
  let rest = number
  for (const cursor of cursors) {
    if (rest < cursor.left) return cursor
    rest -= cursor.left
  }
  throw new Error('there are fewer images left than counted')
}
