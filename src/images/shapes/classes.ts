import type { Extent, Shape } from './shape.ts'

export const orientations = ['landscape', 'portrait', 'square'] as const
export type Orientation = (typeof orientations)[number]
export const minSides = [320, 640, 1280, 1920, 2560, 3840] as const

/** What a request asks for in a shape. */
export interface ShapeTerms {
  readonly orientation?: Orientation | undefined
  readonly animated?: boolean | undefined
  readonly minWidth?: number | undefined
  readonly minHeight?: number | undefined
}

/** Equal terms have the same filter. */
export interface ShapeFilter {
  /** Encodes the terms. Saved with positions, so existing names must not change. */
  readonly name: string
  /** Whether the images of a class match. */
  has(shapeClass: number): boolean
}

/** The class of an image whose first bytes have not been read. */
export const unreadClass = 0
/** The class of an image whose header says nothing. */
export const unknownClass = 1
const firstClass = 2
const steps = minSides.length + 1
const classes = orientations.length * 2 * steps * steps

const stepOf = (side: number) => minSides.filter((least) => side >= least).length

function orientationOf({ width, height }: Pick<Extent, 'width' | 'height'>): number {
  return width > height ? 0 : width < height ? 1 : 2
}

/** Each known shape has one of these classes; all shapes of a class match the same terms. */
export function classOf(shape: Shape | null): number {
  if (shape === null) return unknownClass
  const looks = orientationOf(shape) * 2 + Number(shape.animated)
  return firstClass + (looks * steps + stepOf(shape.width)) * steps + stepOf(shape.height)
}

const filters = new Map<string, ShapeFilter>()

/** Null if everything matches, known or not. */
export function filterOf({ orientation, animated, minWidth, minHeight }: ShapeTerms): ShapeFilter | null {
  if (orientation === undefined && animated === undefined && minWidth === undefined && minHeight === undefined)
    return null
  const terms = Object.entries({ orientation, animated, minWidth, minHeight }).filter(
    ([, value]) => value !== undefined,
  )
  const name = terms.map((term) => term.join('=')).join('&')
  const known = filters.get(name)
  if (known) return known
  const matching = Array.from({ length: classes }, (_, index) => index).filter((index) => {
    const [looks, width, height] = [Math.floor(index / steps ** 2), Math.floor(index / steps) % steps, index % steps]
    const isTurnedSo = orientation === undefined || orientations.indexOf(orientation) === looks >> 1
    const isMoving = animated === undefined || animated === ((looks & 1) === 1)
    return isTurnedSo && isMoving && width >= stepOf(minWidth ?? 0) && height >= stepOf(minHeight ?? 0)
  })
  const wanted = new Set(matching.map((index) => firstClass + index))
  const filter = { name, has: (shapeClass: number) => wanted.has(shapeClass) }
  filters.set(name, filter)
  return filter
}
