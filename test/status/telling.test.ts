import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Notice } from '../../src/status/publication.ts'
import { drivenWorker, everyMs, settled, timeoutMs } from './driven-worker.ts'

const accepted = { kind: 'accepted' } as const
const uncertain = { kind: 'uncertain', reason: 'no answer' } as const
const refused = { kind: 'failed', reason: 'answered 500', retryAfterMs: 0 } as const
const brief = ({ componentId, status }: Notice) => `${componentId} ${status}`
const atOnce = 12

describe('A push that waits for a place', () => {
  it('is of what is wanted when its turn comes, and of nothing where that is shown or the component is gone', async () => {
    const { pushed, worker, answer, beat, end } = await drivenWorker()
    await beat('back')
    await settled()
    answer(accepted)
    await settled()
    for (let n = 0; n < atOnce; n++) await beat(`c${n}`, 'outage')
    for (const id of ['back', 'changed', 'gone']) await beat(id, 'outage')
    await beat('back', 'operational')
    await beat('changed', 'degraded')
    await worker.retire('gone')
    await settled()
    assert.equal(pushed.splice(0).length, 1 + atOnce)
    for (let n = 0; n < atOnce; n++) answer(accepted)
    await settled()
    assert.deepEqual(pushed.map(brief), ['changed degraded'])
    answer(accepted)
    await settled()
    assert.deepEqual([worker.unpublished(), worker.find('back')?.publication.push.kind], [0, 'idle'])
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

  it('hears what it shows as long as the component is heard, and no longer', async () => {
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

  it('hears nothing that may be wrong: not after an outcome that is not known, nor when it refused what is new', async () => {
    for (const outcome of [uncertain, refused]) {
      const { pushed, answer, beat, pass, end } = await published()
      await beat('a', 'outage')
      await settled()
      answer(outcome)
      await settled()
      await pass(timeoutMs - everyMs)
      assert.deepEqual(pushed.map(brief), ['a outage'])
      await end()
    }
  })

  it('is asked a few at a time, and what is new goes first', async () => {
    const { pushed, answer, beat, pass, end } = await drivenWorker({ repeatEveryMs })
    const ids = Array.from({ length: 30 }, (_, n) => `c${n}`)
    for (const id of ids) {
      await beat(id)
      await settled()
      answer(accepted)
      await settled()
    }
    pushed.splice(0)
    await pass(repeatEveryMs)
    assert.equal(pushed.splice(0).length, 4)
    await beat('c29', 'outage')
    await settled()
    assert.deepEqual(pushed.map(brief), ['c29 outage'])
    await end()
  })
})

describe('A pause of the worker', () => {
  it('moves deadlines, however seldom silence is looked for', async () => {
    for (const pauseMs of [1_000, 9_500, 30_000, 600_000]) {
      const { clock, store, worker, beat, pass, end } = await drivenWorker()
      const found = () => store.incidents({ componentId: null, isOpen: null, limit: 9 })
      await beat('a')
      await pass(timeoutMs - 2_000)
      clock.advance(pauseMs)
      worker.tick()
      await settled()
      await pass(1_000)
      assert.deepEqual(await found(), [], `${pauseMs} ms`)
      await pass(everyMs + 1_000)
      assert.equal((await found()).length, 1)
      await end()
    }
  })
})

describe('A clock that steps an hour', () => {
  it('neither opens nor hides a silence, and no time is negative', async () => {
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
  it('is answered when the page shows what it said', async () => {
    const { worker, answer, beat, end } = await drivenWorker({ pushWaitMs: 3_600_000 })
    const beating = beat('a', 'outage').then(() => worker.find('a')?.publication.publishedStatus)
    await settled()
    answer(accepted)
    assert.equal(await beating, 'outage')
    await end()
  })

  it('waits for the page after no failure of it, of whatever component that was', async () => {
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
