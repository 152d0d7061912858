import type { Clock } from '../lib/clock.ts'

export interface Counts {
  auth: number
  admin: number
  images: number
}

/** Counted requests of one user on one day (UTC). */
export interface CountRow extends Readonly<Counts> {
  readonly userId: string
  readonly day: string
}

/** Counted requests with one API key, embed link or console session in one minute. */
export interface GrantUse {
  readonly grantId: string
  readonly userId: string
  /** The start of the minute. */
  readonly at: number
  readonly requests: number
}

/** Sums in memory, by key and period: a day or a minute, as of UTC. */
export function createSums<Sum>(clock: Clock, periodMs: number, emptyOf: (userId: string) => Sum) {
  const periods = new Map<number, Map<string, Sum>>()
  let start = -Infinity
  let sums = new Map<string, Sum>()

  return {
    /** What the caller adds to, in the period of this moment. */
    of(key: string, userId: string): Sum {
      const now = clock.now()
      if (now < start || now >= start + periodMs) {
        start = now - (now % periodMs)
        sums = periods.get(start) ?? new Map()
        periods.set(start, sums)
      }
      const known = sums.get(key)
      if (known !== undefined) return known
      const sum = emptyOf(userId)
      sums.set(key, sum)
      return sum
    },
    /** Returns and removes all. */
    take() {
      const taken = [...periods].flatMap(([at, byKey]) => [...byKey].map(([key, sum]) => ({ at, key, sum })))
      periods.clear()
      start = -Infinity
      return taken
    },
  }
}
