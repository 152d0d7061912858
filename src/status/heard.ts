import type { Component, Effect, Moment, Rules, Step } from './component.ts'
import { reported } from './report.ts'
import { begun, ended, type RanRun, type RunStart, runDeadline } from './runs.ts'
import { type Heartbeat, rescheduled, type ScheduleTerms } from './schedule.ts'
import { isDown, type Status } from './statuses.ts'
import { ownStatusOf, statusOf, wantedOf } from './wanted.ts'

export const effectsOf = (ran: readonly RanRun[]): Effect[] => ran.map((run) => ({ kind: 'ran', run }))

/** A start fulfils the schedule and reports no status. */
export function started(before: Component, event: RunStart & ScheduleTerms, now: Moment, rules: Rules): Step {
  const schedule = rescheduled(before.schedule, { ...event, status: 'operational' })
  const { runs, ran } = begun({ ...before, schedule }, event, now, rules)
  if (ran.length === 0 && schedule === before.schedule) return { component: before, effects: [] }
  const changedAt = before.retiredAs === null ? before.changedAt : now.wall
  const deadline = runDeadline({ runs }) ?? before.deadline
  const component = { ...before, schedule, runs, deadline, changedAt, aliveAt: now.wall, retiredAs: null }
  return { component, effects: effectsOf(ran) }
}

/** The report of a heartbeat, which may end a run. */
export function heard(before: Component, heartbeat: Heartbeat, now: Moment, rules: Rules): Step {
  const { end } = heartbeat
  const { ran, ...runs } = end
    ? ended(before, end, now, rules)
    : { runs: before.runs, lastRun: before.lastRun, ran: [] }
  const report = reported(heartbeat, before.schedule, before.instances, now, rules)
  const after = { ...before, retiredAs: null, ...report, ...runs, deadline: runDeadline(runs) ?? report.deadline }
  const [from, to] = [statusOf(before), statusOf(after)]
  const [wasDown, isNowDown] = [isDown(ownStatusOf(before)), isDown(ownStatusOf(after))]
  const isUpAgain = wasDown && !isNowDown
  const { incident } = before
  // A silence that outlasts an announced maintenance began before it.
  const downAt = isUpAgain && incident ? Math.min(before.downAt, incident.startedAt) : before.downAt
  const component = {
    ...after,
    changedAt: changeOf(before, after, now, rules),
    upSince: isUpAgain ? now.monotonic : before.upSince,
    upAt: isUpAgain ? now.wall : before.upAt,
    downAt: !isDown(from) && isDown(to) ? now.wall : downAt,
  }
  const effects = effectsOf(ran)
  // The wall clock may have been set back since.
  if (incident) effects.push({ kind: 'resolved', incident, at: Math.max(now.wall, incident.detectedAt) })
  if (from !== to) effects.push(movedBy(from, component))
  return { component, effects }
}

/** When it came to what it should be shown as: an outage that is reported after a silence began with the silence. */
function changeOf(before: Component, after: Component, now: Moment, rules: Rules): number {
  const [was, is] = [wantedOf(before, rules), wantedOf(after, rules)]
  if (was.status !== is.status || before.retiredAs !== null) return now.wall
  return is.status === before.lastReportedStatus ? before.changedAt : was.reportedAt
}

export function movedBy(from: Status | null, component: Component): Effect {
  const { lastHeartbeatAt: at, message } = component
  return { kind: 'moved', at, from, to: statusOf(component), cause: 'heartbeat', message }
}
