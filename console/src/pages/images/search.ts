const orientations = ['landscape', 'portrait', 'square'] as const
export const minSides = [320, 640, 1280, 1920, 2560, 3840] as const

/** What the address of the page says. */
export interface ImageSearch {
  readonly kind?: string
  readonly sort?: 'newest'
  readonly orientation?: (typeof orientations)[number]
  readonly animated?: boolean
  readonly minWidth?: (typeof minSides)[number]
  readonly minHeight?: (typeof minSides)[number]
}

/** As numbers of an address, or texts of a form. */
const oneOf = <T>(values: readonly T[], found: unknown) => values.find((each) => String(each) === String(found))

export function readImageSearch(found: Record<string, unknown>): ImageSearch {
  const given = {
    kind: found.kind === undefined || found.kind === '' ? undefined : String(found.kind),
    sort: oneOf(['newest'] as const, found.sort),
    orientation: oneOf(orientations, found.orientation),
    animated: oneOf([true, false], found.animated),
    minWidth: oneOf(minSides, found.minWidth),
    minHeight: oneOf(minSides, found.minHeight),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
