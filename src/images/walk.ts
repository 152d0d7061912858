import { hashOf, highOf, lowBits, mix32 } from '../lib/hash.ts'
import type { Position } from './positions.ts'

/** The images of a kind, sorted by the hashes of their names: one order for all instances. */
export interface HashOrder {
  readonly size: number
  /** Another one after an image came, went or changed, and in every other order. */
  readonly version: object
  /** How many have a smaller hash. */
  below(hash: number): number
  hashAt(rank: number): number
}

export const beginning: Position = { round: 0, place: -1 }

export const isAhead = (one: Position, other: Position) =>
  one.round > other.round || (one.round === other.round && one.place > other.place)

/** What is left of a round: how many, and the rank of the next one. */
export interface Rest {
  readonly count: number
  readonly rank: number
}

export const walkerOf = (name: string): number => highOf(hashOf(name))

/*
 * Each round of each walker has an order of its own, without a list of it: the hashes are a binary tree, by their bits
 * from the first on, and at each node the round's seed says which half comes first (Owen scrambling). An image's
 * place is its hash with these bits flipped, so that the next one is found by climbing from the last.
 */

const levels = 32
/** The tree ends at the first 32 bits; hashes that share them follow each other. */
const spans = Array.from({ length: levels }, (_, level) => 2 ** level * lowBits)
const spanOf = (level: number) => spans[level] as number

const seedOf = (walker: number, round: number) => mix32(walker ^ mix32(round + 1))

/** 1 if the upper half of a node comes first. `node`: the bits that lead to it, after a 1. */
const flipAt = (seed: number, node: number) => mix32(node ^ seed) & 1

/** The hash with the bits flipped, or flipped back if `isPlace`. */
function scramble(seed: number, value: number, isPlace: boolean): number {
  const bits = highOf(value)
  let node = 1
  let result = 0
  for (let level = levels - 1; level >= 0; level--) {
    const bit = (bits >>> level) & 1
    const flipped = bit ^ flipAt(seed, node)
    result = result * 2 + flipped
    node = node * 2 + (isPlace ? flipped : bit)
  }
  return result * lowBits + (value - bits * lowBits)
}

/** The rank of the image that comes first of those below a node, which are at the ranks `from` to `to`. */
function firstOf(order: HashOrder, seed: number, from = 0, to = order.size, prefix = 0, level = levels): number {
  let first = from
  let end = to
  let bits = prefix
  let node = 2 ** (levels - level) + prefix
  for (let below = level - 1; below >= 0 && end - first > 1; below--) {
    const middle = order.below((bits * 2 + 1) * spanOf(below))
    const isUpper = middle === first || (middle < end && flipAt(seed, node) === 1)
    if (isUpper) first = middle
    else end = middle
    bits = bits * 2 + Number(isUpper)
    node = node * 2 + Number(isUpper)
  }
  return first
}

/**
 * What this walker has not seen in this round. `known`: how many that are, if the order has not changed since they were
 * counted, which takes longer than to find the next one.
 */
export function restOf(
  order: HashOrder,
  walker: number,
  { round, place }: Position,
  known: number | null = null,
): Rest {
  const seed = seedOf(walker, round)
  if (place < 0) return { count: order.size, rank: firstOf(order, seed) }
  const last = scramble(seed, place, true)
  const bits = highOf(last)
  const placeBits = highOf(place)
  // The ranks of the subtree climbed from, which holds the last image.
  let from = order.below(bits * lowBits)
  let to = order.below((bits + 1) * lowBits)
  let rank = order.below(last + 1)
  let count = to - rank
  for (let level = lowestJoint(order, bits, from, to); level < levels; level++) {
    if (known !== null && (count > 0 || known === 0)) return { count: known, rank }
    const sibling = ((bits >>> level) ^ 1) >>> 0
    const isBelow = (sibling & 1) === 0
    const outer = order.below((sibling + (isBelow ? 0 : 1)) * spanOf(level))
    const start = isBelow ? outer : to
    const end = isBelow ? from : outer
    const isLater = ((placeBits >>> level) & 1) === 0
    if (isLater && end > start) {
      if (count === 0) rank = firstOf(order, seed, start, end, sibling, level)
      count += end - start
    }
    if (isBelow) from = start
    else to = end
  }
  return { count, rank }
}

/** The lowest level at which the subtree of these ranks has a sibling with images. */
function lowestJoint(order: HashOrder, bits: number, from: number, to: number): number {
  const levelOf = (rank: number) => 31 - Math.clz32(bits ^ highOf(order.hashAt(rank)))
  return Math.min(from > 0 ? levelOf(from - 1) : levels, to < order.size ? levelOf(to) : levels)
}

/** The position of a walker who has seen the image at this rank in this round. */
export const positionAt = (order: HashOrder, walker: number, round: number, rank: number): Position => ({
  round,
  place: scramble(seedOf(walker, round), order.hashAt(rank), false),
})

const maxSkipped = 64
const fewImages = 16

/**
 * The beginning of the next round. Skips those that would show the last image again at once, or begin like this round;
 * of many images, also those that would begin with what was seen last.
 */
export function nextRound(order: HashOrder, walker: number, { round, place }: Position): Position {
  const seed = seedOf(walker, round)
  const avoided = new Set(place < 0 || order.size < 2 ? [] : [scramble(seed, place, true)])
  if (order.size > 2) avoided.add(order.hashAt(firstOf(order, seed)))
  const isMeant = (next: number) => {
    const its = seedOf(walker, next)
    if (order.size > fewImages && flipAt(its, 1) !== flipAt(seed, 1)) return false
    return !avoided.has(order.hashAt(firstOf(order, its)))
  }
  for (let next = round + 1; next < round + maxSkipped; next++) if (isMeant(next)) return { round: next, place: -1 }
  return { round: round + 1, place: -1 }
}
