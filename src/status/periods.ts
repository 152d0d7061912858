import type { Transition } from './state-store.ts'

/** The worst first. */
export const badStatuses = ['outage', 'partial', 'degraded'] as const
export type BadStatus = (typeof badStatuses)[number]

/** How long a component was in a bad state, whether it reported that or was silent. */
export interface Period {
  readonly status: BadStatus
  readonly startedAt: number
  /** Null if it has not ended. */
  readonly endedAt: number | null
}

/** From transitions in their order: each begins what the next one ends. The wall clock may have been set back between. */
export const periodsOf = (transitions: readonly Transition[]): Period[] =>
  transitions.flatMap(({ at, to }, index) => {
    const status = badStatuses.find((each) => each === to)
    const next = transitions[index + 1]
    return status ? [{ status, startedAt: at, endedAt: next ? Math.max(at, next.at) : null }] : []
  })

interface Listed extends Period {
  readonly componentId: string
}

/** Everything that has not ended, the worst first, then the newest that ended at or after `from`. */
export function listedPeriods<P extends Listed>(periods: readonly P[], from: number, maxEnded: number): P[] {
  const newestFirst = periods.toSorted((a, b) => b.startedAt - a.startedAt)
  const open = badStatuses.flatMap((status) =>
    newestFirst.filter((each) => each.endedAt === null && each.status === status),
  )
  const ended = newestFirst.filter(({ endedAt }) => endedAt !== null && endedAt >= from)
  return [...open, ...ended.slice(0, maxEnded)]
}
