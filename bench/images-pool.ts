import type { CatalogueEntry } from '../src/images/catalogue.ts'
import type { Shape } from '../src/images/shapes/shape.ts'

/* The objects of the image benches: as many as wanted, each with the same length in every response. */

export const bucket = 'images'
export const kind = 'fox'

const modified = Date.UTC(2026, 0, 1)
const etagEnd = 'b2cf535f27731c974343645a'

export const filenameOf = (index: number) => `fox-${String(index).padStart(8, '0')}.jpg`

export const entryOf = (index: number): CatalogueEntry => ({
  filename: filenameOf(index),
  etag: index.toString(16).padStart(8, '0') + etagEnd,
  size: 100_000,
  modified: modified + index * 1000,
})

/** Covers half of all shape classes. */
export const shapeOf = (index: number): Shape => ({
  width: 200 + (index % 40) * 100,
  height: 200 + ((index * 7) % 41) * 100,
  animated: index % 5 === 0,
  mime: 'image/jpeg',
})
