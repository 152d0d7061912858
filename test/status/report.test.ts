import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Component, Moment, Rules } from '../../src/status/component.ts'
import {
  afterChange,
  afterPause,
  afterStart,
  afterUnsaved,
  deadlineFrom,
  isLate,
  reported,
  runStillToCome,
} from '../../src/status/report.ts'
import { noSchedule, type Schedule } from '../../src/status/schedule.ts'
import { maintenanceMs, Stage, startGraceMs, timeoutMs } from './component-stage.ts'

const base = new Stage()
const { rules } = base
const [minute, hour] = [60_000, 3_600_000]
const now: Moment = { wall: Date.parse('2026-06-01T02:00:00Z'), monotonic: 50_000_000 }
const nightly: Schedule = { ...noSchedule, cron: { expression: '0 3 * * *', tz: 'UTC' } }
const component = (more: Partial<Component> = {}): Component => ({
  ...base.component,
  aliveAt: now.wall,
  deadline: now.monotonic + timeoutMs,
  ...more,
})
const by = (instance: string, reportedAt: number, deadline = 0) => ({
  instance,
  status: 'operational' as const,
  reportedAt,
  deadline,
})
const run = (deadline: number) => ({ id: 'r', rid: null, startedAt: now.wall, overlaps: false, deadline })

describe('A report', () => {
  it('sets what the component said, and when it is due again', () => {
    const end = { rid: null, exitCode: 3, body: null }
    const heartbeat = { status: 'outage', message: 'broken', end, expectWithinMs: hour, graceMs: minute } as const
    assert.deepEqual(reported(heartbeat, noSchedule, [by('a', 1, Infinity)], now, rules), {
      lastHeartbeatAt: now.wall,
      aliveAt: now.wall,
      lastReportedStatus: 'outage',
      instances: [],
      message: 'broken',
      exitCode: 3,
      incident: null,
      schedule: { ...noSchedule, timeoutMs: hour, graceMs: minute },
      deadline: now.monotonic + hour + minute,
    })
    const { message, exitCode } = reported({ status: 'operational' }, noSchedule, [], now, rules)
    assert.deepEqual([message, exitCode], [null, null])
  })

  it('of an instance counts with those of the others', () => {
    const maintenance = { status: 'maintenance', instance: 'b' } as const
    const known = [by('a', 1, Infinity), by('gone', 1, now.monotonic)]
    const { instances, lastReportedStatus, deadline } = reported(maintenance, noSchedule, known, now, rules)
    const its = { instance: 'b', status: 'maintenance', reportedAt: now.wall, deadline: now.monotonic + maintenanceMs }
    assert.deepEqual([instances, lastReportedStatus], [[known[0], its], 'operational'])
    assert.equal(deadline, now.monotonic + timeoutMs)
  })

  it('that could not be saved leaves the component its timeout, and that of its instance', () => {
    const before = component({ instances: [by('a', 1, 7), by('b', 1, 8)], aliveAt: 1, deadline: 1 })
    const after = afterUnsaved(before, { status: 'operational', instance: 'b', expectWithinMs: hour }, now, rules)
    const deadline = now.monotonic + hour
    assert.deepEqual(after, {
      ...before,
      aliveAt: now.wall,
      deadline,
      instances: [by('a', 1, 7), by('b', 1, deadline)],
    })
    const running = (due: number) => afterUnsaved({ ...before, runs: [run(due)] }, { status: 'outage' }, now, rules)
    assert.equal(running(now.monotonic + hour).deadline, now.monotonic + hour)
    assert.equal(running(5).deadline, now.monotonic + timeoutMs)
  })

  it('is due after the timeout of its status and the grace', () => {
    const schedule = { ...noSchedule, graceMs: minute }
    assert.equal(deadlineFrom(now, schedule, 'operational', rules), now.monotonic + timeoutMs + minute)
    assert.equal(deadlineFrom(now, schedule, 'maintenance', rules), now.monotonic + maintenanceMs + minute)
    assert.equal(deadlineFrom(now, nightly, 'operational', rules), now.monotonic + hour + 10 * minute)
  })
})

describe('After a start', () => {
  const left = (more: Partial<Component>, its: Rules = rules) =>
    afterStart(component(more), now, its).deadline - now.monotonic

  it('what is left of the timeout counts by the wall clock, or the start grace, or the whole timeout if it is shorter', () => {
    assert.equal(left({ aliveAt: now.wall - 10_000 }), timeoutMs - 10_000)
    assert.equal(left({ aliveAt: now.wall - timeoutMs }), startGraceMs)
    const short = { ...noSchedule, timeoutMs: 30_000 }
    assert.equal(left({ schedule: short, aliveAt: now.wall - 20_000 }), 30_000)
    assert.equal(left({ schedule: { ...short, graceMs: hour }, aliveAt: now.wall - 20_000 }), hour + 10_000)
    // The wall clock was set back.
    assert.equal(left({ aliveAt: now.wall + hour }), timeoutMs)
    assert.equal(left({ lastReportedStatus: 'maintenance' }), maintenanceMs)
  })

  it('a run is waited for, and the start grace after it has passed, however shortly before it the last heartbeat came', () => {
    assert.equal(left({ schedule: nightly, aliveAt: now.wall }), hour + 10 * minute)
    const strict = { ...nightly, graceMs: 0 }
    assert.equal(left({ schedule: strict, aliveAt: now.wall + hour - 2 * minute }), startGraceMs)
    assert.equal(left({ schedule: strict, aliveAt: now.wall - 24 * hour }), startGraceMs)
    const atTwo = { ...strict, cron: { expression: '0 2 * * *', tz: 'UTC' } }
    assert.equal(left({ schedule: atTwo, aliveAt: now.wall - 100_000 }), startGraceMs)
  })

  it('each instance has the time of its own report, and each run its own', () => {
    const instances = [by('a', now.wall - 10_000), by('b', now.wall - timeoutMs)]
    const after = afterStart(component({ instances }), now, rules)
    assert.deepEqual(
      after.instances.map(({ deadline }) => deadline - now.monotonic),
      [timeoutMs - 10_000, startGraceMs],
    )
    const running = afterStart(component({ runs: [{ ...run(1), startedAt: now.wall - 24 * hour }] }), now, rules)
    assert.equal(running.deadline, now.monotonic + startGraceMs)
    assert.equal(running.runs[0]?.deadline, now.monotonic + startGraceMs)
  })
})

describe('After a pause', () => {
  it('there is the start grace at least', () => {
    const left = (ms: number) => {
      const instances = [by('a', 1, now.monotonic + ms)]
      const after = afterPause(component({ deadline: now.monotonic + ms, instances }), now, rules)
      assert.equal(after.instances[0]?.deadline, after.deadline)
      return after.deadline - now.monotonic
    }
    assert.deepEqual([left(-1), left(startGraceMs + 1)], [startGraceMs, startGraceMs + 1])
  })
})

describe('A new schedule', () => {
  it('counts from now, and from the start of runs', () => {
    const before = component({ aliveAt: 1, deadline: 1, lastReportedStatus: 'maintenance' })
    const schedule = { ...noSchedule, timeoutMs: 5 * hour }
    const after = afterChange(before, { expectWithinMs: 5 * hour }, now, rules)
    assert.deepEqual(after, { ...before, schedule, aliveAt: now.wall, deadline: now.monotonic + 5 * hour })
    const runs = [{ ...run(1), startedAt: now.wall - minute }]
    const running = afterChange({ ...before, runs }, { maxRunMs: hour }, now, rules)
    assert.deepEqual([running.deadline, running.runs[0]?.deadline], Array(2).fill(now.monotonic + hour - minute))
    assert.equal(afterChange({ ...before, runs }, { maxRunMs: 1_000 }, now, rules).deadline, now.monotonic)
  })
})

describe('A run that is still to come', () => {
  it('is waited for past the deadline, as the wall clock tells, and no other', () => {
    const due = (aliveAt: number, schedule = nightly) => runStillToCome(component({ schedule, aliveAt }), now, rules)
    assert.equal(due(now.wall), now.monotonic + hour + 10 * minute)
    assert.equal(due(now.wall + 9 * hour), now.monotonic + hour + 10 * minute)
    assert.equal(due(now.wall - 24 * hour), null)
    assert.equal(due(now.wall, noSchedule), null)
    const after = (ms: number) =>
      runStillToCome(component({ schedule: nightly }), { ...now, wall: now.wall + hour + 10 * minute + ms }, rules)
    assert.deepEqual([after(-1), after(0)], [now.monotonic + 1, null])
  })
})

describe('A heartbeat', () => {
  it('is late within the grace, if it is expected at all', () => {
    const schedule = { ...noSchedule, graceMs: minute }
    const late = (ms: number, more: Partial<Component> = {}) =>
      isLate(component({ schedule, deadline: now.monotonic + minute + ms, ...more }), now, rules)
    assert.deepEqual([late(1), late(0), late(-1)], [false, true, true])
    assert.equal(late(0, { schedule: noSchedule }), false)
    assert.equal(late(-minute, { schedule: noSchedule }), false)
    assert.equal(late(0, { maintenanceId: 'w' }), false)
    assert.equal(late(0, { runs: [run(1)] }), false)
    const incident = { id: 'i', startedAt: 1, detectedAt: 1, lastReportedStatus: 'operational', message: null } as const
    assert.equal(late(0, { incident }), false)
  })
})
