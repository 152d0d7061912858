import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type OwnHealth, reportHealth } from '../../src/api/own-health.ts'
import type { Health } from '../../src/api/readiness.ts'
import { fakeClock } from '../support/clock.ts'

interface Options {
  readonly random?: () => number
  readonly redis?: Health | null
}

function stage(t: TestContext, { random = () => 0.5, redis }: Options = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = fakeClock()
  const seen = {
    health: { database: 'up', objectStore: 'up' } as Record<string, Health>,
    redis: redis ?? (null as Health | null),
  }
  const acts: string[] = []
  const reporter: OwnHealth['reporter'] = {
    report: (id, status) => void acts.push(`${id} ${status}`),
    flush: async (withinMs) => acts.push(`flush ${withinMs}`) > 0,
    close: () => void acts.push('close'),
  }
  const listeners = new Set<() => void>()
  const readiness = {
    health: () => seen.health,
    onLook(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const redisHealth = redis === undefined ? null : () => seen.redis
  const reports = reportHealth({ reporter, readiness, redisHealth, random, timeoutMs: 180_000 })
  return {
    seen,
    reports,
    listeners,
    /** What was reported since this was asked last. */
    told: () => acts.splice(0),
    look: () => listeners.forEach((listener) => void listener()),
    pass(ms: number) {
      clock.advance(ms)
      t.mock.timers.tick(ms)
    },
  }
}

const allUp = ['api operational', 'database operational', 'object-store operational']

describe("The API's own health", () => {
  it('is reported at once, then every minute', (t) => {
    const { told, pass } = stage(t)
    assert.deepEqual(told(), allUp)
    for (let minute = 0; minute < 5; minute++) {
      pass(59_999)
      assert.deepEqual(told(), [])
      pass(1)
      assert.deepEqual(told(), allUp)
    }
  })

  it('is reported at random intervals that differ by at most a tenth', (t) => {
    const chances = [0, 1, 0.25, 0.999, 0.5]
    let beat = 0
    const { told, pass } = stage(t, { random: () => chances[beat++ % chances.length] ?? 0 })
    told()
    for (const ms of [54_000, 66_000, 57_000, 65_988, 60_000]) {
      pass(ms - 1)
      assert.deepEqual(told(), [], String(ms))
      pass(1)
      assert.deepEqual(told(), allUp, String(ms))
    }
  })

  it('is operational, degraded if a part is slow, and an outage if one is down', (t) => {
    const { seen, told, look } = stage(t)
    told()
    seen.health = { database: 'slow', objectStore: 'down' }
    look()
    assert.deepEqual(told(), ['database degraded', 'object-store outage'])
    seen.health = { database: 'down', objectStore: 'down' }
    look()
    assert.deepEqual(told(), ['database outage'])
    seen.health = { database: 'up', objectStore: 'slow' }
    look()
    assert.deepEqual(told(), ['database operational', 'object-store degraded'])
  })

  it('is reported at once on a change, and not repeated by an unchanged check', (t) => {
    const { seen, told, look, pass } = stage(t)
    told()
    for (let index = 0; index < 10; index++) look()
    assert.deepEqual(told(), [])
    pass(30_000)
    seen.health = { ...seen.health, database: 'down' }
    look()
    look()
    assert.deepEqual(told(), ['database outage'])
    pass(30_000)
    assert.deepEqual(told(), ['api operational', 'database outage', 'object-store operational'])
  })

  it('covers only parts that are components', (t) => {
    const { seen, told, look } = stage(t)
    told()
    seen.health = { database: 'up', other: 'down' }
    look()
    assert.deepEqual(told(), [])
  })

  it('is reported once more at shutdown within half a second, and not after it', async (t) => {
    const { seen, told, pass, reports, listeners } = stage(t)
    told()
    await reports.stop()
    assert.deepEqual(told(), ['flush 500', 'close'])
    assert.equal(listeners.size, 0)
    seen.health = { database: 'down', objectStore: 'down' }
    pass(600_000)
    assert.deepEqual(told(), [])
  })
})

describe('Redis', () => {
  it('is a component if it is configured, whatever its state at the start', (t) => {
    assert.deepEqual(stage(t, { redis: 'up' }).told(), [...allUp, 'redis operational'])
    t.mock.timers.reset()
    assert.deepEqual(stage(t, { redis: 'down' }).told(), [...allUp, 'redis outage'])
  })

  it('is degraded if it answers too late, and an outage if it does not answer', (t) => {
    const { seen, told, look } = stage(t, { redis: 'up' })
    told()
    for (const [health, status] of [
      ['slow', 'degraded'],
      ['down', 'outage'],
      ['slow', 'degraded'],
    ] as const) {
      seen.redis = health
      look()
      assert.deepEqual(told(), [`redis ${status}`])
    }
  })

  it('is reported once its state is known', (t) => {
    const { seen, told, look } = stage(t, { redis: null })
    assert.deepEqual(told(), allUp)
    look()
    assert.deepEqual(told(), [])
    seen.redis = 'up'
    look()
    assert.deepEqual(told(), ['redis operational'])
  })
})
