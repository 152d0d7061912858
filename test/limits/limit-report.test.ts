import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import { createLimitReport } from '../../src/limits/limit-report.ts'
import { createScopes } from '../../src/limits/scopes.ts'
import { fakeClock } from '../support/clock.ts'

const scopes = createScopes(rateLimitsOf(readConfig({})))

describe('The end of a window', () => {
  for (const [leftMs, seconds] of [
    [900_000, 900],
    [899_999, 900],
    [1_001, 2],
    [1_000, 1],
    [499, 1],
    [1, 1],
    [0, 1],
    [-5, 1],
  ] as const)
    it(`is a Retry-After of ${seconds} s when ${leftMs} ms are left: never too early, and never 0`, () => {
      const clock = fakeClock()
      const lines = createLimitReport(clock).lines(scopes.global, 0, clock.monotonic() + leftMs, true)
      assert.match(lines, new RegExp(`^Retry-After: ${seconds}\r$`, 'm'))
    })

  it('is X-RateLimit-Reset in whole seconds, rounded up', () => {
    const clock = fakeClock(1_780_000_000_400)
    const report = createLimitReport(clock)
    for (const [leftMs, reset] of [
      [0, 1_780_000_001],
      [600, 1_780_000_001],
      [601, 1_780_000_002],
      [900_000, 1_780_000_901],
    ] as const)
      assert.match(
        report.lines(scopes.global, 7, clock.monotonic() + leftMs, false),
        new RegExp(`^X-RateLimit-Reset: ${reset}\r$`, 'm'),
        String(leftMs),
      )
  })
})
