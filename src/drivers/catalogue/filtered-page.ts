import type { CatalogueEntry, PageTerms } from '../../images/catalogue.ts'
import type { Filter } from '../../images/filter.ts'
import type { KindTable } from './kind-table.ts'
import { pageOrders } from './page-orders.ts'

/** So few matches are read and sorted. */
const fewMatches = 1_000
/** Entries looked at per turn of the event loop, in the order's index: one or two milliseconds. */
const scannedAtOnce = 2_000

/** The entries that match, in this order, from the first after a position. */
export async function filteredPage(
  table: KindTable,
  filter: Filter | null,
  { sort, after, limit, text }: PageTerms,
): Promise<CatalogueEntry[]> {
  const order = pageOrders[sort]
  const found: CatalogueEntry[] = []
  let from = after ?? order.first
  for (;;) {
    const rest = limit - found.length
    if (filter !== null) {
      // Compiled again if another process has changed the kind meanwhile.
      await table.hashesOf(filter)
      const { ordinals } = table.compiled(filter)
      if (ordinals.length <= fewMatches) {
        const few = table.hashed(ordinals)
        if (few === null) continue
        const later = few.filter(
          (entry) => order.isBefore(from, entry) && (text === null || table.hasText(entry.filename, text)),
        )
        return [...found, ...later.sort((one, other) => (order.isBefore(one, other) ? -1 : 1)).slice(0, rest)]
      }
    }
    const scanned = table.scan(sort, from, scannedAtOnce)
    const matching = scanned
      .filter(
        ([ordinal, filename]) =>
          (text === null || table.hasText(filename, text)) &&
          (filter === null || table.columns.isMatch(filter, ordinal)),
      )
      .slice(0, rest)
      .map(([ordinal]) => ordinal)
    // Without a filter, nothing was read that another process could have changed.
    const entries = filter === null ? table.read(matching) : table.hashed(Uint32Array.from(matching))
    if (entries === null) continue
    found.push(...entries)
    const last = scanned.at(-1)
    if (found.length === limit || last === undefined || scanned.length < scannedAtOnce) return found
    const [ordinal] = last
    from = table.at(ordinal) ?? from
    await table.takeTurn()
  }
}
