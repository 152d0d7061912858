import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { drivenWorker, everyMs, timeoutMs } from './driven-worker.ts'

const day = 86_400_000
const all = { componentId: null, isOpen: null, limit: 9 }

describe('When the wall clock is set back', () => {
  it('incidents and transitions stay in the order they came in, and none ends before it began', async () => {
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
      const transitions = await store.transitions(id, 99)
      for (const [index, { from }] of transitions.entries()) assert.equal(from, transitions[index + 1]?.to ?? null)
    }
    const lengths = logged().flatMap(({ seconds }) => (seconds === undefined ? [] : [Number(seconds)]))
    assert.ok(lengths.length >= 3 && lengths.every((seconds) => seconds >= 0), `${lengths}`)
    await end()
  })

  it('the time since a heartbeat goes on counting', async () => {
    const { wall, worker, beat, pass, end } = await drivenWorker()
    await beat('a')
    wall.steppedMs -= day
    await pass(5_000)
    const component = worker.find('a') ?? assert.fail()
    assert.equal(worker.silentMs(component), 5_000)
    await end()
  })
})

describe('When the machine was suspended, or the wall clock is set ahead', () => {
  it('the time since a heartbeat is that from lastHeartbeatAt to now; nobody is accused', async () => {
    const { clock, wall, store, worker, beat, pass, end } = await drivenWorker()
    await beat('a')
    wall.steppedMs += day
    await pass(everyMs)
    const component = worker.find('a') ?? assert.fail()
    assert.equal(worker.silentMs(component), clock.now() - component.lastHeartbeatAt)
    assert.deepEqual(await store.incidents(all), [])
    await end()
  })
})

describe('Silences that are found together', () => {
  it('are listed by when they began', async () => {
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
