import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { randomText } from './passwords.ts'

/* Whoever reads it in the log may create the first owner in the console. */

export const ownerCodeMinutes = 30
const length = 16
const maxWrong = 5

/** In memory: each start, and each instance, has its own. */
export interface OwnerCode {
  /** Call this once, if there is no owner. Returns the code. */
  open(): string
  /** False before `open`, and for good after 30 minutes, 5 wrong codes, or `end`. */
  isOpen(): boolean
  /** A wrong one is counted. */
  check(given: string): boolean
  end(): void
}

export function createOwnerCode(clock: Pick<Clock, 'monotonic'>, text = randomText(length)): OwnerCode {
  let endsAt = -Infinity
  let triesLeft = maxWrong
  const isOpen = () => triesLeft > 0 && clock.monotonic() < endsAt
  return {
    open() {
      endsAt = clock.monotonic() + ownerCodeMinutes * 60_000
      return text
    },
    isOpen,
    check(given) {
      const isRight = timingSafeEqual(digest(given.trim()), digest(text))
      if (!isRight) triesLeft--
      return isRight
    },
    end() {
      triesLeft = 0
    },
  }
}

/** Equally long for every text. */
const digest = (text: string) => createHash('sha256').update(text).digest()
