import type { EntryGroup } from '../../images/catalogue.ts'
import { isLargeEnough, type ShapeFilter } from '../../images/shapes/classes.ts'
import { isPromise } from '../../lib/maybe-promise.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import type { KindTable } from './kind-table.ts'

/** The entries of a kind that match a filter whose sizes decide. Its hashes must have been read. */
export function exactGroup(kind: string, pool: KindTable, filter: ShapeFilter): EntryGroup {
  const images = pool.hashesOf(filter)
  if (isPromise(images)) throw new Unavailable('the names of images')
  const { size, ordinals } = images
  return {
    kind,
    count: size,
    at(number) {
      const [entry] = pool.hashed(ordinals?.subarray(number, number + 1) ?? new Uint32Array()) ?? []
      const shape = entry && pool.shape(entry.filename)
      if (shape && isLargeEnough(filter, shape)) return entry
      pool.hashes.drop()
      return null
    },
  }
}
