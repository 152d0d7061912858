import { hashEnd, hashOf, highOf, lowBits, mix32 } from '../lib/hash.ts'
import type { Position } from './positions.ts'

/** Where the catalogue has an image. */
export interface Hashed {
  /** The hash of its name. */
  readonly hash: number
  /** Within its kind. */
  readonly ordinal: number
}

/** The images of a kind, sorted by the hashes of their names: one order for all instances. */
export interface HashOrder {
  readonly size: number
  /** A new object after any image was added, removed or changed, and different for every order. */
  readonly version: object
  /** The image with this rank, from 0 to `size`, exclusive. */
  at(rank: number): Hashed
  /** How many images have a smaller hash. */
  below(hash: number): number
  /** The images from `from` (inclusive) to `to` (exclusive). */
  within(from: number, to: number): Hashed[]
}

export const beginning: Position = { round: 0, place: -1 }

export const isAhead = (one: Position, other: Position) =>
  one.round > other.round || (one.round === other.round && one.place > other.place)

export const walkerOf = (name: string): number => highOf(hashOf(name))

/*
 * Each round of each walker has its own order, without storing it: the bits of the hashes, from the first on, form a
 * binary tree, and at each node the round's seed says which half comes first (Owen scrambling). An image's place is its
 * hash with these bits flipped, and the images of a subtree are consecutive.
 */

const levels = 32
/** The tree ends at the first 32 bits; hashes that share them are consecutive. */
const spans = Array.from({ length: levels + 1 }, (_, level) => 2 ** level * lowBits)
const spanOf = (level: number) => spans[level] as number

const seedOf = (walker: number, round: number) => mix32(walker ^ mix32(round + 1))

/** 1 if the upper half of a node comes first. `node`: the bits that lead to it, after a 1. */
const flipAt = (seed: number, node: number) => mix32(node ^ seed) & 1

/** The hash with its bits flipped, or flipped back if `isPlace`. `top`: the known flips, at `level` and above. */
function scramble(seed: number, value: number, isPlace: boolean, level = levels, top = 0): number {
  const bits = highOf(value)
  let flipped = bits ^ top
  let node = level === levels ? 1 : (1 << (levels - level)) | (bits >>> level)
  for (let at = level - 1; at >= 0; at--) {
    flipped ^= flipAt(seed, node) << at
    node = (node << 1) | (((isPlace ? flipped : bits) >>> at) & 1)
  }
  return (flipped >>> 0) * lowBits + (value - bits * lowBits)
}

/** How many images this walker has not seen in this round. */
export function countAhead(order: HashOrder, walker: number, { round, place }: Position): number {
  if (place < 0) return order.size
  const seed = seedOf(walker, round)
  const bits = highOf(place)
  let count = 0
  // The subtree that holds the place: its ranks, and the bits of hashes that lead to it.
  let [from, to, prefix, node] = [0, order.size, 0, 1]
  for (let level = levels - 1; level >= 0 && from < to; level--) {
    const middle = order.below((prefix * 2 + 1) * spanOf(level))
    const bit = (bits >>> level) & 1
    const upper = bit ^ flipAt(seed, node)
    if (bit === 0) count += upper === 1 ? middle - from : to - middle
    if (upper === 1) from = middle
    else to = middle
    prefix = prefix * 2 + upper
    node = node * 2 + upper
  }
  return from === to ? count : count + to - order.below(prefix * lowBits + (place - bits * lowBits) + 1)
}

/** A step to an image. */
export interface Step extends Position, Hashed {}

/** An average; a block may have twice as many. */
const perBlock = 8

/** The next few images of this round, if any: those of the next subtree that is not empty. */
export function stepsAhead(order: HashOrder, walker: number, { round, place }: Position): Step[] {
  const seed = seedOf(walker, round)
  const level = Math.min(levels, Math.clz32(order.size / perBlock) + 1)
  const span = spanOf(level)
  const steps: Step[] = []
  for (let at = Math.floor((place + 1) / span) * span; at < hashEnd && steps.length === 0; at += span) {
    const start = Math.floor(scramble(seed, at, true) / span) * span
    const top = highOf(start) ^ highOf(at)
    for (const { hash, ordinal } of order.within(start, start + span)) {
      const its = scramble(seed, hash, false, level, top)
      if (its > place) steps.push({ round, place: its, hash, ordinal })
    }
  }
  return steps.sort((one, other) => one.place - other.place)
}

const maxSkipped = 64
const fewImages = 16

/**
 * The beginning of the next round. Skips rounds that would show the last image again at once, or begin like this one;
 * if there are many images, also rounds that would begin with those seen last.
 */
export function nextRound(order: HashOrder, walker: number, { round, place }: Position): Position {
  const seed = seedOf(walker, round)
  const firstOf = (its: number) => stepsAhead(order, walker, { round: its, place: -1 })[0]?.hash
  const avoided = new Set<number | undefined>(place < 0 || order.size < 2 ? [] : [scramble(seed, place, true)])
  if (order.size > 2) avoided.add(firstOf(round))
  const isMeant = (next: number) => {
    if (order.size > fewImages && flipAt(seedOf(walker, next), 1) !== flipAt(seed, 1)) return false
    return !avoided.has(firstOf(next))
  }
  for (let next = round + 1; next < round + maxSkipped; next++) if (isMeant(next)) return { round: next, place: -1 }
  return { round: round + 1, place: -1 }
}
