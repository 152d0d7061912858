import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Bitmap } from '../../../src/drivers/catalogue/bitmap.ts'
import { assertProperty } from '../../support/seed.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, ordinal) => ordinal)

describe('A bitmap', () => {
  it('grows far beyond its first size', () => {
    const bits = new Bitmap()
    for (const ordinal of upTo(100_000)) bits.set(ordinal)
    assert.deepEqual([bits.lastUnset(99_999), bits.lastUnset(1_000_000), bits.has(10_000_000)], [-1, 1_000_000, false])
    assert.deepEqual([new Bitmap().lastUnset(-1), new Bitmap().lastUnset(0)], [-1, 0])
  })

  it('equals a set of numbers after any history', () => {
    const ordinal = fc.integer({ min: 0, max: 200 })
    const act = fc.oneof(
      { weight: 3, arbitrary: fc.record({ set: ordinal }) },
      { weight: 1, arbitrary: fc.record({ from: ordinal, to: ordinal }) },
    )
    const history = fc.array(act, { maxLength: 400, size: 'max' })
    assertProperty(
      fc.property(history, (acts) => {
        const bits = new Bitmap()
        const model = new Set<number>()
        for (const each of acts) {
          if ('set' in each) {
            bits.set(each.set)
            model.add(each.set)
            continue
          }
          bits.move(each.from, each.to)
          const isSet = model.has(each.from)
          model.delete(each.from)
          model.delete(each.to)
          if (isSet && each.from !== each.to) model.add(each.to)
        }
        for (const each of upTo(201)) {
          assert.equal(bits.has(each), model.has(each))
          let last = each
          while (last >= 0 && model.has(last)) last--
          assert.equal(bits.lastUnset(each), last)
        }
      }),
      { seed: 1, numRuns: 100 },
    )
  })
})
