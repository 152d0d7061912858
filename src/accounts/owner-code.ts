import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { randomText } from './passwords.ts'

/* Whoever reads it in the log may create the first owner in the console. */

export const ownerCodeMinutes = 30
const length = 16
export const maxWrongCodes = 5

/** In memory: each start, and each instance, has its own. */
export function createOwnerCode(clock: Pick<Clock, 'monotonic'>, onClosed = () => {}) {
  const text = randomText(length)
  let endsAt = -Infinity
  let triesLeft = maxWrongCodes
  return {
    /** Call this once, if there is no owner. Returns the code. */
    open(): string {
      endsAt = clock.monotonic() + ownerCodeMinutes * 60_000
      return text
    },
    /** Whether there was no owner at the start. */
    wasOpened: () => endsAt > -Infinity,
    /** False before `open`, and for good after 30 minutes, 5 wrong codes, or `end`. */
    isOpen: () => triesLeft > 0 && clock.monotonic() < endsAt,
    /** A wrong one is counted. */
    check(given: string): boolean {
      const isRight = timingSafeEqual(digest(given.trim()), digest(text))
      if (!isRight && --triesLeft === 0) onClosed()
      return isRight
    },
    end(): void {
      triesLeft = 0
    },
  }
}

export type OwnerCode = ReturnType<typeof createOwnerCode>

/** Equally long for every text. */
const digest = (text: string) => createHash('sha256').update(text).digest()
