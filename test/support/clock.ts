import type { Clock } from '../../src/lib/clock.ts'

export interface FakeClock extends Clock {
  advance(ms: number): void
}

/** Time that moves only when a test says so. As on a machine, the monotonic clock never steps back. */
export function fakeClock(startAt = Date.parse('2026-06-01T12:00:00.000Z')): FakeClock {
  let now = startAt
  let passed = 0
  return {
    now: () => now,
    monotonic: () => passed,
    advance(ms) {
      now += ms
      passed += Math.max(0, ms)
    },
  }
}
