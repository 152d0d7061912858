import * as alerts from './acknowledgement.ts'
import { isFlap } from './flaps.ts'
import { effectsOf, heard, movedBy, started } from './heard.ts'
import type { InstanceReport } from './instances.ts'
import {
  endPush,
  isTimerDue,
  type Notice,
  newPublication,
  type Publication,
  type PushEnd,
  restartedPublications,
  startPush,
  type Target,
  withoutFailure,
} from './publication.ts'
import {
  afterChange,
  afterClockChange,
  afterPause,
  afterStart,
  afterUnsaved,
  deadlineAt,
  deadlineFrom,
  reported,
  runStillToCome,
} from './report.ts'
import { ended, noRuns, type OpenRun, overdue, type RanRun, type Run, type RunStart, runDeadline } from './runs.ts'
import { type Heartbeat, noSchedule, type Schedule, type ScheduleTerms, type TimeoutRules } from './schedule.ts'
import { isDown, type Status } from './statuses.ts'
import { publicationOf, statusOf, targetsOf, toldOf, wantedAt } from './wanted.ts'

/** What others see is dated by the wall clock; deadlines use the monotonic clock, which cannot be set. */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** No heartbeat arrived before the deadline. Open as long as it is in the component's state. */
export interface Incident {
  readonly id: string
  readonly startedAt: number
  readonly detectedAt: number
  readonly lastReportedStatus: Status
  /** The message of the last heartbeat before it, or which run did not end in time. */
  readonly message: string | null
  /** A run did not end in time; otherwise, a heartbeat was missed. */
  readonly isRunLost?: true
}

export interface Component extends alerts.Handled {
  readonly id: string
  readonly lastHeartbeatAt: number
  /** Its timeout counts from here: the last heartbeat, even one that could not be saved, or the end of maintenance. */
  readonly aliveAt: number
  /** When what it should be shown as changed. */
  readonly changedAt: number
  /** Combined over all instances, if heartbeats name theirs. */
  readonly lastReportedStatus: Status
  /** Empty if the last heartbeat named none. */
  readonly instances: readonly InstanceReport[]
  /** The message of the last heartbeat. */
  readonly message: string | null
  /** The exit code that it came with, if it ended a run. */
  readonly exitCode: number | null
  readonly runs: readonly OpenRun[]
  /** The last one that ended or was lost. */
  readonly lastRun: Run | null
  readonly incident: Incident | null
  /** The announced maintenance that is in progress. */
  readonly maintenanceId: string | null
  /** The status that its pages must accept before a retired component is deleted; null unless retired. */
  readonly retiredAs: Status | null
  readonly schedule: Schedule
  /** When an incident opens, on the monotonic clock. */
  readonly deadline: number
  /** When what it reports last ceased to be an outage, announced maintenance or not, on the monotonic clock. */
  readonly upSince: number
  /** The same by the wall clock; or the beginning of an announced maintenance. */
  readonly upAt: number
  /** When it last came to be an outage, by the wall clock; or the end of an announced maintenance. */
  readonly downAt: number
  /** One per target that has or once had the component. */
  readonly publications: readonly Publication[]
}

export interface Rules {
  readonly timeouts: TimeoutRules
  /** The targets that have the component. */
  readonly targets: readonly Target[]
  readonly publishesSilence: boolean
  /** How long a recovery must last before it is published; 0 if unset. */
  readonly flapMs?: number
  /** How long a component is waited for after a start or pause of the worker, if its timeout is not shorter. */
  readonly startGraceMs: number
  newId(): string
}

export type Event =
  | ({ readonly kind: 'heartbeat' } & Heartbeat)
  /** A heartbeat that was refused because it could not be saved. */
  | ({ readonly kind: 'unsaved' } & Heartbeat)
  | { readonly kind: 'deadline' }
  /** A push to the target failed, and it is time to retry. */
  | { readonly kind: 'retry'; readonly target: string }
  | (PushEnd & { readonly target: string })
  | { readonly kind: 'start' }
  | ({ readonly kind: 'run' } & RunStart & ScheduleTerms)
  | ({ readonly kind: 'reschedule' } & ScheduleTerms)
  /** An announced maintenance began, or the last one ended. */
  | { readonly kind: 'maintenance'; readonly id: string | null }
  /** `status` is published to its pages. */
  | { readonly kind: 'retire'; readonly status: Status }
  | { readonly kind: 'acknowledge'; readonly by: string }
  /** What has become of the message that tells an alert channel who acknowledged the outage. */
  | { readonly kind: 'news'; readonly target: string; readonly state: alerts.News | null }
  | { readonly kind: 'mute'; readonly mute: alerts.Mute | null }
  /** The worker was suspended. */
  | { readonly kind: 'pause' }
  /** The wall clock was set ahead. */
  | { readonly kind: 'ahead' }

export interface Push {
  readonly kind: 'push'
  readonly target: string
  readonly notice: Notice
}

type Cause = 'heartbeat' | 'silence' | 'maintenance'

export type Effect =
  | Push
  | { readonly kind: 'ran'; readonly run: RanRun }
  | { readonly kind: 'opened'; readonly incident: Incident }
  /** By a heartbeat, or because the component was retired. */
  | { readonly kind: 'resolved'; readonly incident: Incident; readonly at: number; readonly isRetired?: true }
  | {
      readonly kind: 'moved'
      readonly at: number
      readonly from: Status | null
      readonly to: Status
      readonly cause: Cause
      readonly message: string | null
    }

export interface Step {
  readonly component: Component
  readonly effects: readonly Effect[]
}

/** The first heartbeat of a component. Its pushes are numbered from `sequence` on. */
export function registered(
  id: string,
  heartbeat: Heartbeat,
  now: Moment,
  rules: Rules,
  { sequence = 0, maintenanceId = null }: { sequence?: number; maintenanceId?: string | null } = {},
): Step {
  const publications = rules.targets.map((target) => newPublication(target, sequence))
  const { end } = heartbeat
  const { ran, ...runs } = end ? ended(noRuns, end, now, rules) : { ...noRuns, ran: [] }
  const component: Component = {
    id,
    ...runs,
    ...reported(heartbeat, noSchedule, [], now, rules),
    maintenanceId,
    retiredAs: null,
    changedAt: now.wall,
    upSince: now.monotonic,
    upAt: now.wall,
    downAt: now.wall,
    publications,
  }
  return publish({ component, effects: [...effectsOf(ran), movedBy(null, component)] }, now, rules)
}

/** The state machine of a component: what an event changes, and its effects. */
export function next(component: Component, event: Event, now: Moment, rules: Rules): Step {
  switch (event.kind) {
    case 'heartbeat':
      return publish(heard(component, event, now, rules), now, rules)
    case 'unsaved':
      return withoutEffects(afterUnsaved(component, event, now, rules))
    case 'deadline':
      return silent(component, now, rules)
    case 'retry':
      return publish(withoutEffects(component), now, rules, ({ target }) => target === event.target)
    case 'start': {
      const publications = restartedPublications(component.publications, rules.targets, now)
      return withoutEffects({ ...afterStart(component, now, rules), upSince: now.monotonic, publications })
    }
    case 'maintenance':
      return maintained(component, event.id, now, rules)
    case 'retire': {
      const { incident } = component
      const at = Math.max(now.wall, incident?.detectedAt ?? 0)
      const effects: Effect[] = incident ? [{ kind: 'resolved', incident, at, isRetired: true }] : []
      const retired = { ...component, incident: null, retiredAs: event.status, changedAt: now.wall }
      return publish({ component: retired, effects }, now, rules)
    }
    case 'run':
      return publish(started(component, event, now, rules), now, rules)
    case 'reschedule':
      return withoutEffects(afterChange(component, event, now, rules))
    case 'acknowledge':
      return withoutEffects(alerts.acknowledged(component, event.by, now, rules))
    case 'news':
      return withoutEffects(alerts.withNews(component, event.target, event.state))
    case 'mute':
      return publish(withoutEffects({ ...component, mute: event.mute }), now, rules)
    case 'pause':
      return withoutEffects(afterPause(component, now, rules))
    case 'ahead':
      return withoutEffects(afterClockChange(component, now, rules))
    default:
      return pushEnded(component, event, now, rules)
  }
}

const withoutEffects = (component: Component): Step => ({ component, effects: [] })

/** The incident starts at the missed deadline, not when the timer found it. Otherwise the timer pushes what is due. */
function silent(past: Component, now: Moment, rules: Rules): Step {
  const at = now.monotonic
  const before = alerts.withoutPastMute(past, now)
  const isExpected = before.retiredAs === null && before.maintenanceId === null && before.incident === null
  if (!isExpected || at < before.deadline)
    return publish(withoutEffects(before), now, rules, (publication) => isTimerDue(publication, at))
  const lost = overdue(before, now)
  const later = lost ? null : (runDeadline(before) ?? runStillToCome(before, now, rules))
  if (later !== null) return withoutEffects({ ...before, deadline: later, aliveAt: Math.min(before.aliveAt, now.wall) })
  const startedAt = Math.min(deadlineAt(before, now, rules), now.wall)
  const { lastReportedStatus } = before
  const message = lost?.message ?? before.message
  const missed: Incident = { id: rules.newId(), startedAt, detectedAt: now.wall, lastReportedStatus, message }
  const incident: Incident = lost ? { ...missed, isRunLost: true } : missed
  const from = statusOf(before)
  const moved: Effect[] =
    from === 'outage' ? [] : [{ kind: 'moved', at: startedAt, from, to: 'outage', cause: 'silence', message }]
  const down = { ...before, incident, downAt: isDown(from) ? before.downAt : startedAt }
  const component = lost ? { ...down, runs: lost.runs, lastRun: lost.lastRun } : down
  const effects: Effect[] = [...effectsOf(lost?.ran ?? []), { kind: 'opened', incident }, ...moved]
  return publish({ component, effects }, now, rules)
}

/** When the maintenance ends, the timeout restarts. */
function maintained(before: Component, maintenanceId: string | null, now: Moment, rules: Rules): Step {
  if (before.maintenanceId === maintenanceId) return withoutEffects(before)
  const fresh = deadlineFrom(now, before.schedule, before.lastReportedStatus, rules)
  const deadline = maintenanceId === null ? Math.max(before.deadline, fresh) : before.deadline
  const aliveAt = maintenanceId === null ? now.wall : before.aliveAt
  const after = { ...before, maintenanceId, deadline, aliveAt, changedAt: now.wall }
  const [from, to] = [statusOf(before), statusOf(after)]
  // At the end, a component that was up again has been so since its heartbeat.
  const upAt = before.maintenanceId === null ? now.wall : before.upAt
  // An outage that a silence has made one with the time before goes on.
  const downAt = !isDown(from) && isDown(to) && before.incident === null ? now.wall : before.downAt
  const component: Component = { ...after, upAt, downAt }
  const moved: Effect[] =
    from === to ? [] : [{ kind: 'moved', at: now.wall, from, to, cause: 'maintenance', message: null }]
  return publish({ component, effects: moved }, now, rules)
}

/** If another status is wanted by now, it is pushed at once; the same status is retried later. */
function pushEnded(before: Component, end: PushEnd & { target: string }, now: Moment, rules: Rules): Step {
  const target = rules.targets.find(({ name }) => name === end.target)
  const ended = publicationOf(before, end.target)
  if (target === undefined || ended?.push.kind !== 'sending') return withoutEffects(before)
  const { push } = ended
  const step = withoutEffects(withPublication(before, endPush(ended, push, end, now, target.isAlert)))
  const hasFailed = end.kind === 'failed' || end.kind === 'uncertain'
  if (hasFailed && wantedAt(target, before, rules)?.status === push.notice.status) return step
  return publish(step, now, rules, (publication) => publication.target === end.target)
}

const withPublication = (component: Component, publication: Publication): Component => ({
  ...component,
  publications: component.publications.map((each) => (each.target === publication.target ? publication : each)),
})

type IsDue = (publication: Publication) => boolean

function publish(step: Step, now: Moment, rules: Rules, isDue: IsDue = () => true): Step {
  return targetsOf(step.component, rules).reduce(({ component, effects }, target) => {
    const known = publicationOf(component, target.name)
    const wanted = wantedAt(target, component, rules)
    if (known === undefined || wanted === null || !isDue(known)) return { component, effects }
    const before = withoutFailure(known, wanted.status, now.monotonic)
    const told = toldOf(target, wanted, component, before)
    const publication = isFlap(before, component, wanted, now, rules) ? null : startPush(before, told, now.monotonic)
    if (publication === null)
      return { component: before === known ? component : withPublication(component, before), effects }
    const push: Push = { kind: 'push', target: target.name, notice: publication.push.notice }
    return { component: withPublication(component, publication), effects: [...effects, push] }
  }, step)
}
