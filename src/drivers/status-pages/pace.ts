import type { Clock } from '../../lib/clock.ts'

export interface Pace {
  /** How long to wait for a slot, which is reserved unless that is longer than `maxWaitMs`. */
  take(maxWaitMs: number): number
}

/** A sliding window: at most `max` slots in any `windowMs`. */
export function createPace({ max, windowMs, clock }: { max: number; windowMs: number; clock: Clock }): Pace {
  /** When each slot is used, oldest first; some lie in the future. */
  const slots: number[] = []
  return {
    take(maxWaitMs) {
      const now = clock.monotonic()
      while (slots.length > max || (slots[0] ?? now) <= now - windowMs) slots.shift()
      const oldest = slots.at(-max)
      const waitMs = oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now)
      if (waitMs <= maxWaitMs) slots.push(now + waitMs)
      return waitMs
    },
  }
}
