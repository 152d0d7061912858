import { createHash } from 'node:crypto'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { Kind } from './kinds.ts'

export interface Choice {
  readonly kind: Kind
  readonly entry: CatalogueEntry
}

/** Uniform in [0, 1). */
export type Random = () => number

/**
 * `count` distinct images, uniformly over all of these kinds and in random order; fewer if there are fewer. The first
 * steps of a Fisher-Yates shuffle, of which only the moved positions are stored.
 */
export function choose(catalogue: Catalogue, kinds: readonly Kind[], count: number, random: Random): Choice[] {
  const counts = catalogue.counts(kinds)
  const total = counts.reduce((sum, of) => sum + of, 0)
  const moved = new Map<number, number>()
  return Array.from({ length: Math.min(count, total) }, (_, index) => {
    const at = index + Math.floor(random() * (total - index))
    const chosen = moved.get(at) ?? at
    moved.set(at, moved.get(index) ?? index)
    return find(catalogue, kinds, counts, chosen)
  }).filter((choice) => choice !== null)
}

/** Null if another process has removed it since it was counted. */
function find(
  catalogue: Catalogue,
  kinds: readonly Kind[],
  counts: readonly number[],
  position: number,
): Choice | null {
  let ordinal = position
  let index = 0
  while (ordinal >= (counts[index] as number)) ordinal -= counts[index++] as number
  const kind = kinds[index] as Kind
  const entry = catalogue.at(kind, ordinal)
  return entry && { kind, entry }
}

/** The same numbers for the same seed, on every machine. */
export function seeded(seed: string): Random {
  let step = 0
  return () => {
    const bytes = createHash('sha256').update(`${step++}:${seed}`).digest()
    return bytes.readUIntBE(0, 6) / 2 ** 48
  }
}
