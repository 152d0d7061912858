import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Notice } from '../../src/status/publication.ts'
import { drivenWorker, everyMs, sender, settled, timeoutMs } from './driven-worker.ts'

const accepted = { kind: 'accepted' } as const
const uncertain = { kind: 'uncertain', reason: 'no answer' } as const
const refused = { kind: 'failed', reason: 'answered 500', retryAfterMs: 0 } as const
const brief = ({ componentId, status }: Notice) => `${componentId} ${status}`
const atOnce = 12

describe('A queued push', () => {
  it('sends what is wanted when its turn comes, and nothing if that is published or the component is retired', async () => {
    const { pushed, worker, answer, beat, end } = await drivenWorker()
    await beat('back')
    await settled()
    answer(accepted)
    await settled()
    for (let n = 0; n < atOnce; n++) await beat(`c${n}`, 'outage')
    for (const id of ['back', 'changed', 'gone']) await beat(id, 'outage')
    await beat('back', 'operational')
    await beat('changed', 'degraded')
    await worker.retire('gone', null, sender)
    await settled()
    assert.equal(pushed.splice(0).length, 1 + atOnce)
    for (let n = 0; n < atOnce; n++) answer(accepted)
    await settled()
    assert.deepEqual(pushed.map(brief), ['changed degraded'])
    answer(accepted)
    await settled()
    assert.deepEqual([worker.unpublished(), worker.find('back')?.publications[0]?.push.kind], [0, 'idle'])
    await end()
  })
})

describe('A page that takes silence for an outage', () => {
  const repeatEveryMs = 20_000
  const published = async () => {
    const driven = await drivenWorker({ repeatEveryMs })
    await driven.beat('a')
    await settled()
    driven.answer(accepted)
    await settled()
    driven.pushed.splice(0)
    return driven
  }

  it('gets the published status repeated while heartbeats arrive, and no longer', async () => {
    const { pushed, answer, beat, pass, end } = await published()
    for (let beats = 0; beats < 12; beats++) {
      await pass(everyMs)
      answer(accepted)
      await beat('a')
    }
    assert.deepEqual(
      pushed.splice(0).map(brief),
      Array.from({ length: 6 }, () => 'a operational'),
    )
    for (let passed = 0; passed < 2 * timeoutMs; passed += everyMs) {
      await pass(everyMs)
      answer(accepted)
    }
    assert.deepEqual(pushed.slice(-1).map(brief), ['a outage'])
    assert.ok(pushed.length <= timeoutMs / repeatEveryMs + 1)
    await end()
  })

  it('gets an outage by silence repeated too if it keeps a status until the next one', async () => {
    const { pushed, answer, beat, pass, end } = await drivenWorker({ repeatEveryMs, keepsStatus: true })
    await beat('a')
    for (let passed = 0; passed < timeoutMs + 4 * repeatEveryMs; passed += everyMs) {
      await pass(everyMs)
      answer(accepted)
    }
    assert.deepEqual(pushed.slice(-3).map(brief), ['a outage', 'a outage', 'a outage'])
    await end()
  })

  it('gets no repetition that may be wrong: neither in doubt nor after it refused a newer status', async () => {
    for (const outcome of [uncertain, refused]) {
      const { pushed, answer, beat, pass, end } = await published()
      await beat('a', 'outage')
      await settled()
      answer(outcome)
      await settled()
      await pass(timeoutMs - everyMs)
      assert.deepEqual([...new Set(pushed.map(brief))], ['a outage'])
      await end()
    }
  })
})

describe('A page with a budget', () => {
  it('is told of an outage before the recoveries and reports that came earlier', async () => {
    const { pushed, answer, beat, pass, end } = await drivenWorker({ budget: { max: 1, windowMs: 20_000 } })
    for (const id of ['a', 'b', 'c']) await beat(id)
    await beat('c', 'outage')
    for (const expected of ['a operational', 'c outage', 'b operational']) {
      await settled()
      assert.deepEqual(pushed.splice(0).map(brief), [expected])
      answer(accepted)
      await pass(20_000)
    }
    await end()
  })
})

describe('An alert channel', () => {
  it('is told when a component goes down and when it comes up again, and reminded meanwhile, silent or not', async () => {
    const { pushed, answer, beat, pass, end } = await drivenWorker({ isAlert: true, repeatEveryMs: 30_000 })
    const told = async (ms: number) => {
      await pass(ms)
      answer(accepted)
      await settled()
      return pushed.splice(0).map(({ status, previousStatus }) => `${previousStatus} ${status}`)
    }
    for (const status of ['operational', 'degraded', 'maintenance', 'operational'] as const) await beat('a', status)
    assert.deepEqual(await told(timeoutMs - everyMs), [])
    await beat('a', 'partial')
    assert.deepEqual(await told(0), ['operational partial'])
    assert.deepEqual(await told(30_000), ['partial partial'])
    await beat('a', 'outage')
    assert.deepEqual(await told(0), ['partial outage'])
    // The silence is the outage that was pushed already.
    for (let reminders = 0; reminders < 4; reminders++) assert.deepEqual(await told(30_000), ['outage outage'])
    await beat('a', 'degraded')
    assert.deepEqual(await told(0), ['outage operational'])
    assert.deepEqual(await told(timeoutMs - everyMs), [])
    await end()
  })

  it('is told nothing of maintenance, announced or reported, and not reminded meanwhile', async () => {
    const { clock, worker, pushed, answer, beat, pass, end } = await drivenWorker({
      isAlert: true,
      repeatEveryMs: 30_000,
    })
    const told = async (ms: number) => {
      await pass(ms)
      answer(accepted)
      await settled()
      return pushed.splice(0).map(({ status, previousStatus }) => `${previousStatus} ${status}`)
    }
    await beat('a', 'outage')
    assert.deepEqual(await told(0), ['operational outage'])
    const window = { components: ['a', 'b'], from: clock.now(), until: clock.now() + 10 * timeoutMs, text: null }
    const { id } = await worker.calendar.announce(window, sender)
    await worker.checkMaintenance()
    await beat('b', 'outage')
    assert.deepEqual(await told(2 * timeoutMs), [])
    assert.equal(worker.unpublished(), 0)
    await worker.calendar.end(id, sender)
    assert.deepEqual(await told(500), ['operational outage', 'outage outage'])
    await beat('a', 'maintenance')
    await beat('b', 'operational')
    assert.deepEqual(await told(timeoutMs - everyMs), ['outage operational'])
    await beat('a', 'operational')
    assert.deepEqual(await told(0), ['outage operational'])
    await end()
  })
})

describe('A pause of the worker', () => {
  it('leaves each component its timeout or the start grace for the next heartbeat, if that is later', async () => {
    for (const pauseMs of [1_500, 9_500, 30_000, 600_000]) {
      const { clock, store, worker, beat, pass, end } = await drivenWorker()
      const found = () => store.incidents({ componentId: null, isOpen: null, limit: 9 })
      await beat('a')
      await pass(timeoutMs - 2_000)
      clock.advance(pauseMs)
      worker.tick()
      await settled()
      await pass(timeoutMs - 1_000)
      assert.deepEqual(await found(), [], `${pauseMs} ms`)
      await pass(everyMs + 1_000)
      assert.equal((await found()).length, 1)
      await end()
    }
  })

  it('changes nothing for a component that was silent before, nor if it is shorter than a second', async () => {
    const { clock, store, worker, beat, pass, end } = await drivenWorker()
    await beat('a')
    await pass(timeoutMs - everyMs)
    await beat('b')
    await pass(everyMs - 500)
    clock.advance(900)
    worker.tick()
    await settled()
    await pass(everyMs)
    const found = await store.incidents({ componentId: null, isOpen: null, limit: 9 })
    assert.deepEqual(
      found.map(({ componentId }) => componentId),
      ['a'],
    )
    await end()
  })
})

describe('A clock that steps an hour', () => {
  it('neither opens nor hides an incident, and no duration is negative', async () => {
    for (const step of [3_600_000, -3_600_000]) {
      const { wall, store, worker, beat, pass, end } = await drivenWorker()
      const found = () => store.incidents({ componentId: null, isOpen: null, limit: 9 })
      await beat('a')
      wall.steppedMs = step
      await pass(timeoutMs - everyMs)
      const silentMs = worker.silentMs(worker.find('a') ?? assert.fail())
      // Since lastHeartbeatAt: a step ahead looks like a machine that was suspended.
      assert.deepEqual([silentMs, await found()], [timeoutMs - everyMs + Math.max(0, step), []])
      await pass(2 * everyMs)
      assert.equal((await found()).length, 1)
      await end()
    }
  })
})

describe('A heartbeat', () => {
  it('is answered after the page has accepted its status', async () => {
    const { worker, answer, beat, end } = await drivenWorker({ pushWaitMs: 3_600_000 })
    const beating = beat('a', 'outage').then(() => worker.find('a')?.publications[0]?.publishedStatus)
    await settled()
    answer(accepted)
    assert.equal(await beating, 'outage')
    await end()
  })

  it('does not wait for the page after a failure, of any component, until a push is accepted', async () => {
    const { answer, beat, end } = await drivenWorker({ pushWaitMs: 3_600_000 })
    let isAnswered = false
    const first = beat('a').then(() => {
      isAnswered = true
    })
    await settled()
    assert.equal(isAnswered, false)
    answer(refused)
    await first
    assert.deepEqual([await beat('b'), await beat('c', 'outage')], [200, 200])
    await settled()
    answer(accepted)
    await settled()
    let isLate = true
    const after = beat('d').then(() => {
      isLate = false
    })
    await settled()
    assert.equal(isLate, true, 'it is waited for again')
    await end()
    await after
  })
})
