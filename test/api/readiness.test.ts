import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ApiOverrides } from '../../src/api/api.ts'
import { type Probe, watchReadiness } from '../../src/api/readiness.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogs } from '../../src/process/logger.ts'
import { createOutages } from '../../src/process/outages.ts'
import { fakeClock } from '../support/clock.ts'
import { startService } from '../support/service.ts'
import { turns, until } from '../support/until.ts'

const quiet = createLogs('fatal', systemClock, { write() {}, flush() {} }).log

describe('GET /ready', () => {
  it('answers 200 with every part up', async () => {
    const service = await startService()
    const { status, body } = await service.request('GET', '/ready')
    assert.equal(status, 200)
    assert.deepEqual(body, { status: 200, message: 'Ready', checks: { database: 'up', objectStore: 'up' } })
  })

  const failing = (name: string) => (real: readonly Probe[]) =>
    real.map((probe) => (probe.name === name ? { ...probe, check: () => Promise.reject(new Error('gone')) } : probe))

  it('answers 503 without the database, while /health answers 200', async () => {
    const service = await startService({ overrides: { probes: failing('database') } })
    const { status, body } = await service.request('GET', '/ready')
    const checks = { database: 'down', objectStore: 'up' }
    assert.deepEqual([status, body], [503, { status: 503, message: 'Database is not available', checks }])
    assert.equal((await service.request('GET', '/health')).status, 200)
  })

  it('stays 200 without the object store, reported as degraded', async () => {
    const service = await startService({ overrides: { probes: failing('objectStore') } })
    const { status, body } = await service.request('GET', '/ready')
    const checks = { database: 'up', objectStore: 'degraded' }
    assert.deepEqual([status, body], [200, { status: 200, message: 'Ready', checks }])
  })

  it('answers 503 until every part was checked, for at most 2 s after the start', async () => {
    const look = Promise.withResolvers<void>()
    const hangs: ApiOverrides['probes'] = (real) =>
      real.map((probe) => (probe.name === 'objectStore' ? { ...probe, check: () => look.promise } : probe))
    const service = await startService({ overrides: { probes: hangs }, isAwaited: false })
    const { status, body } = await service.request('GET', '/ready')
    const checks = { database: 'up', objectStore: 'degraded' }
    assert.deepEqual([status, body], [503, { status: 503, message: 'Starting', checks }])
    const message = async () => (await service.request('GET', '/ready')).body.message
    await until(async () => (await message()) !== 'Starting')
    assert.equal(await message(), 'Ready')
    look.resolve()
    await service.checked
  })

  it('never waits for a part: it returns the last results, and one check runs at a time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const looks: PromiseWithResolvers<void>[] = []
    const check = () => {
      const look = Promise.withResolvers<void>()
      looks.push(look)
      return look.promise
    }
    const readiness = watchReadiness([{ name: 'slow', isRequired: true, check }], createOutages(quiet), systemClock)
    assert.equal(readiness.state(), 'starting')
    const first = readiness.refresh()
    t.mock.timers.tick(2_000)
    await turns()
    t.mock.timers.tick(2_000)
    await first
    assert.equal(looks.length, 1)
    looks[0]?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    const second = readiness.refresh()
    looks[1]?.resolve()
    await second
    assert.equal(readiness.state(), 'ready')
    const third = readiness.refresh()
    assert.equal(readiness.state(), 'ready')
    t.mock.timers.tick(1_999)
    assert.equal(readiness.state(), 'ready')
    t.mock.timers.tick(1)
    await turns()
    assert.equal(readiness.state(), 'unavailable')
    t.mock.timers.tick(2_000)
    await third
    assert.equal(readiness.state(), 'unavailable')
    readiness.stop()
  })

  it('logs a part that is late twice in a row or for two more seconds, and not one that is late once', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const clock = fakeClock()
    const acts: string[] = []
    const outages = {
      gone: (part: string, reason: unknown) => void acts.push(`${part} gone: ${(reason as Error).message}`),
      back: (part: string) => void acts.push(`${part} back`),
      isAway: () => false,
    }
    let look = Promise.withResolvers<void>()
    const check = () => {
      look = Promise.withResolvers()
      return look.promise
    }
    const readiness = watchReadiness([{ name: 'disk', check }], outages, clock)
    const found = () => [readiness.health().disk, readiness.checks().disk, ...acts.splice(0)]
    const pass = async (ms: number) => {
      clock.advance(ms)
      t.mock.timers.tick(ms)
      await turns()
    }
    const answered = async () => {
      look.resolve()
      await turns()
    }
    void readiness.refresh()
    await answered()
    assert.deepEqual(found(), ['up', 'up', 'disk back'])
    await pass(2_000)
    assert.deepEqual(found(), ['up', 'up'])
    await pass(2_000)
    assert.deepEqual(found(), ['late', 'degraded'])
    await pass(1_999)
    await answered()
    assert.deepEqual(found(), ['late', 'degraded'])
    await pass(1)
    await pass(1_500)
    await answered()
    assert.deepEqual(found(), ['slow', 'up', 'disk back'])
    await pass(500)
    await pass(2_000)
    assert.deepEqual(found(), ['late', 'degraded'])
    await pass(2_000)
    assert.deepEqual(found(), ['down', 'degraded', 'disk gone: no response within 4000 ms'])
    await answered()
    await pass(2_000)
    await answered()
    assert.deepEqual(found(), ['up', 'up', 'disk back'])
    // Three seconds each time.
    const seen: unknown[] = []
    for (let half = 0; half < 40; half++) {
      await pass(500)
      if (half % 8 === 1) await answered()
      const [health, shown, ...told] = found()
      if (health !== (seen.at(-1) as unknown[] | undefined)?.[0]) seen.push([health, shown, ...told])
    }
    const gone = 'disk gone: no response within 2000 ms'
    assert.deepEqual(seen, [
      ['up', 'up'],
      ['late', 'degraded'],
      ['down', 'degraded', gone],
    ])
    readiness.stop()
  })

  it('says since when a part is down', async () => {
    const clock = fakeClock()
    let isDown = false
    const probe = { name: 'disk', check: async () => assert.ok(!isDown) }
    const readiness = watchReadiness([probe], { gone: () => {}, back: () => {}, isAway: () => false }, clock)
    const downAt = async (ms: number) => {
      clock.advance(ms)
      await readiness.refresh()
      return readiness.downSince('disk')
    }
    const startedAt = clock.now()
    assert.equal(await downAt(1_000), null)
    isDown = true
    assert.deepEqual([await downAt(1_000), await downAt(1_000)], [startedAt + 2_000, startedAt + 2_000])
    isDown = false
    assert.equal(await downAt(1_000), null)
    readiness.stop()
  })

  it('reports draining from the start of a shutdown, whatever the state of its parts', async () => {
    let act = async () => {}
    const readiness = watchReadiness(
      [{ name: 'one', isRequired: true, check: () => act() }],
      createOutages(quiet),
      systemClock,
    )
    await readiness.refresh()
    readiness.drain()
    assert.deepEqual([readiness.state(), readiness.checks()], ['draining', { one: 'up' }])
    act = () => Promise.reject(new Error('gone'))
    await readiness.refresh()
    assert.deepEqual([readiness.state(), readiness.checks()], ['draining', { one: 'down' }])
    readiness.stop()
  })

  it('reports a part that takes more than a second as slow, which counts as up, and passes on each result', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const clock = fakeClock()
    let act = async () => {}
    const probes = ['one', 'two'].map((name) => ({ name, check: () => (name === 'one' ? act() : Promise.resolve()) }))
    const readiness = watchReadiness(probes, createOutages(quiet), clock)
    assert.deepEqual(readiness.health(), {})
    let looks = 0
    const forget = readiness.onLook(() => {
      looks += 1
    })
    for (const [tookMs, one] of [
      [0, 'up'],
      [1_000, 'up'],
      [1_001, 'slow'],
      [1_999, 'slow'],
    ] as const) {
      act = async () => clock.advance(tookMs)
      await readiness.refresh()
      assert.deepEqual([readiness.health().one, readiness.checks().one], [one, 'up'], String(tookMs))
    }
    act = () => Promise.reject(new Error('gone'))
    await readiness.refresh()
    assert.deepEqual(
      [readiness.health(), readiness.checks()],
      [
        { one: 'down', two: 'up' },
        { one: 'degraded', two: 'up' },
      ],
    )
    assert.equal(looks, 10)
    forget()
    await readiness.refresh()
    assert.equal(looks, 10)
    readiness.stop()
  })
})
