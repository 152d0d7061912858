import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSlidingWindow } from '../../src/lib/sliding-window.ts'
import { fakeClock } from '../support/clock.ts'

describe('A sliding window', () => {
  const stage = () => {
    const clock = fakeClock()
    return { clock, window: createSlidingWindow({ max: 2, windowMs: 1_000 }, clock) }
  }

  it('gives no more than its slots, each again once its time has passed', () => {
    const { clock, window } = stage()
    assert.equal(window.take(), true)
    clock.advance(400)
    assert.deepEqual([window.take(), window.take()], [true, false])
    clock.advance(599)
    assert.equal(window.take(), false)
    clock.advance(1)
    assert.deepEqual([window.take(), window.take()], [true, false])
    clock.advance(400)
    assert.deepEqual([window.take(), window.take()], [true, false])
  })

  it('of one slot gives it again and again', () => {
    const clock = fakeClock()
    const window = createSlidingWindow({ max: 1, windowMs: 1_000 }, clock)
    for (let round = 0; round < 3; round++) {
      assert.deepEqual([window.take(), window.take()], [true, false])
      clock.advance(1_000)
    }
  })

  it('leaves spare slots to those who need none', () => {
    const { window } = stage()
    assert.equal(window.take(2), false)
    assert.deepEqual([window.take(1), window.take(1), window.take(0), window.take(0)], [true, false, true, false])
  })

  it('gives back the slot taken last', () => {
    const { clock, window } = stage()
    window.take()
    clock.advance(900)
    window.take()
    window.giveBack()
    clock.advance(100)
    // The first has ended, and the second was not used.
    assert.deepEqual([window.take(), window.take(), window.take()], [true, true, false])
  })
})
