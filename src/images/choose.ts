import { createHash } from 'node:crypto'
import type { Catalogue, CatalogueEntry, EntryGroup } from './catalogue.ts'
import type { Filter } from './filter.ts'
import type { Kind } from './kinds.ts'

export interface Choice {
  readonly kind: Kind
  readonly entry: CatalogueEntry
}

/** Uniform in [0, 1). */
export type Random = () => number

/**
 * `count` distinct images, uniformly over all matching images of these kinds, in random order; fewer if there are
 * fewer. The first steps of a Fisher-Yates shuffle that stores only the moved positions.
 */
export function choose(
  catalogue: Catalogue,
  kinds: readonly Kind[],
  count: number,
  random: Random,
  filter: Filter | null = null,
): Choice[] {
  const groups = catalogue.groups(kinds, filter)
  const total = groups.reduce((sum, group) => sum + group.count, 0)
  const moved = new Map<number, number>()
  return Array.from({ length: Math.min(count, total) }, (_, index) => {
    const at = index + Math.floor(random() * (total - index))
    const chosen = moved.get(at) ?? at
    moved.set(at, moved.get(index) ?? index)
    return find(groups, chosen)
  }).filter((choice) => choice !== null)
}

/** Null if another process has removed the entry since it was counted. */
function find(groups: readonly EntryGroup[], position: number): Choice | null {
  let number = position
  for (const group of groups) {
    const entry = number < group.count ? group.at(number) : null
    if (number < group.count) return entry && { kind: group.kind, entry }
    number -= group.count
  }
  return null
}

/** The same numbers for the same seed, on every machine. */
export function seeded(seed: string): Random {
  let step = 0
  return () => {
    const bytes = createHash('sha256').update(`${step++}:${seed}`).digest()
    return bytes.readUIntBE(0, 6) / 2 ** 48
  }
}
