import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { instanceName, type OwnHealth, reportHealth } from '../../src/api/own-health.ts'
import type { Health } from '../../src/api/readiness.ts'
import { fakeClock } from '../support/clock.ts'
import { turns } from '../support/until.ts'

interface Options {
  readonly random?: () => number
  readonly redis?: Health | null
  readonly prefix?: string
  readonly timeoutMs?: number | null
}

/** The worker's timeout is known when this resolves. */
async function stage(t: TestContext, options: Options = {}) {
  const { random = () => 0.5, redis, prefix = '', timeoutMs = 180_000 } = options
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = fakeClock()
  const asked: (readonly string[])[] = []
  const seen = {
    timeoutMs,
    health: { database: 'up', objectStore: 'up' } as Record<string, Health>,
    redis: redis ?? (null as Health | null),
  }
  const acts: string[] = []
  const reporter: OwnHealth['reporter'] = {
    report: (id, status, { message } = {}) =>
      void acts.push(`${id} ${status}${message === undefined ? '' : `: ${message}`}`),
    flush: async (withinMs) => withinMs === undefined || acts.push(`flush ${withinMs}`) > 0,
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
  const timeoutOf = async (ids: readonly string[]) => {
    asked.push(ids)
    return seen.timeoutMs
  }
  const reports = reportHealth({ reporter, readiness, redisHealth, prefix, random, timeoutMs: timeoutOf })
  await turns()
  return {
    seen,
    asked,
    reports,
    listeners,
    /** The reports since the last call. */
    told: () => acts.splice(0),
    look: () => listeners.forEach((listener) => void listener()),
    async pass(ms: number) {
      clock.advance(ms)
      t.mock.timers.tick(ms)
      await turns()
    },
  }
}

const allUp = ['api operational', 'database operational', 'object-store operational']

describe("The API's own health", () => {
  it('is reported at once, then every minute', async (t) => {
    const { told, pass } = await stage(t)
    assert.deepEqual(told(), allUp)
    for (let minute = 0; minute < 5; minute++) {
      await pass(59_999)
      assert.deepEqual(told(), [])
      await pass(1)
      assert.deepEqual(told(), allUp)
    }
  })

  it('is reported at random intervals that differ by at most a tenth', async (t) => {
    // The first one is used before the worker has reported its timeout.
    const chances = [0.5, 0, 1, 0.25, 0.999, 0.5]
    let beat = 0
    const { told, pass } = await stage(t, { random: () => chances[beat++] ?? 0 })
    told()
    for (const ms of [54_000, 66_000, 57_000, 65_988, 60_000]) {
      await pass(ms - 1)
      assert.deepEqual(told(), [], String(ms))
      await pass(1)
      assert.deepEqual(told(), allUp, String(ms))
    }
  })

  it("is reported three times within the worker's timeout, once that is known", async (t) => {
    const { seen, asked, told, pass } = await stage(t, { timeoutMs: null })
    assert.deepEqual(asked.splice(0), [['api', 'database', 'object-store']])
    const every = async (ms: number) => {
      told()
      await pass(ms - 1)
      assert.deepEqual(told(), [])
      await pass(1)
      assert.deepEqual(told(), allUp)
    }
    await every(10_000)
    seen.timeoutMs = 31 * 86_400_000
    await every(10_000)
    await every(60_000)
    seen.timeoutMs = 30_000
    await every(60_000)
    await every(10_000)
    seen.timeoutMs = null
    await every(10_000)
    await every(10_000)
    assert.equal(asked.length, 7)
  })

  it('is reported for components with the prefix', async (t) => {
    const { asked, told } = await stage(t, { prefix: 'eu-', redis: 'up' })
    const ids = ['eu-api', 'eu-database', 'eu-object-store', 'eu-redis']
    assert.deepEqual([told(), asked], [ids.map((id) => `${id} operational`), [ids]])
  })

  it('is reported by an instance with a valid name for every host name', () => {
    assert.equal(instanceName(3000, 'web1.example'), 'api-web1.example-3000')
    for (const host of ['', '-', 'ü b/c', 'x'.repeat(300)])
      assert.match(instanceName(65_535, host), /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  })

  it('is operational, degraded if a part is slow, and an outage if one is down', async (t) => {
    const { seen, told, look } = await stage(t)
    told()
    seen.health = { database: 'slow', objectStore: 'down' }
    look()
    assert.deepEqual(told(), ['database degraded: it answers slowly', 'object-store outage'])
    seen.health = { database: 'down', objectStore: 'down' }
    look()
    assert.deepEqual(told(), ['database outage'])
    seen.health = { database: 'late', objectStore: 'down' }
    look()
    assert.deepEqual(told(), ['database degraded: it answers slowly'])
    seen.health = { database: 'up', objectStore: 'slow' }
    look()
    assert.deepEqual(told(), ['database operational', 'object-store degraded: it answers slowly'])
  })

  it('is reported at once on a change, and not repeated by an unchanged check', async (t) => {
    const { seen, told, look, pass } = await stage(t)
    told()
    for (let index = 0; index < 10; index++) look()
    assert.deepEqual(told(), [])
    await pass(30_000)
    seen.health = { ...seen.health, database: 'down' }
    look()
    look()
    assert.deepEqual(told(), ['database outage'])
    await pass(30_000)
    assert.deepEqual(told(), ['api operational', 'database outage', 'object-store operational'])
  })

  it('covers only parts that are components', async (t) => {
    const { seen, told, look } = await stage(t)
    told()
    seen.health = { database: 'up', other: 'down' }
    look()
    assert.deepEqual(told(), [])
  })

  it('is reported once more at shutdown within half a second, and not after it', async (t) => {
    const { seen, told, pass, reports, listeners } = await stage(t)
    told()
    await reports.stop()
    assert.deepEqual(told(), ['flush 500', 'close'])
    assert.equal(listeners.size, 0)
    seen.health = { database: 'down', objectStore: 'down' }
    await pass(600_000)
    assert.deepEqual(told(), [])
  })
})

describe('Redis', () => {
  it('is a component if it is configured, whatever its state at the start', async (t) => {
    assert.deepEqual((await stage(t, { redis: 'up' })).told(), [...allUp, 'redis operational'])
    t.mock.timers.reset()
    assert.deepEqual((await stage(t, { redis: 'down' })).told(), [...allUp, 'redis outage'])
  })

  it('is degraded if it answers too late, and an outage if it does not answer', async (t) => {
    const { seen, told, look } = await stage(t, { redis: 'up' })
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

  it('is reported once its state is known', async (t) => {
    const { seen, told, look } = await stage(t, { redis: null })
    assert.deepEqual(told(), allUp)
    look()
    assert.deepEqual(told(), [])
    seen.redis = 'up'
    look()
    assert.deepEqual(told(), ['redis operational'])
  })
})
