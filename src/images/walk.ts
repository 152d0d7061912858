import { hashEnd, hashOf, highOf, lowBits, lowOf, mix32 } from '../lib/hash.ts'
import { firstFrom } from '../lib/sorted.ts'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { Kind } from './kinds.ts'
import type { Position } from './positions.ts'

/** The images of a kind, or those that match a filter, by the hashes of their names. Valid until the next change. */
export interface HashedImages {
  readonly size: number
  /** Grows with any change of an image. */
  readonly version: number
  /** Their ordinals in the kind, ascending; null: all from 0 to `size`, exclusive. */
  readonly ordinals: Uint32Array | null
  /** By ordinal: the first 32 bits of each hash. */
  readonly high: Uint32Array
  /** By ordinal: the other 21 bits. */
  readonly low: Uint32Array
}

export const beginning: Position = { round: 0, place: -1 }

export const isAhead = (one: Position, other: Position) =>
  one.round > other.round || (one.round === other.round && one.place > other.place)

export const walkerOf = (name: string): number => highOf(hashOf(name))

/*
 * Each round of each walker has its own order, without storing it: the bits of the hashes, from the first on, form a
 * binary tree, and at each node the round's seed says which half comes first (Owen scrambling). An image's place is its
 * hash with the first 32 bits flipped accordingly.
 */

const levels = 32

const seedOf = (walker: number, round: number) => mix32(walker ^ mix32(round + 1))

/** 1 if the upper half of a node comes first. `node`: the bits that lead to it, after a 1. */
const flipAt = (seed: number, node: number) => mix32(node ^ seed) & 1

/** The bits of a hash as those of its place, or back if `isPlace`. */
function scramble(seed: number, bits: number, isPlace: boolean): number {
  let flipped = bits
  let node = 1
  for (let level = levels - 1; level >= 0; level--) {
    flipped ^= flipAt(seed, node) << level
    node = (node << 1) | (((isPlace ? flipped : bits) >>> level) & 1)
  }
  return flipped >>> 0
}

/**
 * A place as what tells which hashes come after it: those that leave its path through the tree where its own bit is 0.
 */
function markAt(seed: number, place: number) {
  const bits = place < 0 ? 0 : highOf(place)
  const low = place < 0 ? -1 : lowOf(place)
  // As V8's small integers, which halves the time of a scan.
  return { path: scramble(seed, bits, true) | 0, bits: bits | 0, low: low | 0 }
}

type Mark = ReturnType<typeof markAt>

/** 1 if the hash comes after the mark, else 0: a branch that half of the images take would be several times as slow. */
function isAfter({ path, bits, low }: Mark, itsHigh: number, itsLow: number): number {
  const depth = Math.clz32(itsHigh ^ path)
  return depth === levels ? Number(itsLow > low) : ~(bits << depth) >>> 31
}

/** The images of a round between two places, in its order. */
export interface Stretch {
  readonly version: number
  readonly round: number
  /** Exclusive. */
  readonly from: number
  /** Inclusive. */
  readonly to: number
  readonly places: Float64Array
  readonly ordinals: Uint32Array
  /** How many images of the round come after `from`. */
  readonly left: number
  /** The entries that have been read, from an index on. */
  entries: readonly CatalogueEntry[]
  entriesFrom: number
}

/** Finding them takes as long for few images as for many, so large kinds have long stretches. */
const lengthOf = (size: number) => Math.max(256, size / 256)

/** What follows a position, unless nothing does: at least one image. Looks at every image of the kind. */
export function stretchAfter(images: HashedImages, walker: number, { round, place }: Position): Stretch {
  const { size, version, ordinals, high, low } = images
  const seed = seedOf(walker, round)
  const after = markAt(seed, place)
  for (let length = lengthOf(size); ; length *= 4) {
    const to = Math.min(hashEnd - 1, Math.floor(place + (hashEnd / size) * length))
    const beyond = markAt(seed, to)
    const found: number[] = []
    let left = 0
    for (let index = 0; index < size; index++) {
      const ordinal = ordinals === null ? index : (ordinals[index] as number)
      const itsHigh = high[ordinal] as number
      const itsLow = low[ordinal] as number
      const isLeft = isAfter(after, itsHigh, itsLow)
      left += isLeft
      if (isLeft > isAfter(beyond, itsHigh, itsLow)) found.push(ordinal)
    }
    if (found.length === 0 && left > 0) continue
    const sorted = found
      .map((ordinal) => {
        const its = scramble(seed, high[ordinal] as number, false) * lowBits + (low[ordinal] as number)
        return { ordinal, place: its }
      })
      .sort((one, other) => one.place - other.place)
    return {
      version,
      round,
      from: place,
      to,
      places: Float64Array.from(sorted, (each) => each.place),
      ordinals: Uint32Array.from(sorted, (each) => each.ordinal),
      left,
      entries: [],
      entriesFrom: 0,
    }
  }
}

const maxSkipped = 64
const fewImages = 16

/**
 * The first stretch of the next round. Skips rounds that would show the last image again at once, or begin like this
 * one; if there are many images, also rounds that would begin with those seen last.
 */
function nextRound(images: HashedImages, walker: number, { round, place }: Position): Stretch {
  const begin = (its: number) => stretchAfter(images, walker, { round: its, place: -1 })
  const hashOfFirst = ({ ordinals: [ordinal = 0] }: Stretch) =>
    (images.high[ordinal] as number) * lowBits + (images.low[ordinal] as number)
  const seed = seedOf(walker, round)
  const avoided = new Set<number>()
  if (place >= 0 && images.size > 1) avoided.add(hashAt(seed, place))
  if (images.size > 2) avoided.add(hashOfFirst(begin(round)))
  for (let next = round + 1; next < round + maxSkipped; next++) {
    if (images.size > fewImages && flipAt(seedOf(walker, next), 1) !== flipAt(seed, 1)) continue
    const stretch = begin(next)
    if (!avoided.has(hashOfFirst(stretch))) return stretch
  }
  return begin(round + 1)
}

function hashAt(seed: number, place: number): number {
  const { path, low } = markAt(seed, place)
  return (path >>> 0) * lowBits + low
}

const maxReadAhead = 16

/** How far a request takes a walk through images, of which there is at least one. */
export class WalkCursor {
  readonly #catalogue: Pick<Catalogue, 'hashed'>
  readonly kind: Kind
  readonly images: HashedImages
  readonly #walker: number
  position: Position
  stretch: Stretch
  /** The index of the next image in the stretch. */
  #next: number

  /** `known`: a stretch found earlier, which may be outdated or of another part of the walk. */
  constructor(
    catalogue: Pick<Catalogue, 'hashed'>,
    { kind, images }: { readonly kind: Kind; readonly images: HashedImages },
    walker: number,
    position: Position,
    known: Stretch | undefined,
  ) {
    this.#catalogue = catalogue
    this.kind = kind
    this.images = images
    this.#walker = walker
    this.position = position
    const { round, place } = position
    const isAt = known?.version === images.version && known.round === round && known.from <= place && place < known.to
    this.stretch = isAt ? known : stretchAfter(images, walker, position)
    this.#next = isAt ? firstFrom(known.places, known.places.length, place + 1) : 0
  }

  /** How many images are left in this round. */
  get left(): number {
    return this.stretch.left - this.#next
  }

  /** The next image, which must exist; null if another process has changed the kind. */
  step(): CatalogueEntry | null {
    if (this.#next === this.stretch.places.length) this.#enter(stretchAfter(this.images, this.#walker, this.position))
    const entry = this.#read()
    if (entry === null) return null
    this.position = { round: this.stretch.round, place: this.stretch.places[this.#next++] as number }
    return entry
  }

  /** Also of a kind that is not drawn from at once: all kinds together have shown everything. */
  turn(): void {
    const stretch = nextRound(this.images, this.#walker, this.position)
    this.#enter(stretch)
    this.position = { round: stretch.round, place: -1 }
  }

  #enter(stretch: Stretch): void {
    this.stretch = stretch
    this.#next = 0
  }

  /** Reads one image at first; for a walk that continues, several with one query. */
  #read(): CatalogueEntry | null {
    const { entries, entriesFrom, ordinals } = this.stretch
    const known = entries[this.#next - entriesFrom]
    if (known) return known
    const count = Math.min(Math.max(1, entries.length * 2), maxReadAhead)
    const found = this.#catalogue.hashed(this.kind, ordinals.subarray(this.#next, this.#next + count))
    if (found === null) return null
    this.stretch.entries = found
    this.stretch.entriesFrom = this.#next
    return found[0] ?? null
  }
}
