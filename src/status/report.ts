import type { Component, Moment, Rules } from './component.ts'
import { combinedStatus, type InstanceReport, withReport } from './instances.ts'
import { type Heartbeat, rescheduled, type Schedule, timeoutsOf } from './schedule.ts'
import type { Status } from './statuses.ts'

/** What a heartbeat changes. Without an instance it speaks for the whole component. */
export function reported(
  heartbeat: Heartbeat,
  before: Schedule,
  known: readonly InstanceReport[],
  now: Moment,
  rules: Rules,
): Omit<Component, 'id' | 'maintenanceId' | 'retiredAs' | 'upSince' | 'publications'> {
  const { status, instance, message = null } = heartbeat
  const schedule = rescheduled(before, heartbeat)
  const report = { status, reportedAt: now.wall, deadline: deadlineFrom(now, schedule, status, rules) }
  const instances = instance === undefined ? [] : withReport(known, { instance, ...report }, now.monotonic)
  const lastReportedStatus = instance === undefined ? status : combinedStatus(instances)
  return {
    lastHeartbeatAt: now.wall,
    lastReportedStatus,
    instances,
    message,
    incident: null,
    schedule,
    deadline: deadlineFrom(now, schedule, lastReportedStatus, rules),
  }
}

/** Sets the deadlines of the component and its instances. `anew` is the deadline that a heartbeat would set now. */
export function withDeadlines(
  component: Component,
  now: Moment,
  rules: Rules,
  deadlineOf: (before: number, anew: number) => number,
): Component {
  const of = (status: Status, before: number) =>
    deadlineOf(before, deadlineFrom(now, component.schedule, status, rules))
  return {
    ...component,
    deadline: of(component.lastReportedStatus, component.deadline),
    instances: component.instances.map((each) => ({ ...each, deadline: of(each.status, each.deadline) })),
  }
}

export function afterUnsaved(component: Component, heartbeat: Heartbeat, now: Moment, rules: Rules): Component {
  const { status, instance } = heartbeat
  const deadline = deadlineFrom(now, rescheduled(component.schedule, heartbeat), status, rules)
  const instances = component.instances.map((each) => (each.instance === instance ? { ...each, deadline } : each))
  return { ...component, deadline, instances }
}

export function deadlineFrom(now: Moment, schedule: Schedule, status: Status, { timeouts }: Rules): number {
  const { timeoutMs, graceMs } = timeoutsOf(schedule, status, timeouts)
  return now.monotonic + timeoutMs + graceMs
}
