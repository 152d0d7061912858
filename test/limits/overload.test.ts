import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createOverload, patienceMs, servedMs } from '../../src/limits/overload.ts'
import { fakeClock } from '../support/clock.ts'

/** A turn of the event loop in which requests arrive at these times since its start; which of them are refused. */
function overloaded() {
  const clock = fakeClock()
  const overload = createOverload(clock)
  const isRefused = () => {
    try {
      overload.admit({ startedAt: clock.monotonic() })
      return false
    } catch (error) {
      assert.equal((error as Error).message, 'Too many requests at the moment, please try again')
      return true
    }
  }
  const turn = async (...gapsMs: number[]) => {
    const refused = [isRefused()]
    for (const ms of gapsMs) {
      clock.advance(ms)
      refused.push(isRefused())
    }
    await nextTurn()
    return refused
  }
  return { clock, turn }
}

describe('Load shedding', () => {
  it('refuses what a turn of the event loop does not get to, once turns have been long for a second', async () => {
    const { turn } = overloaded()
    for (let ms = 0; ms < patienceMs; ms += servedMs) assert.deepEqual(await turn(servedMs), [false, false])
    assert.deepEqual(await turn(1, servedMs - 1, 1, 50), [false, false, false, true, true])
    // The next turn begins with requests that may be served.
    assert.deepEqual(await turn(1, servedMs), [false, false, true])
  })

  it('refuses nothing for one long turn, or for long ones with a short one or a pause between', async () => {
    const { clock, turn } = overloaded()
    assert.deepEqual(await turn(10 * patienceMs), [false, false])
    assert.deepEqual(await turn(1), [false, false])
    assert.deepEqual(await turn(10 * patienceMs), [false, false])
    clock.advance(servedMs + 1)
    assert.deepEqual(await turn(10 * patienceMs), [false, false])
  })

  it('ends with the first turn that gets to all requests', async () => {
    const { turn } = overloaded()
    await turn(patienceMs + 1)
    assert.deepEqual(await turn(servedMs + 1), [false, true])
    assert.deepEqual(await turn(servedMs - 1), [false, false])
    assert.deepEqual(await turn(servedMs + 1), [false, false])
  })
})
