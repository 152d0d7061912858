import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plot, ticksTo } from '../../bench/load/plot.ts'

const panel = (points: readonly (readonly [number, number])[]) => ({
  title: 'Memory',
  unit: 'MiB',
  lines: [{ name: 'memory', points }],
})
const linesOf = (svg: string) =>
  [...svg.matchAll(/<polyline class="(\w)" points="([^"]*)"/g)].map(([, colour, points = '']) => ({
    colour,
    points: points.split(' ').map((pair) => pair.split(',').map(Number)),
  }))

describe('The marks of an axis', () => {
  it('are round, at most six, start at 0 and reach the highest value', () => {
    assert.deepEqual(ticksTo(1), [0, 0.2, 0.4, 0.6, 0.8, 1])
    assert.deepEqual(ticksTo(96), [0, 20, 40, 60, 80, 100])
    for (const most of [0.003, 0.7, 3, 11, 49.9, 250, 251, 7200, 1e6]) {
      const ticks = ticksTo(most)
      assert.ok(ticks.length >= 3 && ticks.length <= 6, `${most}: ${ticks}`)
      assert.ok((ticks.at(-1) ?? 0) >= most, `${most}: ${ticks}`)
    }
    assert.deepEqual([0, Number.NEGATIVE_INFINITY, Number.NaN].map(ticksTo), [
      [0, 1],
      [0, 1],
      [0, 1],
    ])
  })
})

describe('A plot', () => {
  it('draws values upwards and time to the right, inside its axes', () => {
    const [line] = linesOf(
      plot([
        panel([
          [0, 0],
          [5, 50],
          [10, 100],
        ]),
      ]),
    )
    assert.deepEqual(line?.points, [
      [64, 162],
      [404, 98],
      [744, 34],
    ])
  })

  it('leaves out what is not a number, and draws a run without samples', () => {
    const [line] = linesOf(
      plot([
        panel([
          [0, 1],
          [1, Number.NaN],
          [2, 1],
        ]),
      ]),
    )
    assert.equal(line?.points.length, 2)
    assert.doesNotMatch(plot([panel([])]), /NaN|Infinity/)
  })

  it('stacks panels, each with its title and unit, and names lines only if there are several', () => {
    const two = { title: 'Delay <p99>', unit: 'ms', lines: ['p99', 'max'].map((name) => ({ name, points: [] })) }
    const svg = plot([panel([[0, 1]]), two])
    assert.match(svg, />Memory, MiB<.*>Delay &lt;p99&gt;, ms<.*>p99<.*>max</s)
    assert.doesNotMatch(svg, />memory</)
    assert.deepEqual(
      linesOf(svg).map(({ colour }) => colour),
      ['a', 'a', 'b'],
    )
    assert.match(svg, /prefers-color-scheme: dark/)
  })
})
