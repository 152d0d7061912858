import type { Component, Moment, Rules } from './component.ts'
import { combinedStatus, type InstanceReport, withReport } from './instances.ts'
import { resumed, runDeadline } from './runs.ts'
import {
  cronOf,
  graceOf,
  type Heartbeat,
  rescheduled,
  runAfter,
  type Schedule,
  type ScheduleTerms,
  timeoutsOf,
} from './schedule.ts'
import type { Status } from './statuses.ts'

/** Both clocks are read one after the other, and the wall clock has no fractions. */
const clocksDifferMs = 2

/** What a heartbeat changes. Without an instance it speaks for the whole component. */
export function reported(
  heartbeat: Heartbeat,
  before: Schedule,
  known: readonly InstanceReport[],
  now: Moment,
  rules: Rules,
) {
  const { status, instance, message = null } = heartbeat
  const schedule = rescheduled(before, heartbeat)
  const report = { status, reportedAt: now.wall, deadline: deadlineFrom(now, schedule, status, rules) }
  const instances = instance === undefined ? [] : withReport(known, { instance, ...report }, now.monotonic)
  const lastReportedStatus = instance === undefined ? status : combinedStatus(instances)
  return {
    lastHeartbeatAt: now.wall,
    aliveAt: now.wall,
    lastReportedStatus,
    instances,
    message,
    exitCode: heartbeat.end?.exitCode ?? null,
    incident: null,
    schedule,
    deadline: deadlineFrom(now, schedule, lastReportedStatus, rules),
  }
}

/** Deadlines count on from the last report, by the wall clock: the monotonic one is new. */
export const afterStart = (component: Component, now: Moment, rules: Rules): Component =>
  resumed(withWallDeadlines(component, now, rules), now, rules.startGraceMs)

const withWallDeadlines = (component: Component, now: Moment, rules: Rules): Component =>
  withRemaining(component, now, rules, ({ status, since }) => {
    const { timeoutMs, graceMs } = timeoutsOf(component.schedule, status, rules.timeouts, since)
    // If the wall clock was set back, none of the timeout has passed.
    return timeoutMs + graceMs - Math.max(0, now.wall - since)
  })

/**
 * A run is due by the wall clock, which was set ahead, but no deadline moves further away. Timeouts, and runs in
 * progress, have not passed any faster.
 */
export function afterClockChange(component: Component, now: Moment, rules: Rules): Component {
  if (cronOf(component.schedule, rules.timeouts) === null || component.runs.length > 0) return component
  const after = withWallDeadlines(component, now, rules)
  return {
    ...after,
    deadline: Math.min(component.deadline, after.deadline),
    instances: after.instances.map((each, index) => ({
      ...each,
      deadline: Math.min(each.deadline, component.instances[index]?.deadline ?? each.deadline),
    })),
  }
}

/** While the worker was suspended, heartbeats may have been lost. */
export const afterPause = (component: Component, now: Moment, rules: Rules): Component =>
  resumed(
    withRemaining(component, now, rules, ({ deadline }) => deadline - now.monotonic),
    now,
    rules.startGraceMs,
  )

interface Awaited {
  readonly status: Status
  readonly since: number
  readonly deadline: number
}

/** Sets the deadlines of the component and its instances, but leaves each time for the next heartbeat. */
function withRemaining(
  component: Component,
  now: Moment,
  { timeouts, startGraceMs }: Rules,
  remainingMs: (each: Awaited) => number,
): Component {
  const deadlineOf = (each: Awaited) => {
    const { timeoutMs } = timeoutsOf(component.schedule, each.status, timeouts, each.since)
    // How long before a run the last heartbeat came says nothing about when the next one does.
    const graceMs = cronOf(component.schedule, timeouts) ? startGraceMs : Math.min(timeoutMs, startGraceMs)
    return now.monotonic + Math.max(remainingMs(each), graceMs)
  }
  const { lastReportedStatus: status, aliveAt: since, deadline } = component
  return {
    ...component,
    deadline: deadlineOf({ status, since, deadline }),
    instances: component.instances.map((each) => ({
      ...each,
      deadline: deadlineOf({ ...each, since: each.reportedAt }),
    })),
  }
}

export function afterUnsaved(component: Component, heartbeat: Heartbeat, now: Moment, rules: Rules): Component {
  const { status, instance } = heartbeat
  const deadline = deadlineFrom(now, rescheduled(component.schedule, heartbeat), status, rules)
  const instances = component.instances.map((each) => (each.instance === instance ? { ...each, deadline } : each))
  return { ...component, aliveAt: now.wall, deadline: Math.max(deadline, runDeadline(component) ?? 0), instances }
}

/** An operator changed the schedule: it counts from now, whatever was due by the previous one. */
export function afterChange(component: Component, terms: ScheduleTerms, now: Moment, rules: Rules): Component {
  const { lastReportedStatus } = component
  const schedule = rescheduled(component.schedule, { ...terms, status: 'operational' })
  const deadline = deadlineFrom(now, schedule, lastReportedStatus, rules)
  return resumed({ ...component, schedule, aliveAt: now.wall, deadline }, now, 0)
}

export function deadlineFrom(now: Moment, schedule: Schedule, status: Status, { timeouts }: Rules): number {
  const { timeoutMs, graceMs } = timeoutsOf(schedule, status, timeouts, now.wall)
  return now.monotonic + timeoutMs + graceMs
}

/**
 * When the run comes that a component waits for past its deadline, on the monotonic clock; null if it was due. It is
 * still to come if the wall clock was set back, or runs slower than the monotonic one.
 */
export function runStillToCome(component: Component, now: Moment, { timeouts }: Rules): number | null {
  const cron = cronOf(component.schedule, timeouts)
  if (cron === null) return null
  const dueAt = runAfter(cron, Math.min(component.aliveAt, now.wall)) + graceOf(component.schedule, timeouts)
  return dueAt > now.wall ? now.monotonic + dueAt - now.wall : null
}

/** When a component is or was due at the latest, by the wall clock: to the millisecond, unless that was set meanwhile. */
export function deadlineAt(
  { schedule, lastReportedStatus, aliveAt, deadline }: Component,
  now: Moment,
  rules: Rules,
): number {
  const { timeoutMs, graceMs } = timeoutsOf(schedule, lastReportedStatus, rules.timeouts, aliveAt)
  const [expected, found] = [Math.round(aliveAt + timeoutMs + graceMs), Math.round(now.wall + deadline - now.monotonic)]
  return Math.abs(expected - found) <= clocksDifferMs ? expected : found
}

/** Past its timeout but within its grace period. */
export function isLate(component: Component, now: Moment, rules: Rules): boolean {
  const graceMs = graceOf(component.schedule, rules.timeouts)
  const isExpected = component.incident === null && component.maintenanceId === null && component.runs.length === 0
  return isExpected && graceMs > 0 && now.monotonic >= component.deadline - graceMs
}
