import type { CatalogueEntry, EntryGroup } from '../../images/catalogue.ts'
import { isLargeEnough, type ShapeFilter } from '../../images/shapes/classes.ts'
import { isPromise } from '../../lib/maybe-promise.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import type { KindTable } from './kind-table.ts'

/** The entries of a kind that match a filter whose sizes decide. Its hashes must have been read. */
export function exactGroup(kind: string, pool: KindTable, filter: ShapeFilter): EntryGroup {
  const images = pool.hashesOf(filter)
  if (isPromise(images)) throw new Unavailable('the names of images')
  return { kind, class: null, count: images.size, exact: { filter, images } }
}

/** Null if another process has changed the kind since its hashes were read. */
export function exactEntry(
  pool: KindTable,
  { filter, images }: NonNullable<EntryGroup['exact']>,
  number: number,
): CatalogueEntry | null {
  const [entry] = pool.hashed(images.ordinals?.subarray(number, number + 1) ?? new Uint32Array()) ?? []
  const shape = entry && pool.shape(entry.filename)
  if (shape && isLargeEnough(filter, shape)) return entry
  pool.hashes.drop()
  return null
}
