import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Budget, createPushQueue } from '../../src/status/push-queue.ts'
import { fakeClock } from '../support/clock.ts'
import { turns as settled } from '../support/until.ts'

/** `went` returns who got a turn since the last call, or was turned away. */
function stage(budget: Budget | null = null) {
  const clock = fakeClock()
  const queue = createPushQueue(clock, budget)
  const log: string[] = []
  const take = (...ids: string[]) => {
    for (const id of ids) void queue.take(id, () => id.startsWith('!')).then((may) => log.push(may ? id : `not ${id}`))
  }
  const went = async () => {
    await settled()
    return log.splice(0)
  }
  /** Whether this much time was needed for anybody to get a turn. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    queue.tick()
    return went()
  }
  return { queue, take, went, pass }
}
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`)

describe('A target without a budget', () => {
  it('gets 12 pushes at once, and the others in order of arrival, outage or not', async () => {
    const { queue, take, went } = stage()
    take(...numbered(13), '!down')
    assert.deepEqual(await went(), numbered(12))
    queue.release('c0', true)
    assert.deepEqual(await went(), ['c12'])
    queue.release('c1', false)
    assert.deepEqual(await went(), ['!down'])
    take('c0')
    queue.release('c2', true)
    assert.deepEqual(await went(), ['c0'])
  })

  it('that asks for a pause gets nothing until its end, also if a shorter one follows', async () => {
    const { queue, take, pass, went } = stage()
    assert.equal(queue.isPaused, false)
    queue.pause(5_000)
    queue.pause(1_000)
    take('a')
    assert.deepEqual([await pass(4_999), queue.isPaused], [[], true])
    assert.deepEqual([await pass(1), queue.isPaused], [['a'], false])
    queue.release('a', true)
    assert.deepEqual(await went(), [])
  })

  it('gets one at a time after a pause, outages first, until nobody waits any more', async () => {
    const { queue, take, pass, went } = stage()
    queue.pause(1_000)
    take('a', 'b', '!c')
    assert.deepEqual(await pass(1_000), ['!c'])
    queue.release('!c', true)
    assert.deepEqual(await went(), ['a'])
    queue.release('a', true)
    take('d')
    assert.deepEqual(await went(), ['b'])
    queue.release('b', true)
    assert.deepEqual(await went(), ['d'])
    queue.release('d', true)
    take('e', 'f')
    assert.deepEqual(await went(), ['e', 'f'])
    // A pause while others are in flight.
    queue.pause(1_000)
    take('g', 'h')
    assert.deepEqual(await pass(1_000), [])
    queue.release('e', true)
    assert.deepEqual(await went(), [])
    queue.release('f', true)
    assert.deepEqual(await went(), ['g'])
    queue.release('g', true)
    assert.deepEqual(await went(), ['h'])
  })

  it('stays careful if its last push was answered with another pause', async () => {
    const { queue, take, pass } = stage()
    take('a')
    queue.pause(1_000)
    queue.release('a', true)
    take('b', 'c')
    assert.deepEqual(await pass(1_000), ['a', 'b'])
  })

  it('is careful until its last push has ended, with outages in order of arrival, and a component as often as it changes', async () => {
    const { queue, take, pass, went } = stage()
    take('a', 'b')
    assert.deepEqual(await went(), ['a', 'b'])
    queue.pause(1_000)
    assert.deepEqual(await pass(1_000), [])
    queue.release('a', true)
    take('c', '!d', '!e')
    assert.deepEqual(await went(), [])
    queue.release('b', true)
    assert.deepEqual(await went(), ['!d'])
    take('!d')
    queue.release('!d', true)
    assert.deepEqual(await went(), ['!e'])
    queue.release('!e', true)
    assert.deepEqual(await went(), ['!d'])
  })

  it('still gets the pushes that only wait for others when it is closed, and those that a pause holds are told', async () => {
    const { queue, take, went } = stage()
    take(...numbered(13))
    queue.close()
    assert.deepEqual(await went(), numbered(12))
    queue.release('c0', true)
    assert.deepEqual(await went(), ['c12'])
    const paused = stage()
    paused.queue.pause(1_000)
    paused.take('a', 'b')
    assert.deepEqual(await paused.went(), [])
    paused.queue.close()
    assert.deepEqual(await paused.went(), ['not a', 'not b'])
  })
})

describe('A target with a budget', () => {
  it('has each component told once in 10 s, and outages before it', async () => {
    const { queue, take, pass, went } = stage({ max: 9, windowMs: 60_000 })
    take('a')
    assert.deepEqual(await went(), ['a'])
    queue.release('a', true)
    take('a', 'b', '!c')
    assert.deepEqual(await went(), ['b', '!c'])
    assert.deepEqual(await pass(9_999), [])
    assert.deepEqual(await pass(1), ['a'])
  })

  it('gets the slot and the time back that a push did not use', async () => {
    const { queue, take, pass, went } = stage({ max: 1, windowMs: 60_000 })
    take('a')
    assert.deepEqual(await went(), ['a'])
    queue.release('a', false)
    take('a', 'b')
    assert.deepEqual(await went(), ['a'])
    queue.release('a', true)
    assert.deepEqual(await pass(59_999), [])
    assert.deepEqual(await pass(1), ['b'])
  })

  it('keeps its reserve for outages', async () => {
    const { take, pass, went } = stage({ max: 3, windowMs: 60_000, reserved: 1 })
    take('a', 'b', 'c')
    assert.deepEqual(await went(), ['a', 'b'])
    take('!d')
    assert.deepEqual(await went(), ['!d'])
    assert.deepEqual(await pass(60_000), ['c'])
  })
})
