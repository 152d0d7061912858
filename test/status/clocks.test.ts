import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tickMs } from '../../src/status/deadlines.ts'
import { drivenWorker, everyMs, timeoutMs } from './driven-worker.ts'

const day = 86_400_000
const all = { componentId: null, isOpen: null, limit: 9 }

describe('When the wall clock is set back', () => {
  it('incidents and transitions keep their order of insertion, and none ends before it begins', async () => {
    const { wall, store, worker, logged, beat, pass, end } = await drivenWorker()
    for (const id of ['first', 'second', 'third']) {
      await beat(id)
      await pass(timeoutMs + everyMs)
      wall.steppedMs -= day
      await beat(id, 'degraded')
    }
    const incidents = await store.incidents(all)
    // The ids of this worker count up.
    const ids = incidents.map(({ id }) => Number(id.replace('incident-', '')))
    assert.deepEqual([ids.length >= 3, ids], [true, ids.toSorted((a, b) => b - a)])
    for (const { startedAt, detectedAt, resolvedAt } of incidents)
      assert.ok(startedAt <= detectedAt && (resolvedAt === null || detectedAt <= resolvedAt))
    for (const { id } of worker.components()) {
      const transitions = await store.transitions(id, { limit: 99 })
      for (const [index, { from }] of transitions.entries()) assert.equal(from, transitions[index + 1]?.to ?? null)
    }
    const lengths = logged().flatMap(({ seconds }) => (seconds === undefined ? [] : [Number(seconds)]))
    assert.ok(lengths.length >= 3 && lengths.every((seconds) => seconds >= 0), `${lengths}`)
    await end()
  })
})

describe('When the wall clock is set ahead', () => {
  it('a run that was due by the new time is missed after the grace of a start, and a timeout lasts as long as before', async () => {
    const { clock, wall, store, beat, pass, end } = await drivenWorker()
    const at = (time: string) => Date.parse(`2026-06-02T${time}Z`)
    const cron = { expression: '0 3 * * *', tz: 'UTC' }
    await beat('nightly', 'operational', { cron })
    await beat('plain')
    await beat('weekly', 'operational', { cron: { ...cron, expression: '0 3 * * 0' } })
    const passed = 10_000
    await pass(passed)
    wall.steppedMs = at('08:00:00') - clock.now()
    await pass(timeoutMs - passed - tickMs)
    assert.deepEqual(await store.incidents(all), [])
    await pass(everyMs)
    const opened = async () =>
      (await store.incidents(all)).map(({ componentId, startedAt }) => [componentId, new Date(startedAt).toISOString()])
    assert.deepEqual(await opened(), [['plain', '2026-06-02T08:00:50.000Z']])
    await pass(2 * timeoutMs)
    assert.deepEqual(await opened(), [
      ['nightly', '2026-06-02T08:02:00.250Z'],
      ['plain', '2026-06-02T08:00:50.000Z'],
    ])
    await end()
  })
})

describe('When the wall clock is set ahead again and again', () => {
  it('a missed run is still found in time, and a run in progress is not called lost', async () => {
    const { wall, store, worker, beat, pass, end } = await drivenWorker()
    const cron = { expression: '*/5 * * * *', tz: 'UTC' }
    await beat('often', 'operational', { cron })
    const run = { rid: null, body: null, maxRunMs: 3_600_000 }
    await worker.startRun('job', { ...run, cron: { ...cron, expression: '0 3 * * *' } })
    for (let minute = 0; minute < 18; minute++) {
      await pass(60_000)
      wall.steppedMs += 2_500
    }
    wall.steppedMs += 7_200_000
    await pass(240_000)
    assert.deepEqual(
      (await store.incidents(all)).map(({ componentId }) => componentId),
      ['often'],
    )
    await end()
  })
})

describe('Incidents that one check opens', () => {
  it('are listed in the order of their deadlines', async () => {
    const { clock, store, beat, pass, end } = await drivenWorker()
    for (const id of ['a', 'b', 'c']) await beat(id)
    for (const id of ['c', 'a', 'b']) {
      clock.advance(10)
      await beat(id)
    }
    await pass(timeoutMs + everyMs)
    assert.deepEqual(
      (await store.incidents(all)).map(({ componentId }) => componentId),
      ['b', 'a', 'c'],
    )
    await end()
  })
})
