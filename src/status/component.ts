import {
  endPush,
  isOutdated,
  isSilenceRetryDue,
  type Notice,
  newPublication,
  type Publication,
  type PushEnd,
  restartedPublication,
  startPush,
  type Wanted,
  withSilenceRetry,
} from './publication.ts'
import { type Heartbeat, noSchedule, rescheduled, type Schedule, type TimeoutRules, timeoutsOf } from './schedule.ts'
import type { Status } from './statuses.ts'

/** The wall clock dates what others see; deadlines use the monotonic clock, which nobody sets. */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** No heartbeat before the deadline. Open as long as the component has it. */
export interface Incident {
  readonly id: string
  readonly startedAt: number
  readonly detectedAt: number
  readonly lastReportedStatus: Status
}

export interface Component {
  readonly id: string
  readonly lastHeartbeatAt: number
  readonly lastReportedStatus: Status
  readonly incident: Incident | null
  readonly schedule: Schedule
  /** When an incident opens, on the monotonic clock. */
  readonly deadline: number
  readonly publication: Publication
}

export interface Rules {
  readonly timeouts: TimeoutRules
  /** Identifies the status page and the component's name there; null where no page has it. */
  readonly page: string | null
  readonly publishesSilence: boolean
  newId(): string
}

export type Event =
  | ({ readonly kind: 'heartbeat' } & Heartbeat)
  /** A heartbeat that was refused because it could not be saved. */
  | ({ readonly kind: 'unsaved' } & Heartbeat)
  | { readonly kind: 'deadline' }
  | PushEnd
  | { readonly kind: 'start' }
  /** The worker was suspended. */
  | { readonly kind: 'pause'; readonly ms: number }

export type Effect =
  | { readonly kind: 'push'; readonly notice: Notice }
  | { readonly kind: 'opened'; readonly incident: Incident }
  | { readonly kind: 'resolved'; readonly incident: Incident; readonly at: number }
  | {
      readonly kind: 'moved'
      readonly at: number
      readonly from: Status | null
      readonly to: Status
      readonly cause: 'heartbeat' | 'silence'
    }

export interface Step {
  readonly component: Component
  readonly effects: readonly Effect[]
}

/** An open incident counts as an outage, whatever the component reported last. */
export const statusOf = ({ incident, lastReportedStatus }: Component): Status =>
  incident ? 'outage' : lastReportedStatus

/** What the page should show. */
export function wantedOf(component: Component, { publishesSilence }: Rules): Wanted {
  const { id: componentId, incident, lastHeartbeatAt, lastReportedStatus } = component
  const incidentId = incident?.id ?? null
  return incident !== null && publishesSilence
    ? { componentId, status: 'outage', source: 'silence', reportedAt: incident.startedAt, incidentId }
    : { componentId, status: lastReportedStatus, source: 'heartbeat', reportedAt: lastHeartbeatAt, incidentId }
}

/** Whether the page is not known to show what it should. */
export const isUnpublished = (component: Component, rules: Rules): boolean =>
  isOutdated(component.publication, wantedOf(component, rules).status)

/** The first heartbeat of a component; the numbers of its pushes go on from `sequence`. */
export function registered(id: string, heartbeat: Heartbeat, now: Moment, rules: Rules, sequence = 0): Step {
  const { status } = heartbeat
  const schedule = rescheduled(noSchedule, heartbeat)
  const component: Component = {
    id,
    lastHeartbeatAt: now.wall,
    lastReportedStatus: status,
    incident: null,
    schedule,
    deadline: deadlineFrom(now, schedule, status, rules),
    publication: newPublication(rules.page, sequence),
  }
  const moved = { kind: 'moved', at: now.wall, from: null, to: status, cause: 'heartbeat' } as const
  return publish({ component, effects: [moved] }, now, rules)
}

/** The state machine of a component: what an event changes, and what follows from it. */
export function next(component: Component, event: Event, now: Moment, rules: Rules): Step {
  switch (event.kind) {
    case 'heartbeat':
      return publish(heard(component, event, now, rules), now, rules)
    case 'unsaved':
      return withoutEffects({
        ...component,
        deadline: deadlineFrom(now, rescheduled(component.schedule, event), event.status, rules),
      })
    case 'deadline':
      return silent(component, now, rules)
    case 'start':
      return withoutEffects({
        ...component,
        publication: restartedPublication(component.publication, rules.page),
        deadline: deadlineFrom(now, component.schedule, component.lastReportedStatus, rules),
      })
    case 'pause':
      return withoutEffects({ ...component, deadline: afterPause(component, event.ms, now, rules) })
    default:
      return pushEnded(component, event, now, rules)
  }
}

const withoutEffects = (component: Component): Step => ({ component, effects: [] })

/** A heartbeat between the pause and its detection has set the deadline already. A pause never shortens one. */
const afterPause = (
  { deadline, schedule, lastReportedStatus }: Component,
  ms: number,
  now: Moment,
  rules: Rules,
): number => Math.max(deadline, Math.min(deadline + ms, deadlineFrom(now, schedule, lastReportedStatus, rules)))

function deadlineFrom(now: Moment, schedule: Schedule, status: Status, { timeouts }: Rules): number {
  const { timeoutMs, graceMs } = timeoutsOf(schedule, status, timeouts)
  return now.monotonic + timeoutMs + graceMs
}

/** Past its timeout, and within its grace period. */
export function isLate(
  { incident, deadline, schedule, lastReportedStatus }: Component,
  now: Moment,
  rules: Rules,
): boolean {
  const { graceMs } = timeoutsOf(schedule, lastReportedStatus, rules.timeouts)
  return incident === null && graceMs > 0 && now.monotonic >= deadline - graceMs
}

function heard(before: Component, heartbeat: Heartbeat, now: Moment, rules: Rules): Step {
  const { incident } = before
  const { status } = heartbeat
  const schedule = rescheduled(before.schedule, heartbeat)
  const component: Component = {
    ...before,
    lastHeartbeatAt: now.wall,
    lastReportedStatus: status,
    incident: null,
    schedule,
    deadline: deadlineFrom(now, schedule, status, rules),
  }
  const effects: Effect[] = []
  // The wall clock may have been set back since.
  if (incident) effects.push({ kind: 'resolved', incident, at: Math.max(now.wall, incident.detectedAt) })
  const [from, to] = [statusOf(before), status]
  if (from !== to) effects.push({ kind: 'moved', at: now.wall, from, to, cause: 'heartbeat' })
  return { component, effects }
}

/** The incident starts at the missed deadline, not when the timer found it. */
function silent(before: Component, now: Moment, rules: Rules): Step {
  const at = now.monotonic
  if (before.incident)
    return isSilenceRetryDue(before.publication, at)
      ? publishSilence(withoutEffects(before), now, rules)
      : withoutEffects(before)
  if (at < before.deadline) return withoutEffects(before)
  const startedAt = Math.round(now.wall - (at - before.deadline))
  const { lastReportedStatus } = before
  const incident: Incident = { id: rules.newId(), startedAt, detectedAt: now.wall, lastReportedStatus }
  const from = statusOf(before)
  const moved: Effect[] =
    from === 'outage' ? [] : [{ kind: 'moved', at: startedAt, from, to: 'outage', cause: 'silence' }]
  const component: Component = { ...before, incident, publication: withSilenceRetry(before.publication, at) }
  return publishSilence({ component, effects: [{ kind: 'opened', incident }, ...moved] }, now, rules)
}

/** Where silence is not published, a failed push waits for the next heartbeat. */
const publishSilence = (step: Step, now: Moment, rules: Rules): Step =>
  rules.publishesSilence ? publish(step, now, rules) : step

/** If another status is wanted by now it is pushed at once; the same one is retried later. */
function pushEnded(before: Component, end: PushEnd, now: Moment, rules: Rules): Step {
  const { push } = before.publication
  if (push.kind !== 'sending') return withoutEffects(before)
  const step = withoutEffects({ ...before, publication: endPush(before.publication, push, end, now.monotonic) })
  const hasFailed = end.kind === 'failed' || end.kind === 'uncertain'
  return hasFailed && wantedOf(before, rules).status === push.notice.status ? step : publish(step, now, rules)
}

function publish(step: Step, now: Moment, rules: Rules): Step {
  const { component, effects } = step
  const publication = startPush(component.publication, wantedOf(component, rules), now.monotonic)
  if (publication === null) return step
  const { notice } = publication.push
  return { component: { ...component, publication }, effects: [...effects, { kind: 'push', notice }] }
}
