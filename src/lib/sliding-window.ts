import type { Clock } from './clock.ts'

/** At most `max` in any `windowMs`. */
export function createSlidingWindow(limit: { max: number; windowMs: number }, clock: Clock) {
  const taken: number[] = []
  return {
    /** False if fewer than `spare` slots would be left. */
    take(spare = 0): boolean {
      const now = clock.monotonic()
      while (taken.length > 0 && (taken[0] as number) <= now - limit.windowMs) taken.shift()
      if (taken.length >= limit.max - spare) return false
      taken.push(now)
      return true
    },
    /** Returns the slot taken last, which was not used. */
    giveBack: () => void taken.pop(),
  }
}
