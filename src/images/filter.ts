import { createHash } from 'node:crypto'
import type { Orientation } from './shapes/choices.ts'
import { maxSide } from './shapes/shape.ts'

/** What a request asks for. */
export interface FilterTerms {
  readonly orientation?: Orientation | undefined
  readonly animated?: boolean | undefined
  readonly minWidth?: number | undefined
  readonly minHeight?: number | undefined
  /** An image must have all of them. */
  readonly tags?: readonly string[] | undefined
  /** An image must have none of them. */
  readonly without?: readonly string[] | undefined
}

interface ShapeTerms {
  readonly orientation: Orientation | undefined
  readonly animated: boolean | undefined
  readonly minWidth: number
  readonly minHeight: number
}

export interface Filter {
  /** The same for equal terms, at most 80 characters. Saved with positions, so existing names must not change. */
  readonly name: string
  /** Null if any shape matches, also an unknown one. */
  readonly shape: ShapeTerms | null
  /** Null if any tags match. */
  readonly tags: { readonly all: readonly string[]; readonly none: readonly string[] } | null
}

const maxNameLength = 80

const nameOf = (terms: string) =>
  terms.length <= maxNameLength ? terms : createHash('sha256').update(terms).digest('base64url')

/** No image is larger. */
const bounded = (side: number | undefined) => (side === undefined ? undefined : Math.min(side, maxSide + 1))
const sorted = (tags: readonly string[] | undefined) => (tags?.length ? [...new Set(tags)].sort() : undefined)

/** Null if everything matches. */
export function filterOf(terms: FilterTerms): Filter | null {
  const { orientation, animated } = terms
  // The most frequent request names none.
  if ((orientation ?? animated ?? terms.minWidth ?? terms.minHeight ?? terms.tags ?? terms.without) === undefined)
    return null
  const [minWidth, minHeight] = [bounded(terms.minWidth), bounded(terms.minHeight)]
  const [tags, without] = [sorted(terms.tags), sorted(terms.without)]
  const all = Object.entries({ orientation, animated, minWidth, minHeight, tags, without })
  const given = all.filter(([, value]) => value !== undefined)
  if (given.length === 0) return null
  const hasShape = [orientation, animated, minWidth, minHeight].some((term) => term !== undefined)
  return {
    name: nameOf(given.map(([term, value]) => `${term}=${value}`).join('&')),
    // An unknown shape has no sides.
    shape: hasShape
      ? { orientation, animated, minWidth: Math.max(minWidth ?? 1, 1), minHeight: Math.max(minHeight ?? 1, 1) }
      : null,
    tags: tags || without ? { all: tags ?? [], none: without ?? [] } : null,
  }
}

const orientationOf = (width: number, height: number): Orientation =>
  width > height ? 'landscape' : width < height ? 'portrait' : 'square'

/** Width and height are 0 if the shape is unknown. */
export function matches(
  { shape, tags }: Filter,
  width: number,
  height: number,
  isAnimated: boolean,
  its: readonly string[],
): boolean {
  if (shape !== null) {
    if (width < shape.minWidth || height < shape.minHeight) return false
    if (shape.animated !== undefined && shape.animated !== isAnimated) return false
    if (shape.orientation !== undefined && shape.orientation !== orientationOf(width, height)) return false
  }
  if (tags === null) return true
  // Loops, since callbacks double the time of a scan.
  for (const tag of tags.all) if (!its.includes(tag)) return false
  for (const tag of tags.none) if (its.includes(tag)) return false
  return true
}
