import type { CatalogueEntry, EntryGroup } from '../../images/catalogue.ts'
import { isLargeEnough, type ShapeFilter } from '../../images/shapes/classes.ts'
import { isPromise } from '../../lib/maybe-promise.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import type { KindTable } from './kind-table.ts'

/** The entries of a kind that match a filter whose sizes decide. Its order must have been built. */
export function exactGroup(kind: string, pool: KindTable, filter: ShapeFilter): EntryGroup {
  const order = pool.order(filter)
  if (isPromise(order)) throw new Unavailable('the order of images')
  return { kind, class: null, count: order.size, exact: { filter, order } }
}

/** Null if another process has changed the kind since the order was built, which is then built again. */
export function exactEntry(
  pool: KindTable,
  { filter, order }: NonNullable<EntryGroup['exact']>,
  rank: number,
): CatalogueEntry | null {
  const entry = rank < order.size ? pool.ordered([order.at(rank)])?.[0] : undefined
  if (entry === undefined) return null
  const shape = pool.shape(entry.filename)
  if (shape !== null && isLargeEnough(filter, shape)) return entry
  pool.dropOrders()
  return null
}
