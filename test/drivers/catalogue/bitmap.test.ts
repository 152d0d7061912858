import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Bitmap } from '../../../src/drivers/catalogue/bitmap.ts'
import { assertProperty } from '../../support/seed.ts'

const marked = (...ordinals: readonly number[]) => {
  const marks = new Bitmap()
  for (const ordinal of ordinals) marks.set(ordinal)
  return marks
}
const upTo = (count: number) => Array.from({ length: count }, (_, ordinal) => ordinal)

describe('marks', () => {
  it('are where they were set and nowhere else, far beyond the room at the start', () => {
    const ordinals = [0, 1, 31, 32, 63, 64, 2_047, 2_048, 100_000]
    const marks = marked(...ordinals)
    assert.deepEqual(
      upTo(100_100).filter((ordinal) => marks.has(ordinal)),
      ordinals,
    )
    assert.equal(marks.has(10_000_000), false)
  })

  it('move: the place takes the mark of the one that comes, and that one leaves none', () => {
    for (const [from, to] of [
      [40, 3],
      [3, 40],
      [31, 32],
      [5_000, 2],
      [2, 5_000],
    ] as const) {
      const stateAfter = (...ordinals: readonly number[]) => {
        const marks = marked(...ordinals)
        marks.move(from, to)
        return [marks.has(from), marks.has(to)]
      }
      assert.deepEqual(stateAfter(from, to), [false, true])
      assert.deepEqual(stateAfter(from), [false, true])
      assert.deepEqual(stateAfter(to), [false, false])
      assert.deepEqual(stateAfter(), [false, false])
    }
  })

  it('are gone from a place that is moved onto itself, as when the last one is removed', () => {
    const marks = marked(7)
    marks.move(7, 7)
    assert.equal(marks.has(7), false)
    marks.move(7, 7)
    assert.equal(marks.has(7), false)
  })

  it('find the highest gap that is not above, over the borders of words', () => {
    for (const gap of [0, 1, 30, 31, 32, 33, 63, 64, 95, 96, 127]) {
      const marks = marked(...upTo(128).filter((ordinal) => ordinal !== gap))
      for (const from of upTo(128)) assert.equal(marks.lastUnset(from), from >= gap ? gap : -1, `${gap} from ${from}`)
    }
  })

  it('find nothing below nothing, and what has no room yet', () => {
    assert.equal(new Bitmap().lastUnset(-1), -1)
    assert.equal(new Bitmap().lastUnset(0), 0)
    assert.equal(marked(0).lastUnset(0), -1)
    assert.equal(marked(...upTo(64)).lastUnset(1_000_000), 1_000_000)
    assert.equal(marked(...upTo(4_096)).lastUnset(4_095), -1)
  })

  it('are after any history what a set of numbers would be', () => {
    const ordinal = fc.integer({ min: 0, max: 200 })
    const act = fc.oneof(
      { weight: 3, arbitrary: fc.record({ set: ordinal }) },
      { weight: 1, arbitrary: fc.record({ from: ordinal, to: ordinal }) },
    )
    const history = fc.array(act, { maxLength: 400, size: 'max' })
    assertProperty(
      fc.property(history, (acts) => {
        const marks = new Bitmap()
        const model = new Set<number>()
        for (const each of acts) {
          if ('set' in each) {
            marks.set(each.set)
            model.add(each.set)
            continue
          }
          marks.move(each.from, each.to)
          const isMarked = model.has(each.from)
          model.delete(each.from)
          model.delete(each.to)
          if (isMarked && each.from !== each.to) model.add(each.to)
        }
        for (const each of upTo(201)) {
          assert.equal(marks.has(each), model.has(each))
          let last = each
          while (last >= 0 && model.has(last)) last--
          assert.equal(marks.lastUnset(each), last)
        }
      }),
      { seed: 1, numRuns: 100 },
    )
  })
})
