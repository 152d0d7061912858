import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSettledTime } from '../../src/lib/settled-time.ts'
import { fakeClock } from '../support/clock.ts'

const hour = 3_600_000
const year = 365 * 24 * hour

function stage() {
  const fake = fakeClock()
  const wall = { ahead: 0 }
  const settled = createSettledTime({ ...fake, now: () => fake.now() + wall.ahead })
  /** So many readings, an hour apart; how far each is from the true time. */
  const read = (times: number) =>
    Array.from({ length: times }, () => {
      fake.advance(hour)
      const found = settled()
      return found === null ? null : found - fake.now()
    })
  return { wall, read }
}

describe('The time before which old records are deleted', () => {
  it('is unknown until the clock has been read for two hours, and is then the time of the clock', () => {
    assert.deepEqual(stage().read(5), [null, null, 0, 0, 0])
  })

  it('does not follow a clock that jumps ahead and comes back, however often', () => {
    const { wall, read } = stage()
    read(3)
    for (const ahead of [year, 0, year, year, 0]) {
      wall.ahead = ahead
      assert.deepEqual(read(1), [0], `${ahead}`)
    }
  })

  it('does not trust a clock that is wrong at the start and corrected later', () => {
    const { wall, read } = stage()
    wall.ahead = year
    read(2)
    wall.ahead = 0
    assert.deepEqual(read(2), [0, 0])
  })

  it('follows a clock that is set ahead and stays there after two hours, and one that is set back at once', () => {
    const { wall, read } = stage()
    read(3)
    wall.ahead = year
    assert.deepEqual(read(3), [0, 0, year])
    wall.ahead = -hour
    assert.deepEqual(read(2), [-hour, -hour])
  })
})
