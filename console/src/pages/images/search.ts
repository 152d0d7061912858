import { minSides, type Orientation, orientations } from '../../../../src/images/shapes/choices.ts'

/** State in the address of the page. */
export interface ImageSearch {
  readonly kind?: string
  /** A part of a filename or tag. */
  readonly q?: string
  readonly sort?: 'newest'
  readonly orientation?: Orientation
  readonly animated?: boolean
  readonly minWidth?: (typeof minSides)[number]
  readonly minHeight?: (typeof minSides)[number]
  /** Of the image in the dialog. */
  readonly image?: string
}

/** Compares as text: an address has numbers, a form has strings. */
const oneOf = <T>(values: readonly T[], found: unknown) => values.find((each) => String(each) === String(found))

export function readImageSearch(found: Record<string, unknown>): ImageSearch {
  const given = {
    kind: found.kind === undefined || found.kind === '' ? undefined : String(found.kind),
    q: found.q === undefined || found.q === '' ? undefined : String(found.q),
    sort: oneOf(['newest'] as const, found.sort),
    orientation: oneOf(orientations, found.orientation),
    animated: oneOf([true, false], found.animated),
    minWidth: oneOf(minSides, found.minWidth),
    minHeight: oneOf(minSides, found.minHeight),
    image: found.image === undefined || found.image === '' ? undefined : String(found.image),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
