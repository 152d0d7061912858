import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Catalogue } from '../../src/images/catalogue.ts'
import type { WalkStep } from '../../src/images/positions.ts'
import { noPositions, Unseen } from '../../src/images/unseen.ts'
import { fakeClock } from '../support/clock.ts'
import { columnsOf } from '../support/kind-columns.ts'
import { seededRandom } from '../support/uniform.ts'

describe('An instance on which users walk', () => {
  it('publishes a step at once, since the next request may go to another instance, and batches those that follow', async (t) => {
    const names = ['a.png', 'b.png', 'c.png', 'd.png']
    const images = columnsOf({ read: (from) => names.slice(from).map((name) => [name, null, null, null] as const) })
    const hashed = (_: string, ordinals: Uint32Array) =>
      Array.from(ordinals, (ordinal) => ({ filename: names[ordinal], etag: 'e', size: 1, modified: 0 }))
    const catalogue = { hashes: () => images.of(null, () => 4), hashed } as unknown as Catalogue
    const told: (readonly WalkStep[])[] = []
    const publishSteps = (steps: readonly WalkStep[]) => void told.push(steps)
    const clock = fakeClock()
    const unseen = new Unseen({ catalogue, positions: noPositions, clock, publishSteps })
    const step = (userId: string) =>
      unseen.draw({ userId, linkId: null }, { of: ['fox'], filter: null }, 1, seededRandom(1))
    await step('one')
    await setImmediate()
    assert.deepEqual(
      told.map((steps) => steps.map(({ name }) => name)),
      [['one fox']],
    )
    const timer = t.mock.method(globalThis, 'setTimeout')
    for (const userId of ['one', 'one', 'two']) step(userId)
    // Restored within the turn: other tests of this process keep their timers.
    timer.mock.restore()
    assert.deepEqual(
      timer.mock.calls.map(({ arguments: [, waitMs] }) => waitMs),
      [10],
    )
    while (told.length < 2) await setImmediate()
    assert.deepEqual(
      told[1]?.map(({ name }) => name),
      ['one fox', 'two fox'],
    )
  })
})
