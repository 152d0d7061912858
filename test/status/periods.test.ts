import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listedPeriods, type Period, periodsOf } from '../../src/status/periods.ts'
import type { Transition } from '../../src/status/state-store.ts'
import type { Status } from '../../src/status/statuses.ts'

const moves = (...all: readonly (readonly [at: number, to: Status])[]): Transition[] =>
  all.map(([at, to], index) => ({
    at,
    to,
    from: all[index - 1]?.[1] ?? null,
    cause: 'heartbeat' as const,
    message: null,
  }))

describe('The periods of a component', () => {
  it('are those of an outage, a partial outage or a degradation, each until the next change', () => {
    const all = moves([1, 'operational'], [2, 'degraded'], [5, 'outage'], [9, 'maintenance'], [12, 'partial'])
    assert.deepEqual(periodsOf(all), [
      { status: 'degraded', startedAt: 2, endedAt: 5 },
      { status: 'outage', startedAt: 5, endedAt: 9 },
      { status: 'partial', startedAt: 12, endedAt: null },
    ])
    assert.deepEqual(periodsOf([]), [])
    assert.deepEqual(periodsOf(moves([5, 'outage'], [3, 'operational'])), [
      { status: 'outage', startedAt: 5, endedAt: 5 },
    ])
  })

  it('are listed if they last, the worst first, and the newest of the others', () => {
    const period = (status: Period['status'], startedAt: number, endedAt: number | null) => ({
      componentId: 'a',
      status,
      startedAt,
      endedAt,
    })
    const all = [
      period('degraded', 90, null),
      period('outage', 10, null),
      period('outage', 20, null),
      period('outage', 1, 49),
      period('outage', 2, 50),
      period('partial', 60, 61),
      period('outage', 70, 71),
    ]
    const listed = listedPeriods(all, 50, 2)
    assert.deepEqual(
      listed.map(({ startedAt }) => startedAt),
      [20, 10, 90, 70, 60],
    )
    const endedOf = (from: number) =>
      listedPeriods(all, from, 9)
        .slice(3)
        .map(({ endedAt }) => endedAt)
    assert.deepEqual(
      [endedOf(50), endedOf(51), endedOf(0)],
      [
        [71, 61, 50],
        [71, 61],
        [71, 61, 50, 49],
      ],
    )
  })
})
