import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { turns } from '../support/until.ts'
import { openWorker } from './worker-stage.ts'

describe('The periods of components', () => {
  it('are in the full summary, reported or silent, with their true start however long ago', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const clock = fakeClock(Date.parse('2026-01-01T00:00:00.000Z'))
    const worker = await openWorker({ overrides: { clock }, env: { STATUS_TIMEOUTS: 'old=31d+31d,shop=31d+31d' } })
    const [quarter, hour, day] = [250, 3_600_000, 86_400_000]
    const periods = async () =>
      (await worker.ask('GET', '/summary?componentId=silent,shop,old&full=true')).body.periods.map(
        (each: Record<string, string>) => [each.componentId, each.status, each.startedAt, each.endedAt],
      )
    const beat = (id: string, status: string) => worker.beat(id, status)
    await beat('old', 'partial')
    clock.advance(100 * day)
    for (const id of ['old', 'shop']) await beat(id, id === 'old' ? 'degraded' : 'operational')
    clock.advance(day)
    await beat('shop', 'degraded')
    clock.advance(60_000)
    await beat('shop', 'outage')
    clock.advance(60_000)
    await beat('shop', 'operational')
    // The worker takes the jumps so far for a pause of its own.
    t.mock.timers.tick(quarter)
    await beat('silent', 'operational')
    for (let passed = 0; passed < 200_000; passed += quarter) {
      clock.advance(quarter)
      t.mock.timers.tick(quarter)
      if (passed % 10_000 === 0) await turns()
    }
    await turns()
    const degraded = ['shop', 'degraded', '2026-04-12T00:00:00.000Z', '2026-04-12T00:01:00.000Z']
    const outage = ['shop', 'outage', '2026-04-12T00:01:00.000Z', '2026-04-12T00:02:00.000Z']
    const silent = ['silent', 'outage', '2026-04-12T00:05:00.000Z']
    const old = ['old', 'degraded', '2026-04-11T00:00:00.000Z', null]
    const partial = ['old', 'partial', '2026-01-01T00:00:00.000Z', '2026-04-11T00:00:00.000Z']
    assert.deepEqual(await periods(), [[...silent, null], old, outage, degraded, partial])
    const [first] = (await worker.ask('GET', '/summary?componentId=silent&full=true')).body.periods
    const [incident] = (await worker.ask('GET', '/incidents?componentId=silent')).body.incidents
    assert.equal(first.detectedAt, incident.detectedAt)
    await beat('silent', 'operational')
    const ended = new Date(clock.now()).toISOString()
    assert.deepEqual(await periods(), [old, [...silent, ended], outage, degraded, partial])
    // What 0.2 expects stays as it was.
    const { body } = await worker.ask('GET', '/summary?componentId=silent,shop,old')
    assert.deepEqual([body.periods, body.incidents.length], [undefined, 1])
    // After the history is deleted, what still lasts has its true start.
    clock.advance(91 * day)
    t.mock.timers.tick(7 * hour)
    await turns()
    assert.deepEqual((await periods()).at(-1), old)
    await worker.close()
  })
})
