/** As displayed: turned by the orientation. */
export interface Extent {
  readonly width: number
  readonly height: number
  readonly animated: boolean
}

export const shapeTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'] as const
export type ShapeType = (typeof shapeTypes)[number]

/** What the first bytes of a file say about its image. */
export interface Shape extends Extent {
  readonly mime: ShapeType
}

/** A side that is longer counts as unknown. */
export const maxSide = 65_535
