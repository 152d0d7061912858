import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPublisher } from '../../src/status/publisher.ts'
import { type Budget, createPushQueue } from '../../src/status/push-queue.ts'
import { noticeOf } from '../drivers/status-pages/status-pages.contract.ts'
import { fakeClock } from '../support/clock.ts'
import { seedOr } from '../support/seed.ts'
import { seededRandom } from '../support/uniform.ts'
import { turns as settled } from '../support/until.ts'

const budget = { max: 5, windowMs: 60_000 }

/** `wait` lets time pass as the worker does, and returns who got a turn, in order. */
function stage(limits: Budget = budget) {
  const clock = fakeClock()
  const queue = createPushQueue(clock, limits)
  const went: string[] = []
  const take = (id: string, isUrgent = () => false) =>
    void queue.take(id, isUrgent).then((may) => {
      if (may) went.push(id)
      if (may) queue.release(id, true)
    })
  const wait = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 250) {
      clock.advance(250)
      queue.tick()
    }
    await settled()
    return went.splice(0)
  }
  return { clock, queue, take, wait }
}

describe('A budget of pushes', () => {
  it('is never exceeded in any window, whatever the demand', async () => {
    const { clock, queue } = stage()
    const random = seededRandom(seedOr(1))
    const times: number[] = []
    for (let step = 0; step < 2_000; step++) {
      const id = `c${step}`
      const go = () => {
        times.push(clock.monotonic())
        queue.release(id, true)
      }
      if (random() < 0.5) void queue.take(id, () => false).then(go)
      queue.tick()
      await settled()
      clock.advance(Math.floor(random() * 9_000))
    }
    assert.ok(times.length > 500)
    times.forEach((time, index) => {
      const before = times[index - budget.max]
      if (before !== undefined) assert.ok(time - before >= budget.windowMs, `${before} ${time}`)
    })
  })

  it('goes first to what is an outage when a slot is free, and then to the component that has waited longest', async () => {
    const { take, wait } = stage()
    for (const id of ['a', 'b', 'c', 'd', 'e']) take(id)
    assert.deepEqual(await wait(250), ['a', 'b', 'c', 'd', 'e'])
    let isDown = false
    take('recovered')
    take('flapping', () => isDown)
    take('other')
    isDown = true
    assert.deepEqual(await wait(60_000), ['flapping', 'recovered', 'other'])
  })

  it('keeps its reserve for outages: an outage goes at once when recoveries have used up the rest', async () => {
    const { take, wait } = stage({ ...budget, reserved: 2 })
    for (const id of ['a', 'b', 'c', 'd']) take(id)
    assert.deepEqual(await wait(250), ['a', 'b', 'c'])
    for (const id of ['down', 'too', 'late']) take(id, () => true)
    assert.deepEqual(await wait(250), ['down', 'too'])
    assert.deepEqual(await wait(59_500), ['late'])
    assert.deepEqual(await wait(500), ['d'])
  })

  it('is shared: a component that flaps is told once in 10 s, and delays no other', async () => {
    const { take, wait } = stage()
    take('flapping', () => true)
    assert.deepEqual(await wait(250), ['flapping'])
    take('flapping', () => true)
    assert.deepEqual(await wait(9_500), [])
    take('api', () => true)
    assert.deepEqual(await wait(250), ['api', 'flapping'])
  })

  it('keeps the slot of a push that is no longer wanted, and ends with false when it is closed', async () => {
    const { clock, queue } = stage()
    const sent: string[] = []
    const publisher = createPublisher(
      {
        push: async ({ componentId }) => {
          sent.push(componentId)
          return { kind: 'accepted' }
        },
      },
      queue,
    )
    for (let count = 0; count < 20; count++) assert.equal(await publisher.push(`c${count}`, async () => null), null)
    const ids = ['a', 'b', 'c', 'd', 'e', 'late']
    const pushes = ids.map((id) => publisher.push(id, async () => noticeOf({ componentId: id })))
    await settled()
    assert.deepEqual(sent, ids.slice(0, -1))
    await publisher.close(1_000)
    assert.equal((await Promise.all(pushes)).at(-1), null)
    clock.advance(60_000)
    publisher.tick()
    assert.equal(sent.length, 5)
  })
})
