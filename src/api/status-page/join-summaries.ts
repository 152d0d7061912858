import { badStatuses } from '../../status/periods.ts'
import type { Summary } from './view.ts'

type Period = Summary['periods'][number]

/** As many as one summary has. */
const maxEnded = 200

const newestFirst = (a: Period, b: Period) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0)

/** All that last, the worst first, then the newest that have ended: the order of each summary. */
function periodsOf(all: readonly Period[]): Period[] {
  const sorted = all.toSorted(newestFirst)
  const open = badStatuses.flatMap((status) => sorted.filter((each) => each.endedAt === null && each.status === status))
  return [...open, ...sorted.filter(({ endedAt }) => endedAt !== null).slice(0, maxEnded)]
}

/** What has the same id is one, of the components of all. */
function merged<T extends { readonly id: string; readonly components: readonly string[] }>(all: readonly T[]): T[] {
  const byId = Map.groupBy(all, ({ id }) => id)
  return [...byId.values()].map((same) => ({ ...(same[0] as T), components: same.flatMap((each) => each.components) }))
}

/** Summaries of some components each, as one of all of them; at the time of the first. */
export function joined(parts: readonly Summary[]): Summary {
  const [first] = parts as readonly [Summary, ...Summary[]]
  if (parts.length === 1) return first
  return {
    ...first,
    components: parts.flatMap(({ components }) => components),
    written: merged(parts.flatMap(({ written }) => written)),
    periods: periodsOf(parts.flatMap(({ periods }) => periods)),
    maintenance: merged(parts.flatMap(({ maintenance }) => maintenance)).toSorted((a, b) => (a.from < b.from ? -1 : 1)),
  }
}
