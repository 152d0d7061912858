import { createLru } from '../../lib/lru.ts'
import { minSides, type Orientation, orientations } from './choices.ts'
import { type Extent, maxSide, type Shape } from './shape.ts'

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
  /** Whether images of a class may match. */
  has(shapeClass: number): boolean
  /** Null if all images of these classes match; otherwise the sizes decide. */
  readonly least: { readonly width: number; readonly height: number } | null
}

/** The class of an image whose first bytes have not been read. */
export const unreadClass = 0
/** The class of an image whose header says nothing. */
export const unknownClass = 1
const firstClass = 2
const steps = minSides.length + 1
const classes = orientations.length * 2 * steps * steps
/** Of all classes, from 0 on. */
export const classCount = firstClass + classes

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

/** A client may ask for any size. */
const filters = createLru<ShapeFilter>(1_000)

/** No image is larger. */
const bounded = (side: number | undefined) => (side === undefined ? undefined : Math.min(side, maxSide + 1))
/** Whether the classes tell which images are large enough. */
const isOfClasses = (side: number | undefined) =>
  side === undefined || side === 0 || minSides.some((least) => least === side)

/** Null if everything matches, known or not. */
export function filterOf({ orientation, animated, ...sides }: ShapeTerms): ShapeFilter | null {
  const [minWidth, minHeight] = [bounded(sides.minWidth), bounded(sides.minHeight)]
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
  const filter: ShapeFilter = {
    name,
    has: (shapeClass) => wanted.has(shapeClass),
    least: isOfClasses(minWidth) && isOfClasses(minHeight) ? null : { width: minWidth ?? 0, height: minHeight ?? 0 },
  }
  filters.set(name, filter)
  return filter
}

/** Whether an image that is in the classes of the filter matches its sizes, too. */
export const isLargeEnough = (
  { least }: ShapeFilter,
  { width, height }: { readonly width: number; readonly height: number },
): boolean => least === null || (width >= least.width && height >= least.height)
