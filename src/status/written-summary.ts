import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import { endOf } from './published.ts'
import { type IncidentUpdate, isOpenByHand, type WrittenIncident } from './written-incidents.ts'

/** Max characters of all updates in a summary: less than the API reads from a worker. */
const maxCharacters = 150_000
const maxEnded = 50

export type TextBudget = ReturnType<typeof createTextBudget>

export function createTextBudget() {
  let left = maxCharacters
  return {
    /** False if so many characters are no longer left. */
    take(count: number): boolean {
      if (count > left) return false
      left -= count
      return true
    },
  }
}

export function updatesWithin(budget: TextBudget, updates: readonly IncidentUpdate[]) {
  if (!budget.take(updates.reduce((sum, { text }) => sum + text.length, 0))) return []
  return updates.map(({ at, stage, text }) => ({ at: isoTime(at), stage, text }))
}

interface Which {
  readonly ids: readonly string[]
  readonly from: number
  readonly budget: TextBudget
}

/** Those opened by hand that affect one of these components, or the service as a whole. Names no other component. */
export function writtenFor(incidents: readonly WrittenIncident[], { ids, from, budget }: Which) {
  const shown = incidents.filter(
    ({ byHand, components }) =>
      byHand !== null && (components.length === 0 || components.some((id) => ids.includes(id))),
  )
  const ended = shown.filter((each) => !isOpenByHand(each) && (endOf.written_incidents(each) ?? 0) >= from)
  return [...shown.filter(isOpenByHand), ...ended.slice(0, maxEnded)].flatMap(({ id, components, byHand, updates }) =>
    byHand === null
      ? []
      : [
          {
            id,
            ...byHand,
            startedAt: isoTime(byHand.startedAt),
            resolvedAt: isoOrNull(byHand.resolvedAt),
            components: components.filter((each) => ids.includes(each)),
            updates: updatesWithin(budget, updates),
          },
        ],
  )
}
