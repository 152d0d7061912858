import type { CatalogueEntry, PageTerms } from '../../images/catalogue.ts'
import type { Filter } from '../../images/filter.ts'
import type { KindTable } from './kind-table.ts'
import { pageOrders } from './page-orders.ts'

/** So few matches are read and sorted. */
const fewMatches = 1_000
/** Entries looked at per turn of the event loop, in the order's index: about a millisecond. */
const scannedAtOnce = 2_000

/** The entries that match a filter, in this order, from the first after a position. */
export async function filteredPage(
  table: KindTable,
  filter: Filter,
  { sort, after, limit }: PageTerms,
): Promise<CatalogueEntry[]> {
  const order = pageOrders[sort]
  const found: CatalogueEntry[] = []
  let from = after ?? order.first
  for (;;) {
    // Compiled again if another process has changed the kind meanwhile.
    await table.hashesOf(filter)
    const ordinals = table.compiled(filter).ordinals
    const rest = limit - found.length
    if (ordinals.length <= fewMatches) {
      const few = table.hashed(ordinals)
      if (few === null) continue
      const later = few.filter((entry) => order.isBefore(from, entry))
      return [...found, ...later.sort((one, other) => (order.isBefore(one, other) ? -1 : 1)).slice(0, rest)]
    }
    const scanned = table.scan(sort, from, scannedAtOnce)
    const matching = scanned.filter((ordinal) => table.columns.isMatch(filter, ordinal)).slice(0, rest)
    const entries = table.hashed(Uint32Array.from(matching))
    if (entries === null) continue
    found.push(...entries)
    const last = scanned.at(-1)
    if (found.length === limit || last === undefined || scanned.length < scannedAtOnce) return found
    from = table.at(last) ?? from
    await table.takeTurn()
  }
}
