import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Component } from '../../src/status/component.ts'
import type { StateStore } from '../../src/status/state-store.ts'
import { drivenWorker, everyMs, sender, settled, timeoutMs } from './driven-worker.ts'

/** Everything but the deadline, and what it counts from. */
const visible = (component: Component | undefined) => ({ ...component, deadline: 0, aliveAt: 0 })
const incidentsOf = (store: StateStore) => store.incidents({ componentId: null, isOpen: null, limit: 9 })

describe('A change that cannot be saved', () => {
  it('has no visible effect: an incident stays open, and nothing is pushed', async () => {
    const { disk, store, pushed, worker, answer, beat, pass, end } = await drivenWorker()
    await beat('a')
    answer({ kind: 'accepted' })
    await pass(timeoutMs)
    answer({ kind: 'accepted' })
    await settled()
    await beat('same')
    await settled()
    answer({ kind: 'accepted' })
    await settled()
    const before = worker.find('a')
    assert.deepEqual([before?.publications[0]?.publishedStatus, pushed.length], ['outage', 3])
    disk.isFull = true
    assert.deepEqual([await beat('a'), await beat('a', 'degraded'), await beat('b')], [503, 503, 503])
    const heard = worker.find('same')
    assert.equal(await beat('same'), 503)
    assert.deepEqual(visible(worker.find('same')), visible(heard))
    assert.deepEqual(visible(worker.find('a')), visible(before))
    assert.deepEqual([worker.components().length, pushed.length], [2, 3])
    disk.isFull = false
    assert.equal(await beat('a'), 200)
    const [incident] = await incidentsOf(store)
    assert.ok(incident?.resolvedAt)
    await end()
  })

  it('extends the deadline: incidents open only for silent components, from their own deadlines, once saved', async () => {
    const { clock, disk, store, pushed, worker, answer, beat, pass, end } = await drivenWorker()
    for (const id of ['same', 'changed', 'silent', 'in-maintenance']) await beat(id)
    for (let n = 0; n < 4; n++) answer({ kind: 'accepted' })
    await settled()
    const [known, told] = [worker.components().map(visible), pushed.length]
    const missedAt = clock.now() + timeoutMs
    disk.isFull = true
    assert.equal(await beat('in-maintenance', 'maintenance'), 503)
    for (let beats = 0; beats < 10; beats++) {
      assert.deepEqual([await beat('same'), await beat('changed', 'outage'), await beat('new')], [503, 503, 503])
      await pass(timeoutMs / 2)
    }
    assert.deepEqual(worker.components().map(visible), known)
    assert.deepEqual([await incidentsOf(store), pushed.length], [[], told], 'what cannot be saved has not happened')
    disk.isFull = false
    await pass(everyMs)
    const [incident, ...others] = await incidentsOf(store)
    assert.deepEqual([incident?.componentId, incident?.startedAt, others], ['silent', missedAt, []])
    assert.deepEqual(
      pushed.slice(told).map(({ componentId, status, source }) => [componentId, status, source]),
      [['silent', 'outage', 'silence']],
    )
    await pass(timeoutMs)
    assert.deepEqual(
      (await incidentsOf(store)).map(({ componentId }) => componentId),
      ['changed', 'same', 'silent'],
      'who falls silent later is found',
    )
    await end()
  })

  it('extends the deadline if the lease may be lost, or an earlier save fails', async () => {
    const { disk, store, beat, pass, end } = await drivenWorker()
    for (const id of ['a', 'b']) await beat(id)
    await pass(timeoutMs - everyMs)
    disk.isOurs = false
    assert.equal(await beat('a'), 503)
    disk.isOurs = true
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    disk.isFullOnce = true
    const first = beat('b', 'outage')
    await settled()
    await pass(everyMs - 1_000)
    const second = beat('b')
    resolve()
    assert.deepEqual(await Promise.all([first, second]), [503, 503])
    await pass(timeoutMs - everyMs)
    assert.deepEqual(await incidentsOf(store), [])
    await end()
  })

  it('extends it across a restart too, once that can be saved', async () => {
    const { clock, disk, store, worker, beat, pass, end } = await drivenWorker()
    await beat('a')
    await pass(timeoutMs / 2)
    disk.isFull = true
    assert.equal(await beat('a', 'degraded'), 503)
    disk.isFull = false
    const aliveAt = clock.now()
    await worker.stop()
    const [component] = await store.load()
    assert.deepEqual([component?.aliveAt, component?.lastReportedStatus], [aliveAt, 'operational'])
    await end()
  })

  it('does not stop the repetitions to a page that takes silence for an outage', async () => {
    const { disk, pushed, answer, beat, pass, end } = await drivenWorker({ repeatEveryMs: 20_000 })
    await beat('a')
    answer({ kind: 'accepted' })
    await settled()
    disk.isFull = true
    for (let beats = 0; beats < 6; beats++) {
      assert.equal(await beat('a', 'degraded'), 503)
      const before = pushed.length
      await pass(timeoutMs / 2)
      answer({ kind: 'accepted' })
      await settled()
      assert.deepEqual([...new Set(pushed.slice(before).map(({ status }) => status))], ['operational'])
    }
    const repeats = async () => {
      const before = pushed.length
      await pass(20_000)
      answer({ kind: 'accepted' })
      await settled()
      return pushed.length - before
    }
    // Half of its timeout has passed.
    assert.deepEqual([await repeats(), await repeats(), await repeats(), await repeats()], [1, 0, 0, 0])
    await end()
  })

  it('is found again if it is an incident, which starts at its deadline', async () => {
    const { clock, disk, store, beat, pass, end } = await drivenWorker()
    const startedAt = clock.now() + timeoutMs
    await beat('a')
    await pass(timeoutMs - everyMs)
    disk.isFull = true
    await pass(5 * everyMs)
    assert.deepEqual(await incidentsOf(store), [])
    disk.isFull = false
    await pass(2 * everyMs)
    const [incident, ...others] = await incidentsOf(store)
    assert.deepEqual([incident?.startedAt, others], [startedAt, []])
    await end()
  })

  it('drops the next push, but not the outcome of the last one, which is saved later', async () => {
    const { disk, store, pushed, worker, answer, beat, end } = await drivenWorker()
    await beat('a')
    await beat('a', 'outage')
    disk.isFull = true
    answer({ kind: 'accepted' })
    await settled()
    const { publishedStatus, push } = worker.find('a')?.publications[0] ?? assert.fail()
    assert.deepEqual([publishedStatus, push.kind, pushed.length], ['operational', 'waiting', 1])
    disk.isFull = false
    assert.equal(await beat('a', 'outage'), 200)
    await settled()
    assert.equal(pushed.at(-1)?.status, 'outage')
    assert.deepEqual(
      (await store.load()).map((each) => each.publications[0]?.publishedStatus),
      ['operational'],
    )
    await end()
  })
})

describe('While a change is being saved', () => {
  it('a further heartbeat waits for it, and is refused if it fails, without a save of its own', async () => {
    const { disk, worker, beat, end } = await drivenWorker()
    await beat('a')
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    disk.isFullOnce = true
    const first = beat('a', 'outage')
    await settled()
    const second = beat('a', 'outage')
    const third = beat('a')
    assert.equal(worker.find('a')?.lastReportedStatus, 'operational', 'nobody sees what is not saved')
    resolve()
    assert.deepEqual(await Promise.all([first, second, third]), [503, 503, 503])
    assert.equal(worker.find('a')?.lastReportedStatus, 'operational')
    assert.equal(await beat('a', 'outage'), 200)
    await end()
  })

  it('new components count against the limit, and a refused one no longer does', async () => {
    const { disk, worker, beat, end } = await drivenWorker({ maxComponents: 3 })
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    const beats = Array.from({ length: 8 }, (_, n) => beat(`c${n}`))
    resolve()
    const answers = await Promise.all(beats)
    assert.deepEqual(answers.toSorted(), [200, 200, 200, 429, 429, 429, 429, 429])
    assert.equal(worker.components().length, 3)
    await worker.retire(worker.components()[0]?.id ?? '', null, sender)
    disk.isFull = true
    assert.equal(await beat('new'), 503)
    disk.isFull = false
    assert.deepEqual([await beat('other'), await beat('new')], [200, 429])
    await end()
  })
})

describe('Retiring a component', () => {
  it('deletes it for good, even while it is being saved', async () => {
    const { disk, store, worker, answer, beat, end } = await drivenWorker()
    await beat('a')
    await beat('a')
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.gate = promise
    disk.isFullOnce = true
    // The write contains changes that nobody awaits, which are retried.
    const writing = beat('b')
    await settled()
    const retired = worker.retire('a', null, sender)
    resolve()
    assert.deepEqual(await Promise.all([writing, retired]), [503, undefined])
    answer({ kind: 'accepted' })
    await worker.stop()
    assert.deepEqual(await store.load(), [])
    await end()
  })

  it('leaves it unchanged if that cannot be saved, with its last heartbeat', async () => {
    const { clock, disk, store, worker, answer, beat, end } = await drivenWorker()
    await beat('a')
    clock.advance(5_000)
    await beat('a')
    disk.isFull = true
    await assert.rejects(worker.retire('a', null, sender))
    assert.equal(worker.find('a')?.lastHeartbeatAt, clock.now())
    disk.isFull = false
    answer({ kind: 'accepted' })
    await worker.stop()
    assert.deepEqual(
      (await store.load()).map((each) => each.lastHeartbeatAt),
      [clock.now()],
    )
    await end()
  })
})

describe('A worker that stops', () => {
  it('has saved the last heartbeats', async () => {
    const { clock, store, worker, answer, beat, end } = await drivenWorker()
    await beat('a')
    answer({ kind: 'accepted' })
    await settled()
    clock.advance(5_000)
    await beat('a')
    await worker.stop()
    assert.equal((await store.load())[0]?.lastHeartbeatAt, clock.now())
    await end()
  })

  it('no longer sends queued pushes', async () => {
    const { pushed, worker, answer, beat, end } = await drivenWorker()
    for (let n = 0; n < 13; n++) await beat(`c${n}`)
    await worker.stop()
    answer({ kind: 'accepted' })
    await settled()
    assert.equal(pushed.length, 12)
    await end()
  })
})

describe('A component that is registered again', () => {
  it('continues its sequence numbers', async () => {
    const { pushed, answer, worker, beat, end } = await drivenWorker()
    for (const status of ['operational', 'outage', 'operational'] as const) {
      await beat('a', status)
      answer({ kind: 'accepted' })
      await settled()
    }
    await worker.retire('a', null, sender)
    await beat('a')
    assert.deepEqual(
      pushed.map(({ sequence }) => sequence),
      [1, 2, 3, 4],
    )
    await end()
  })
})
