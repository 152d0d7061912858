import type { Clock } from '../../lib/clock.ts'

export interface Pace {
  /** How long until there is a place; it is taken if that is no longer than the patience. */
  take(patienceMs: number): number
}

/** At most so many in any time as long as the window. */
export function createPace({ most, windowMs, clock }: { most: number; windowMs: number; clock: Clock }): Pace {
  /** When each place is used, oldest first; some are still to come. */
  const taken: number[] = []
  return {
    take(patienceMs) {
      const now = clock.monotonic()
      while (taken.length > most || (taken[0] ?? now) <= now - windowMs) taken.shift()
      const oldest = taken.at(-most)
      const waitMs = oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now)
      if (waitMs <= patienceMs) taken.push(now + waitMs)
      return waitMs
    },
  }
}
