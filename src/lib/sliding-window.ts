import type { Clock } from './clock.ts'

export interface SlidingWindow {
  /** False if fewer than `spare` slots would be left. */
  take(spare?: number): boolean
  /** Returns the slot taken last, which was not used. */
  giveBack(): void
}

/** At most `max` in any `windowMs`. */
export function createSlidingWindow(limit: { max: number; windowMs: number }, clock: Clock): SlidingWindow {
  const taken: number[] = []
  return {
    take(spare = 0) {
      const now = clock.monotonic()
      while (taken.length > 0 && (taken[0] as number) <= now - limit.windowMs) taken.shift()
      if (taken.length >= limit.max - spare) return false
      taken.push(now)
      return true
    },
    giveBack: () => void taken.pop(),
  }
}
