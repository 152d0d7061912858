import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atLeast, atMost, onlyInFull, overRepeats, under, verdictOf } from '../../bench/load/gates.ts'
import { slopeOf } from '../../bench/load/slope.ts'

describe('A slope', () => {
  it('is that of a line, whatever its offset', () => {
    const line = [0, 1, 2, 5, 9].map((x) => [x, 3 * x - 7] as const)
    const moved = line.map(([x, y]) => [x + 1000, y] as const)
    for (const points of [line, moved]) assert.ok(Math.abs(slopeOf(points) - 3) < 1e-9, String(slopeOf(points)))
  })

  it('is zero for what only swings, and not for what also grows', () => {
    const swing = Array.from({ length: 1000 }, (_, x) => [x, x % 2] as const)
    assert.ok(Math.abs(slopeOf(swing)) < 1e-4)
    const grown = slopeOf(swing.map(([x, y]) => [x, y + x / 100] as const))
    assert.ok(Math.abs(grown - 0.01) < 1e-4, String(grown))
  })

  it('is not a number without two different places', () => {
    for (const points of [[], [[1, 2]], [[1, 2] as const, [1, 5] as const]] as const)
      assert.ok(Number.isNaN(slopeOf(points as readonly (readonly [number, number])[])))
  })
})

describe('A gate', () => {
  it('fails on a figure that is missing', () => {
    for (const gate of [atMost('a', Number.NaN, 1), under('b', Number.NaN, 1, 'ms'), atLeast('c', Number.NaN, 1)])
      assert.equal(verdictOf(gate), 'FAILED')
  })

  it('holds on its limit, unless the figure must be under it', () => {
    assert.deepEqual(
      [atMost('a', 1, 1), under('b', 1, 1, 'ms'), atLeast('c', 1, 1)].map(({ held }) => held),
      [true, false, true],
    )
  })

  it('is not judged in a shortened run if it needs a full one', () => {
    const gate = atMost('slope', 5, 1)
    assert.deepEqual(
      [true, false].map((isFull) => verdictOf(onlyInFull(isFull, gate))),
      ['FAILED', 'not judged: needs --full'],
    )
  })

  it('over repeats holds only if it held in each, and shows the median and the worst', () => {
    const repeats = [3, 9, 4].map((figure, index) => [atMost('a', figure, 5), atLeast('b', index, 0)])
    assert.deepEqual(
      overRepeats(repeats).map(({ what, median, worst, held }) => [what, median, worst, held]),
      [
        ['a', 4, 9, false],
        ['b', 1, 0, true],
      ],
    )
  })
})
