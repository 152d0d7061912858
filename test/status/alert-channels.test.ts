import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Notice } from '../../src/status/publication.ts'
import { sized } from '../support/size.ts'
import { drivenWorker, everyMs, settled, timeoutMs } from './driven-worker.ts'

const accepted = { kind: 'accepted' } as const
const refused = { kind: 'failed', reason: 'HTTP 500', retryAfterMs: 0 } as const
const groupMs = 5_000
const briefly = (notices: readonly Notice[]) => notices.map(({ componentId, status }) => `${componentId} ${status}`)

/** `told` answers the messages of that time, and returns them. */
async function stage(spec: Parameters<typeof drivenWorker>[0] = {}) {
  const driven = await drivenWorker({ isAlert: true, groupMs, ...spec })
  const { messages, pass, answer } = driven
  const told = async (ms: number, outcome: Parameters<typeof answer>[0] = accepted) => {
    const stepMs = 250
    for (let passed = 0; passed < ms; passed += stepMs) {
      await pass(stepMs)
      answer(outcome)
      await settled()
    }
    return messages.splice(0).map(briefly)
  }
  return { ...driven, told }
}

describe('An alert channel', () => {
  it('gets the changes within STATUS_GROUP_SECONDS as one message, without those that were undone meanwhile', async () => {
    const { beat, told, end } = await stage()
    await beat('a', 'outage')
    assert.deepEqual(await told(groupMs - 500), [])
    for (const id of ['b', 'c']) await beat(id, 'partial')
    await beat('c', 'operational')
    assert.deepEqual(await told(500), [['a outage', 'b partial']])
    await beat('d', 'outage')
    await beat('a', 'operational')
    assert.deepEqual(await told(groupMs), [['d outage', 'a operational']])
    assert.deepEqual(await told(10 * groupMs), [])
    await end()
  })

  it('gets each change as a message of its own with 0, at once and one after the other', async () => {
    const { beat, answer, messages, end } = await stage({ groupMs: 0 })
    for (const id of ['a', 'b', 'c']) await beat(id, 'outage')
    for (const id of ['a', 'b', 'c']) {
      await settled()
      assert.deepEqual(messages.splice(0).map(briefly), [[`${id} outage`]])
      answer(accepted)
    }
    await end()
  })

  const components = sized(200, 1_000)
  it(`gets at most 10 messages when ${components} components fall silent, all within 2 minutes`, async () => {
    const { clock, beat, told, worker, end } = await stage({ maxComponents: components })
    for (let n = 0; n < components; n++) {
      await beat(`c${n}`)
      // Their deadlines are spread over a minute.
      clock.advance(60_000 / components)
      worker.tick()
    }
    const messages = await told(timeoutMs + 60_000)
    const named = messages.flat()
    assert.deepEqual([new Set(named).size, named.length, worker.unpublished()], [components, components, 0])
    assert.ok(messages.length > 1 && messages.length <= 10, `${messages.length} messages`)
    await end()
  })

  it('gets what failed together again after 5 s, without a heartbeat, with what has failed since and the time of each change', async () => {
    const { clock, beat, told, messages, pass, answer, end } = await stage()
    const changedAt = clock.now()
    for (const id of ['a', 'b']) await beat(id, 'outage')
    assert.deepEqual(await told(groupMs, refused), [['a outage', 'b outage']])
    await pass(1_000)
    await beat('c', 'partial')
    assert.deepEqual(
      (await told(4_750, refused)).map((each) => each.sort()),
      [['a outage', 'b outage', 'c partial']],
    )
    const late = await told(20_000, accepted)
    assert.deepEqual(late.flat().sort(), ['a outage', 'b outage', 'c partial'])
    await beat('a', 'operational')
    await pass(groupMs)
    assert.deepEqual(
      messages[0]?.map(({ reportedAt }) => reportedAt > changedAt),
      [true],
    )
    answer(accepted)
    await end()
  })

  it('that is back gets an outage that has ended meanwhile: when it began and when it ended', async () => {
    const { beat, told, messages, pass, answer, clock, end } = await stage()
    await beat('a', 'operational')
    await pass(1_000)
    const downSince = clock.now()
    await beat('a', 'outage')
    assert.deepEqual(await told(groupMs, refused), [['a outage']])
    const upSince = clock.now()
    await beat('a', 'operational')
    assert.deepEqual((await told(1_000, refused)).flat(), ['a operational'])
    await beat('a', 'degraded')
    await pass(7_000)
    assert.deepEqual(
      messages.flat().map(({ status, reportedAt, downSince: since }) => [status, reportedAt, since]),
      [['operational', upSince, downSince]],
    )
    answer(accepted)
    await settled()
    messages.splice(0)
    assert.deepEqual(await told(40_000), [])
    await end()
  })

  it('gets an outage that ended and began anew within STATUS_GROUP_SECONDS with its last beginning, and its end as that of what was told', async () => {
    const { clock, beat, told, messages, pass, answer, worker, end } = await stage()
    const times: number[] = []
    const moves = async (...statuses: ('operational' | 'outage')[]) => {
      for (const status of statuses) {
        times.push(clock.now())
        await beat('a', status)
        await pass(1_000)
      }
    }
    const sent = async () => {
      await pass(groupMs)
      const notices = messages.splice(0).flat()
      answer(accepted)
      await settled()
      return notices.map(({ status, reportedAt, downSince }) => [status, reportedAt, downSince])
    }
    await moves('operational', 'outage', 'operational', 'outage')
    assert.deepEqual(await sent(), [['outage', times[3], undefined]])
    await moves('operational', 'outage', 'operational')
    assert.deepEqual(await sent(), [['operational', times[4], times[3]]])
    assert.deepEqual([await told(10 * groupMs), worker.unpublished()], [[], 0])
    await end()
  })

  it('is told when the outage ended, not of the last of the reports for which STATUS_FLAP_SECONDS waited', async () => {
    const { beat, told, messages, pass, answer, clock, end } = await stage({ flapMs: 20_000 })
    await beat('a', 'outage')
    await told(groupMs)
    const upAt = clock.now()
    await beat('a', 'degraded')
    await pass(10_000)
    await beat('a', 'operational')
    await pass(30_000)
    assert.deepEqual(
      messages.flat().map(({ status, reportedAt }) => [status, reportedAt]),
      [['operational', upAt]],
    )
    answer(accepted)
    await end()
  })

  it('that is back gets everything that failed, and not each at its own time', async () => {
    const { beat, told, pass, end } = await stage()
    for (const id of ['a', 'b', 'c', 'd']) {
      await beat(id, 'outage')
      await told(20_000, refused)
    }
    await beat('e', 'outage')
    const messages = await told(groupMs + 1_000)
    assert.deepEqual(messages.flat().sort(), ['a outage', 'b outage', 'c outage', 'd outage', 'e outage'])
    assert.ok(messages.length <= 3, `${messages.length} messages`)
    await pass(everyMs)
    await end()
  })

  it('is reminded of all outages in one message', async () => {
    const { beat, told, end } = await stage({ repeatEveryMs: 30_000 })
    for (const id of ['a', 'b', 'c']) await beat(id, 'outage')
    assert.equal((await told(groupMs)).length, 1)
    assert.deepEqual(await told(30_000 + groupMs), [['a outage', 'b outage', 'c outage']])
    await end()
  })

  it('is reminded of an outage that was reported with its report, also once the component is silent', async () => {
    const { clock, beat, told, messages, pass, worker, end } = await stage({ repeatEveryMs: 2 * timeoutMs })
    const downAt = clock.now()
    await beat('a', 'outage', { message: 'broken', end: { rid: null, exitCode: 5, body: null } })
    assert.equal((await told(groupMs)).length, 1)
    await pass(2 * timeoutMs + groupMs)
    assert.ok(worker.find('a')?.incident)
    assert.deepEqual(
      messages.flat().map(({ source, reportedAt, silentSince, message }) => [source, reportedAt, silentSince, message]),
      [['heartbeat', downAt, downAt + timeoutMs, 'exit code 5: broken']],
    )
    await end()
  })

  it('responds with 429: nothing is sent until Retry-After, then everything that waits', async () => {
    const { beat, told, end } = await stage()
    await beat('a', 'outage')
    const throttled = { kind: 'failed', reason: 'HTTP 429', retryAfterMs: 20_000, isThrottled: true } as const
    assert.equal((await told(groupMs, throttled)).length, 1)
    await beat('b', 'outage')
    await beat('a', 'outage')
    assert.deepEqual(await told(19_500), [])
    assert.deepEqual((await told(6_000)).flat().sort(), ['a outage', 'b outage'])
    await end()
  })

  it('gets what was collected before the worker stops', async () => {
    const { beat, worker, messages, answer, store, end } = await stage()
    await beat('a', 'outage')
    const stopping = worker.stop()
    await settled()
    answer(accepted)
    await stopping
    assert.deepEqual(messages.map(briefly), [['a outage']])
    assert.equal((await store.load())[0]?.publications[0]?.publishedStatus, 'outage')
    await end()
  })
})

describe('A push to a page that failed', () => {
  it('is retried after 5 s and 15 s without a heartbeat', async () => {
    const { beat, pushed, answer, pass, end } = await drivenWorker()
    await beat('backup', 'outage', { expectWithinMs: 93_600_000 })
    for (const waitMs of [5_000, 15_000]) {
      await settled()
      answer(refused)
      await settled()
      pushed.splice(0)
      await pass(waitMs)
      assert.equal(pushed.length, 0)
      await pass(waitMs * 0.05 + 500)
      assert.equal(pushed.length, 1)
    }
    answer(accepted)
    await pass(400_000)
    assert.equal(pushed.length, 1)
    await end()
  })

  it('with a 429 without Retry-After is repeated by the next heartbeat, at once', async () => {
    const { beat, pushed, answer, end } = await drivenWorker()
    await beat('a', 'outage')
    await settled()
    answer({ kind: 'failed', reason: 'HTTP 429', retryAfterMs: 0, isThrottled: true })
    await settled()
    pushed.splice(0)
    await beat('a', 'outage')
    await settled()
    assert.equal(pushed.length, 1)
    answer(accepted)
    await end()
  })

  it('with a 429 pauses the others to that page too, and then they go one at a time', async () => {
    const { beat, pushed, answer, pass, end } = await drivenWorker()
    await beat('a', 'outage')
    await settled()
    answer({ kind: 'failed', reason: 'HTTP 429', retryAfterMs: 2_000, isThrottled: true })
    await settled()
    pushed.splice(0)
    for (const id of ['b', 'c', 'd']) await beat(id, id === 'd' ? 'outage' : 'operational')
    await pass(1_750)
    assert.equal(pushed.length, 0)
    await pass(500)
    const order = []
    for (let n = 0; n < 4; n++) {
      assert.equal(pushed.length, 1)
      order.push(pushed.splice(0)[0]?.componentId)
      answer(accepted)
      await settled()
    }
    assert.deepEqual(order, ['d', 'a', 'b', 'c'])
    await end()
  })
})
