import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Component, Moment } from '../../src/status/component.ts'
import {
  begun,
  ended,
  maxBodyBytes,
  maxRunMs,
  noRuns,
  type OpenRun,
  overdue,
  resumed,
  runDeadline,
  runOutcomes,
} from '../../src/status/runs.ts'
import { noSchedule } from '../../src/status/schedule.ts'
import { Stage } from './component-stage.ts'

const base = new Stage()
const now: Moment = { wall: Date.parse('2026-06-01T03:00:00Z'), monotonic: 50_000 }
const rules = { ...base.rules, newId: () => 'new' }
const day = 86_400_000
const open = (id: string, more: Partial<OpenRun> = {}): OpenRun => ({
  id,
  rid: null,
  startedAt: now.wall - 1_000,
  overlaps: false,
  deadline: 60_000,
  ...more,
})
const withRuns = (runs: readonly OpenRun[], more: Partial<Component> = {}): Component => ({
  ...base.component,
  runs,
  ...more,
})
const lastRun = (outcome: 'succeeded' | 'failed' | 'lost', exitCode: number | null, rid: string | null = 'r') => ({
  id: 'old',
  rid,
  startedAt: 1,
  endedAt: 2,
  overlaps: true,
  outcome,
  exitCode,
})

describe('A run that starts', () => {
  it('is open until its deadline, a day by default, and is saved', () => {
    const { runs, ran } = begun(withRuns([]), { rid: 'r', body: 'b' }, now, rules)
    const run = { id: 'new', rid: 'r', startedAt: now.wall, overlaps: false }
    assert.deepEqual(runs, [{ ...run, deadline: now.monotonic + day }])
    assert.deepEqual(ran, [{ ...run, endedAt: null, outcome: 'running', exitCode: null, body: 'b' }])
    const schedule = { ...noSchedule, maxRunMs: 7 }
    const short = begun(withRuns([], { schedule }), { rid: null, body: null }, now, rules)
    assert.equal(short.runs[0]?.deadline, now.monotonic + 7)
    assert.deepEqual([maxRunMs(noSchedule), maxRunMs(schedule)], [day, 7])
  })

  it('overlaps the runs that are open', () => {
    const { runs, ran } = begun(withRuns([open('a')]), { rid: null, body: null }, now, rules)
    assert.deepEqual([runs.length, runs[1]?.overlaps, ran[0]?.overlaps], [2, true, true])
  })

  it('changes nothing if it repeats the start of an open run by its id; without an id, it is another', () => {
    const runs = [open('a', { rid: 'r' }), open('b')]
    const again = begun(withRuns(runs), { rid: 'r', body: 'b' }, now, rules)
    assert.deepEqual([again.runs, again.ran], [runs, []])
    assert.equal(again.runs, runs)
    assert.equal(begun(withRuns(runs), { rid: null, body: null }, now, rules).runs.length, 3)
    assert.equal(begun(withRuns(runs), { rid: 's', body: null }, now, rules).runs.length, 3)
  })

  it('loses the oldest beyond 20', () => {
    const runs = Array.from({ length: 20 }, (_, n) => open(`n${n}`))
    const { runs: after, ran } = begun(withRuns(runs), { rid: null, body: null }, now, rules)
    assert.deepEqual([after.length, after[0]?.id, after.at(-1)?.id], [20, 'n1', 'new'])
    const { deadline: _, ...first } = runs[0] as OpenRun
    assert.deepEqual(ran.slice(1), [{ ...first, endedAt: null, outcome: 'lost', exitCode: null, body: null }])
  })
})

describe('A run that ends', () => {
  const end = (rid: string | null, exitCode: number | null = 0) => ({ rid, exitCode, body: 'b' })

  it('is the newest open one with its id, or without one', () => {
    const runs = [open('a', { rid: 'r' }), open('b', { rid: 'r', overlaps: true }), open('c'), open('d')]
    const { runs: left, lastRun: last, ran } = ended({ runs, lastRun: null }, end('r'), now, rules)
    assert.deepEqual(left, [runs[0], runs[2], runs[3]])
    const run = { id: 'b', rid: 'r', startedAt: now.wall - 1_000, overlaps: true, endedAt: now.wall }
    assert.deepEqual(last, { ...run, outcome: 'succeeded', exitCode: 0 })
    assert.deepEqual(ran, [{ ...run, outcome: 'succeeded', exitCode: 0, body: 'b' }])
    assert.deepEqual(ended({ runs, lastRun: null }, end(null), now, rules).runs, runs.slice(0, 3))
  })

  it('succeeds with exit code 0 alone', () => {
    for (const [exitCode, outcome] of [
      [0, 'succeeded'],
      [1, 'failed'],
      [null, 'failed'],
    ] as const)
      assert.equal(
        ended({ runs: [open('a')], lastRun: null }, end(null, exitCode), now, rules).lastRun?.outcome,
        outcome,
      )
  })

  it('is one of its own if no start was told', () => {
    for (const last of [null, lastRun('lost', null, 'other'), lastRun('failed', 1)]) {
      const { runs, lastRun: after } = ended({ runs: [], lastRun: last }, end('r'), now, rules)
      const run = { id: 'new', rid: 'r', startedAt: null, overlaps: false, endedAt: now.wall }
      assert.deepEqual([runs, after], [[], { ...run, outcome: 'succeeded', exitCode: 0 }])
    }
  })

  it('is the one that was lost, if that is its id', () => {
    for (const rid of ['r', null]) {
      const { lastRun: after } = ended({ runs: [], lastRun: lastRun('lost', null, rid) }, end(rid), now, rules)
      assert.deepEqual([after?.id, after?.startedAt, after?.overlaps], ['old', 1, true])
    }
    const other = { runs: [open('b', { rid: 'r' })], lastRun: lastRun('lost', null) }
    assert.equal(ended(other, end('r'), now, rules).lastRun?.id, 'b')
  })

  it('changes nothing if it repeats the last end by its id, with the same exit code', () => {
    for (const [outcome, exitCode] of [
      ['succeeded', 0],
      ['failed', 3],
      ['failed', null],
    ] as const) {
      const before = { runs: [], lastRun: lastRun(outcome, exitCode) }
      assert.deepEqual(ended(before, end('r', exitCode), now, rules), { ...before, ran: [] })
      for (const another of [end('r', 4), end('s', exitCode), end(null, exitCode)])
        assert.equal(ended(before, another, now, rules).ran.length, 1)
    }
    const unnamed = { runs: [], lastRun: lastRun('succeeded', 0, null) }
    assert.equal(ended(unnamed, end(null), now, rules).ran.length, 1)
    const running = { runs: [open('b', { rid: 'r' })], lastRun: lastRun('succeeded', 0) }
    assert.equal(ended(running, end('r'), now, rules).lastRun?.id, 'b')
    assert.deepEqual(noRuns, { runs: [], lastRun: null })
  })
})

it('A run has one of four outcomes, and 10 KiB of text', () => {
  assert.deepEqual([runOutcomes, maxBodyBytes], [['running', 'succeeded', 'failed', 'lost'], 10_240])
})

describe('The deadline of runs', () => {
  it('is the first of them; none without runs', () => {
    assert.equal(runDeadline({ runs: [] }), null)
    assert.equal(runDeadline({ runs: [open('a', { deadline: 7 }), open('b', { deadline: 5 })] }), 5)
  })

  it('once passed, loses the run, and says which was the first', () => {
    const [late, later, inTime] = [
      open('a', { deadline: now.monotonic - 1, rid: 'r' }),
      open('b', { deadline: now.monotonic }),
      open('c', { deadline: now.monotonic + 1 }),
    ]
    assert.equal(overdue(withRuns([inTime]), now), null)
    const schedule = { ...noSchedule, maxRunMs: 7_000 }
    const lost = overdue(withRuns([late, inTime, later], { schedule }), now)
    const of = ({ deadline: _, ...run }: OpenRun) => ({ ...run, endedAt: null, outcome: 'lost', exitCode: null })
    assert.deepEqual(lost, {
      runs: [inTime],
      lastRun: of(later),
      ran: [late, later].map((run) => ({ ...of(run), body: null })),
      message: 'The run of 2026-06-01 02:59:59 UTC did not end within 7 s',
    })
  })

  it('counts on after a restart, from the start of the run by the wall clock, and never ends before the grace', () => {
    const schedule = { ...noSchedule, maxRunMs: 10_000 }
    const after = (startedAt: number, graceMs: number) =>
      resumed(withRuns([open('a', { startedAt })], { schedule, deadline: 1 }), now, graceMs)
    assert.equal(after(now.wall - 4_000, 0).runs[0]?.deadline, now.monotonic + 6_000)
    assert.equal(after(now.wall - 4_000, 0).deadline, now.monotonic + 6_000)
    assert.equal(after(now.wall - 4_000, 7_000).deadline, now.monotonic + 7_000)
    // The wall clock was set back.
    assert.equal(after(now.wall + 4_000, 0).deadline, now.monotonic + 10_000)
    const without = withRuns([], { deadline: 1 })
    assert.equal(resumed(without, now, 7_000), without)
  })
})
