import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import type { Clock } from '../../src/lib/clock.ts'
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
      clock.advance(5_000)
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

describe('The lines of a response', () => {
  const linesOf = (isRefused: boolean) => {
    const clock = fakeClock(1_780_000_000_000)
    return createLimitReport(clock).lines(scopes.auth, 7, clock.monotonic() + 90_000, isRefused)
  }
  const always = 'X-RateLimit-Limit: 50\r\nX-RateLimit-Remaining: 7\r\nX-RateLimit-Reset: 1780000090\r\n'

  it('are the limit, what remains, and the end of the window; refused, also when to try again', () => {
    assert.equal(linesOf(false), always)
    assert.equal(linesOf(true), `${always}Retry-After: 90\r\n`)
  })
})

describe('The wall clock', () => {
  /** Runs apart from the monotonic clock only when a test says so. */
  const drifting = () => {
    const monotonic = fakeClock()
    monotonic.advance(7_000)
    let ahead = 1_000_000
    const clock: Clock = { now: () => monotonic.monotonic() + ahead, monotonic: monotonic.monotonic }
    const drift = (ms: number) => {
      ahead += ms
    }
    return { report: createLimitReport(clock), drift }
  }
  const resetOf = ({ report }: ReturnType<typeof drifting>) =>
    Number(/Reset: (\d+)/.exec(report.lines(scopes.auth, 0, 0, false))?.[1])

  for (const sign of [1, -1])
    it(`moves the end of a window once it has been set by more than 20 ms, by ${sign > 0 ? 'ahead' : 'behind'}`, () => {
      const stage = drifting()
      assert.equal(resetOf(stage), 1_000)
      stage.drift(sign * 20)
      assert.equal(resetOf(stage), 1_000)
      stage.drift(sign)
      assert.equal(resetOf(stage), sign > 0 ? 1_001 : 1_000)
      stage.drift(sign * 5_000)
      assert.equal(resetOf(stage), sign > 0 ? 1_006 : 995)
      assert.equal(remainingOf(stage.report, 1)[0]?.resetAt, new Date(1_000_000 + sign * 5_021).toISOString())
    })

  it('moves the times of what remains, too', () => {
    const { report, drift } = drifting()
    drift(5_000)
    assert.equal(remainingOf(report, 1)[0]?.resetAt, new Date(1_005_000).toISOString())
  })
})

const remainingOf = (report: ReturnType<typeof createLimitReport>, count: number, pending = 0, endsAt = 0) => {
  const op = { scope: scopes.auth, act: 'peek' } as const
  return report.remaining([{ ops: [op], states: [{ count, pending, endsAt, reserved: false }] }])
}

describe('What remains', () => {
  const report = createLimitReport(fakeClock(1_780_000_000_000))
  const resetAt = new Date(1_780_000_000_001).toISOString()

  it('is never less than nothing, and ends with the window', () => {
    for (const [count, remaining] of [
      [1, 49],
      [50, 0],
      [51, 0],
    ] as const)
      assert.deepEqual(remainingOf(report, count, 0, 1.4), [{ scope: 'auth', limit: 50, remaining, resetAt }])
  })

  it('has no end while nothing is counted and nothing is reserved', () => {
    assert.deepEqual(remainingOf(report, 0), [{ scope: 'auth', limit: 50, remaining: 50, resetAt: null }])
    assert.deepEqual(remainingOf(report, 0, 1, 1), [{ scope: 'auth', limit: 50, remaining: 50, resetAt }])
  })
})
