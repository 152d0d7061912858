import type { Status } from './statuses.ts'

/** The wall clock dates what others see; deadlines run on the monotonic one, which nobody sets. */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** A silence. Open as long as the component has it. */
export interface Incident {
  readonly id: string
  readonly startedAt: number
  readonly detectedAt: number
  readonly lastReportedStatus: Status
}

/** What the status page is told. */
export interface Notice {
  readonly componentId: string
  readonly status: Status
  readonly previousStatus: Status | null
  readonly source: 'heartbeat' | 'silence'
  readonly reportedAt: number
  readonly incidentId: string | null
  /** Counts up for each component; the same only for a push whose outcome is not known. A repetition has none of its own. */
  readonly sequence: number
}

export interface Component {
  readonly id: string
  readonly lastHeartbeatAt: number
  readonly lastReportedStatus: Status
  readonly incident: Incident | null
  /** Which page it is told to: what another one accepted is worth nothing. */
  readonly page: string
  /** What the page accepted last; null while it has accepted nothing. */
  readonly publishedStatus: Status | null
  /** The last push, until it is known what became of it. */
  readonly pushed: Notice | null
  readonly sequence: number
  /** A push has been sent, and nobody knows whether the page took it. */
  readonly isInDoubt: boolean
  readonly isPushing: boolean
  readonly hasFailed: boolean
  /**
   * By the monotonic clock: when silence becomes an incident, before when nothing is to be pushed, and when a failed push
   * of a silence is due again.
   */
  readonly deadline: number
  readonly notBefore: number
  readonly repeatAt: number
}

export interface Rules {
  timeoutMs(status: Status): number
  readonly publishes: boolean
  readonly page: string
  readonly publishesSilence: boolean
  newId(): string
}

export type Event =
  | { readonly kind: 'heartbeat'; readonly status: Status }
  /** One that was refused because it could not be saved. */
  | { readonly kind: 'unsaved'; readonly status: Status }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'failed'; readonly retryAfterMs: number }
  | { readonly kind: 'uncertain' }
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'start' }
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

/** A push of a silence that failed has no heartbeat to try it again. */
const repeatMs = 60_000
export const longestRetryAfterMs = 60_000

/** What a component shows: an open incident is an outage, whatever it said last. */
export const statusOf = ({ incident, lastReportedStatus }: Component): Status =>
  incident ? 'outage' : lastReportedStatus

/** What the page should show. */
export const wantedOf = (component: Component, { publishesSilence }: Rules): Status =>
  publishesSilence ? statusOf(component) : component.lastReportedStatus

/** The page does not show what it should, as far as is known. */
export const isUnpublished = (component: Component, rules: Rules): boolean =>
  rules.publishes && (component.isInDoubt || wantedOf(component, rules) !== component.publishedStatus)

/** A component that nobody has heard of yet; its pushes are counted on from `sequence`. */
export function registered(id: string, status: Status, now: Moment, rules: Rules, sequence = 0): Step {
  const component: Component = {
    id,
    lastHeartbeatAt: now.wall,
    lastReportedStatus: status,
    incident: null,
    page: rules.page,
    publishedStatus: null,
    pushed: null,
    sequence,
    isInDoubt: false,
    isPushing: false,
    hasFailed: false,
    deadline: now.monotonic + rules.timeoutMs(status),
    notBefore: 0,
    repeatAt: 0,
  }
  const moved = { kind: 'moved', at: now.wall, from: null, to: status, cause: 'heartbeat' } as const
  return publish({ component, effects: [moved] }, now, rules)
}

/** The whole life of a component. */
export function next(component: Component, event: Event, now: Moment, rules: Rules): Step {
  switch (event.kind) {
    case 'heartbeat':
      return publish(heard(component, event.status, now, rules), now, rules)
    case 'unsaved':
      return still({ ...component, deadline: now.monotonic + rules.timeoutMs(event.status) })
    case 'deadline':
      return silent(component, now, rules)
    case 'accepted':
      return accepted(component, now, rules)
    case 'failed':
      return ended(
        component,
        {
          // What may have been taken keeps its number.
          pushed: component.isInDoubt ? component.pushed : null,
          notBefore: now.monotonic + Math.min(event.retryAfterMs, longestRetryAfterMs),
        },
        now,
        rules,
      )
    case 'uncertain':
      return ended(component, { isInDoubt: true }, now, rules)
    case 'overtaken':
      return overtaken(component, now, rules)
    case 'start':
      return still({
        ...component,
        ...(component.page === rules.page
          ? { isInDoubt: component.isInDoubt || component.isPushing }
          : { page: rules.page, publishedStatus: null, pushed: null, isInDoubt: false }),
        deadline: now.monotonic + rules.timeoutMs(component.lastReportedStatus),
        isPushing: false,
        hasFailed: false,
        notBefore: 0,
        repeatAt: now.monotonic,
      })
    case 'pause':
      return still({ ...component, deadline: afterPause(component, event.ms, now, rules) })
  }
}

const still = (component: Component): Step => ({ component, effects: [] })

/** Who was heard after the pause, and before we noticed it, does not get it on top. A pause shortens no deadline. */
const afterPause = ({ deadline, lastReportedStatus }: Component, ms: number, now: Moment, rules: Rules): number =>
  Math.max(deadline, Math.min(deadline + ms, now.monotonic + rules.timeoutMs(lastReportedStatus)))

function heard(before: Component, status: Status, now: Moment, rules: Rules): Step {
  const { incident } = before
  const component: Component = {
    ...before,
    lastHeartbeatAt: now.wall,
    lastReportedStatus: status,
    incident: null,
    deadline: now.monotonic + rules.timeoutMs(status),
  }
  const effects: Effect[] = []
  // The wall clock may have been set back since.
  if (incident) effects.push({ kind: 'resolved', incident, at: Math.max(now.wall, incident.detectedAt) })
  const [from, to] = [statusOf(before), status]
  if (from !== to) effects.push({ kind: 'moved', at: now.wall, from, to, cause: 'heartbeat' })
  return { component, effects }
}

/** Dated when the silence became one, and not when somebody looked. */
function silent(before: Component, now: Moment, rules: Rules): Step {
  if (before.incident)
    return now.monotonic < before.repeatAt ? still(before) : publishSilence(still(before), now, rules)
  if (now.monotonic < before.deadline) return still(before)
  const startedAt = Math.round(now.wall - (now.monotonic - before.deadline))
  const { lastReportedStatus } = before
  const incident: Incident = { id: rules.newId(), startedAt, detectedAt: now.wall, lastReportedStatus }
  const from = statusOf(before)
  const moved: Effect[] =
    from === 'outage' ? [] : [{ kind: 'moved', at: startedAt, from, to: 'outage', cause: 'silence' }]
  // That another push failed a moment ago is no reason to wait.
  const component: Component = { ...before, incident, repeatAt: now.monotonic }
  return publishSilence({ component, effects: [{ kind: 'opened', incident }, ...moved] }, now, rules)
}

/** Nobody has said anything: where a silence is not published, what was said waits for the next heartbeat. */
const publishSilence = (step: Step, now: Moment, rules: Rules): Step =>
  rules.publishesSilence ? publish(step, now, rules) : step

function accepted(before: Component, now: Moment, rules: Rules): Step {
  const { pushed } = before
  if (!before.isPushing || pushed === null) return still(before)
  const component: Component = {
    ...before,
    publishedStatus: pushed.status,
    pushed: null,
    isInDoubt: false,
    isPushing: false,
    hasFailed: false,
    notBefore: 0,
  }
  return publish(still(component), now, rules)
}

/** Not accepted, as far as we know. What has changed meanwhile is no repetition, and goes at once. */
function ended(before: Component, values: Partial<Component>, now: Moment, rules: Rules): Step {
  if (!before.isPushing) return still(before)
  const component: Component = {
    ...before,
    isPushing: false,
    hasFailed: true,
    repeatAt: now.monotonic + repeatMs,
    ...values,
  }
  const hasChanged = wantedOf(component, rules) !== before.pushed?.status
  return hasChanged ? publish(still(component), now, rules) : still(component)
}

/** It was never sent, and by now something else is wanted. */
function overtaken(before: Component, now: Moment, rules: Rules): Step {
  if (!before.isPushing) return still(before)
  const pushed = before.isInDoubt ? before.pushed : null
  return publish(still({ ...before, pushed, isPushing: false }), now, rules)
}

/** One push at a time; what is wanted then goes out when it has ended. */
function publish({ component, effects }: Step, now: Moment, rules: Rules): Step {
  const status = wantedOf(component, rules)
  const { publishedStatus, pushed, isInDoubt, isPushing, incident } = component
  const isDue = status !== publishedStatus || isInDoubt
  if (!rules.publishes || isPushing || !isDue || now.monotonic < component.notBefore) return { component, effects }
  // Of what may have been taken the very same is sent again, so that whoever has taken it knows it by its number.
  const isSame = isInDoubt && pushed?.status === status
  const isSilence = incident !== null && rules.publishesSilence
  const anew: Notice = {
    componentId: component.id,
    status,
    previousStatus: publishedStatus,
    source: isSilence ? 'silence' : 'heartbeat',
    reportedAt: isSilence ? incident.startedAt : component.lastHeartbeatAt,
    incidentId: incident?.id ?? null,
    sequence: component.sequence + 1,
  }
  const notice = isSame ? pushed : anew
  return {
    component: {
      ...component,
      pushed: notice,
      sequence: Math.max(notice.sequence, component.sequence),
      isPushing: true,
    },
    effects: [...effects, { kind: 'push', notice }],
  }
}
