import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { watchReadiness } from '../../src/base/readiness.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogs } from '../../src/lib/logger.ts'
import { fakeClock } from '../support/clock.ts'
import { startService } from '../support/service.ts'

const quiet = createLogs('fatal', systemClock, { write() {}, flush() {} }).log

describe('GET /ready', () => {
  it('answers 200 with every part up', async () => {
    const service = await startService()
    const { status, body } = await service.request('GET', '/ready')
    assert.equal(status, 200)
    assert.deepEqual(body, { status: 200, message: 'Ready', checks: { database: 'up', objectStore: 'up' } })
    await service.close()
  })

  it('answers 503 and names the part that is down, while /health answers 200', async () => {
    const service = await startService({
      overrides: {
        probes: (real) =>
          real.map((probe) =>
            probe.name === 'database' ? { ...probe, check: () => Promise.reject(new Error('gone')) } : probe,
          ),
      },
    })
    const { status, body } = await service.request('GET', '/ready')
    assert.equal(status, 503)
    assert.deepEqual(body, { status: 503, message: 'Not ready', checks: { database: 'down', objectStore: 'up' } })
    assert.equal((await service.request('GET', '/health')).status, 200)
    await service.close()
  })

  it('never waits for a part: what is asked is what was seen last, and one look is under way at a time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const looks: PromiseWithResolvers<void>[] = []
    const check = () => {
      const look = Promise.withResolvers<void>()
      looks.push(look)
      return look.promise
    }
    const readiness = watchReadiness([{ name: 'slow', check }], quiet, systemClock)
    assert.deepEqual(readiness.state(), { slow: false })
    const first = readiness.refresh()
    t.mock.timers.tick(2_000)
    await first
    assert.equal(looks.length, 1)
    looks[0]?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    const second = readiness.refresh()
    looks[1]?.resolve()
    await second
    assert.deepEqual(readiness.state(), { slow: true })
    const third = readiness.refresh()
    assert.deepEqual(readiness.state(), { slow: true })
    t.mock.timers.tick(2_000)
    await third
    assert.deepEqual(readiness.state(), { slow: false })
    readiness.stop()
  })

  it('knows a part that takes more than a second as slow, which is up, and tells of each look', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const clock = fakeClock()
    let act = async () => {}
    const probes = ['one', 'two'].map((name) => ({ name, check: () => (name === 'one' ? act() : Promise.resolve()) }))
    const readiness = watchReadiness(probes, quiet, clock)
    assert.deepEqual(readiness.health(), { one: 'down', two: 'down' })
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
      assert.deepEqual([readiness.health().one, readiness.state().one], [one, true], String(tookMs))
    }
    act = () => Promise.reject(new Error('gone'))
    await readiness.refresh()
    assert.deepEqual(
      [readiness.health(), readiness.state()],
      [
        { one: 'down', two: 'up' },
        { one: false, two: true },
      ],
    )
    assert.equal(looks, 10)
    forget()
    await readiness.refresh()
    assert.equal(looks, 10)
    readiness.stop()
  })
})
