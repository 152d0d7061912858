import type { Moment } from './component.ts'
import { isDown, type Status } from './statuses.ts'

/** Where the status of a component is published. */
export interface Target {
  readonly name: string
  /** Identifies the page and the component's name on it: what another page accepted does not count. */
  readonly page: string
  /** An alert channel gets only outages and recoveries. */
  readonly isAlert: boolean
}

/** What a target should show for a component, and why. */
export interface Wanted {
  readonly componentId: string
  readonly status: Status
  readonly source: 'heartbeat' | 'silence'
  /** When the status changed, however late this is sent. */
  readonly reportedAt: number
  readonly incidentId: string | null
  /** The message of the last heartbeat; of a silence, of the one before it, or `lostRun`. Null if unset. */
  readonly message?: string | null
  /** Of an incident because a run did not end in time: what to say of it, instead of a missing heartbeat. */
  readonly lostRun?: string
  /** Of a recovery: since when it was down. */
  readonly downSince?: number
  /** For an alert channel, of an outage that began with a report: when the heartbeat was due that has not come since. */
  readonly silentSince?: number
}

/** The message that a push carries. */
export interface Notice extends Wanted {
  readonly previousStatus: Status | null
  /** Increases by 1 with each push of a component; only a retry after an unknown outcome repeats the number. */
  readonly sequence: number
  /** It is not known whether an earlier attempt arrived. */
  readonly mayRepeat?: true
  /** Of a message to an alert channel that says who took the outage. */
  readonly acknowledged?: { readonly by: string; readonly at: number }
  /** Of a reminder or repetition; never saved. */
  readonly repeatedAt?: number
  /** Given to an alert channel with an outage; never saved. */
  readonly acknowledgeUrl?: string
}

/** When a push that was not accepted is retried; after a restart, the wall clock tells how much of it has passed. */
export interface Retry {
  /** How often in a row it has failed; heartbeats that retried early do not count. */
  readonly failures: number
  readonly failedAt: Moment
  /** When the timer retries. */
  readonly waitMs: number
  /** When a heartbeat may: 0 unless the target asked for a pause with a 429. */
  readonly heartbeatWaitMs: number
}

/** Nothing to retry. */
interface Idle {
  readonly kind: 'idle'
}

/** The last push failed: the page did not accept it. */
interface Waiting extends Retry {
  readonly kind: 'waiting'
  readonly notice: Notice
}

/** The page may or may not have accepted `notice`: there was no response, or the worker was killed. */
export interface Unknown extends Retry {
  readonly kind: 'unknown'
  readonly notice: Notice
}

/** A request is in flight or queued. `before` is the state to return to if it is never sent. */
interface Sending {
  readonly kind: 'sending'
  readonly notice: Notice
  readonly before: Idle | Waiting | Unknown
}

/** A component on a target: what the target has accepted, and the push that brings it up to date. */
export interface Publication {
  readonly target: string
  /** Null while the target does not have the component, or is not configured. */
  readonly page: string | null
  /** The last status that the target accepted; null if none. */
  readonly publishedStatus: Status | null
  readonly sequence: number
  /** When to push the last accepted status once more, since the target may still act on an earlier push. Monotonic. */
  readonly reassertAt: number | null
  readonly push: Idle | Sending | Unknown | Waiting
}

/** How a push ended. `jitter` is random, from 0 to 1. */
export type PushEnd =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'failed'
      readonly retryAfterMs: number
      /** A 429. */
      readonly isThrottled?: boolean
      readonly jitter: number
    }
  | { readonly kind: 'uncertain'; readonly jitter: number }
  /** Not sent: when its turn came, another status was wanted. */
  | { readonly kind: 'overtaken' }

/** The waits between repeats; the last one is repeated. */
const retryWaitsMs = [5_000, 15_000, 60_000, 300_000] as const
const maxRetryAfterMs = 3_600_000
/** How long heartbeats let a target that responded with 429 rest. */
export const maxThrottleMs = 60_000
const reassertAfterMs = 60_000
const idle: Idle = { kind: 'idle' }

/** By 5 to 20 %, 15 s at most. Jitter only lengthens a wait: a fault that lasts just as long is over by then. */
const lengthened = (ms: number, jitter: number) => Math.round(ms + Math.min(ms, 75_000) * (0.05 + 0.15 * jitter))

export const newPublication = ({ name: target, page, isAlert }: Target, sequence: number): Publication => ({
  target,
  page,
  publishedStatus: isAlert ? 'operational' : null,
  sequence,
  reassertAt: null,
  push: idle,
})

/** Null if the target gets nothing: for an alert channel, maintenance is neither an outage nor a recovery. */
export function wantedBy({ isAlert }: Pick<Target, 'isAlert'>, wanted: Wanted): Wanted | null {
  if (!isAlert || isDown(wanted.status)) return wanted
  return wanted.status === 'maintenance' ? null : { ...wanted, status: 'operational' }
}

export const isSending = ({ push }: Publication): boolean => push.kind === 'sending'

/** As it is shown: an outage that an alert channel has refused, and nothing else, waits though it counts as unknown. */
export function pushState({ push }: Publication, isAlert: boolean): Publication['push']['kind'] {
  const isRefused = push.kind === 'unknown' && isAlert && isDown(push.notice.status) && push.notice.mayRepeat !== true
  return isRefused ? 'waiting' : push.kind
}

/** When the timer sends again what was not accepted, by the wall clock; null if nothing waits. A heartbeat may be earlier. */
export const retryAt = ({ push }: Publication): number | null =>
  push.kind === 'waiting' || push.kind === 'unknown' ? push.failedAt.wall + push.waitMs : null

/** Whether the page may show something other than `publishedStatus`. */
export const isInDoubt = ({ push }: Publication): boolean =>
  push.kind === 'unknown' || (push.kind === 'sending' && push.before.kind === 'unknown')

/** True unless the page is known to show `status`. */
export const isOutdated = (publication: Publication, status: Status): boolean =>
  publication.page !== null && (isInDoubt(publication) || status !== publication.publishedStatus)

/** An outdated status is not reasserted but replaced. */
export function isReassertDue(publication: Publication, status: Status, at: number): boolean {
  const { page, reassertAt } = publication
  return page !== null && reassertAt !== null && at >= reassertAt && !isOutdated(publication, status)
}

const isWaitOver = ({ failedAt, waitMs }: Retry, at: number) => at >= failedAt.monotonic + waitMs

/** Whether a push failed whose wait is over. */
export const isRetryDue = ({ push }: Publication, at: number): boolean =>
  (push.kind === 'waiting' || push.kind === 'unknown') && isWaitOver(push, at)

/** Whether the timer may push now: it waits only for what has failed, and for a push in flight. */
export const isTimerDue = (publication: Publication, at: number): boolean =>
  publication.push.kind === 'idle' || isRetryDue(publication, at)

/** Whether a heartbeat may push: the target has not asked for a pause. */
const isRested = ({ failedAt, heartbeatWaitMs }: Retry, at: number) => at >= failedAt.monotonic + heartbeatWaitMs

/** Once nothing is to be pushed, the failure of what was no longer matters, except for the pause that it asked for. */
export function withoutFailure(publication: Publication, status: Status, at: number): Publication {
  const { push } = publication
  const isOver = push.kind === 'waiting' && isRested(push, at) && !isOutdated(publication, status)
  return isOver ? { ...publication, push: idle } : publication
}

/** Starts a push of what is wanted; null if none is due. Only one is in flight at a time. */
export function startPush(
  publication: Publication,
  wanted: Wanted,
  at: number,
): (Publication & { push: Sending }) | null {
  const { push, publishedStatus } = publication
  if (push.kind === 'sending') return null
  if (!isOutdated(publication, wanted.status) && !isReassertDue(publication, wanted.status, at)) return null
  if (push.kind !== 'idle' && !isRested(push, at)) return null
  const sequence = publication.sequence + 1
  const isRetry = push.kind !== 'idle' && push.notice.status === wanted.status
  const notice = isRetry
    ? // What may have been accepted is sent unchanged, so that the page can recognise its number.
      { ...push.notice, sequence: push.kind === 'unknown' ? push.notice.sequence : sequence }
    : { ...wanted, previousStatus: publishedStatus, sequence }
  return {
    ...publication,
    sequence: Math.max(notice.sequence, publication.sequence),
    push: { kind: 'sending', notice, before: push },
  }
}

/**
 * Only acceptance resolves an unknown outcome. An outage that an alert channel refuses counts as unknown too: it is told
 * even if it is over before the channel accepts messages again.
 */
export function endPush(
  publication: Publication,
  { before, notice }: Sending,
  end: PushEnd,
  now: Moment,
  isAlert = false,
): Publication {
  const isAssertion = before.kind !== 'unknown' && notice.status === notice.previousStatus
  const assertedAgainAt = now.monotonic + reassertAfterMs
  if (end.kind === 'accepted') {
    // Other pushes do not change when the reassertion is due.
    const reassertAt = isAssertion ? null : publication.reassertAt
    const isDoubtOver = before.kind === 'unknown' && !isAlert
    return {
      ...publication,
      publishedStatus: notice.status,
      reassertAt: isDoubtOver ? assertedAgainAt : reassertAt,
      push: idle,
    }
  }
  if (end.kind === 'overtaken')
    return { ...publication, push: before.kind === 'unknown' ? { ...before, notice } : before }
  const isUnknown = end.kind === 'uncertain' || before.kind === 'unknown' || (isAlert && isDown(notice.status))
  const sent: Notice = end.kind === 'uncertain' ? { ...notice, mayRepeat: true } : notice
  return {
    ...publication,
    push: { kind: isUnknown ? 'unknown' : 'waiting', notice: sent, ...retryOf(before, notice, end, now) },
    reassertAt: isAssertion ? assertedAgainAt : publication.reassertAt,
  }
}

/** Another status has waits of its own. A heartbeat that retried before the timer does not postpone the timer. */
function retryOf(
  before: Sending['before'],
  notice: Notice,
  end: Extract<PushEnd, { kind: 'failed' | 'uncertain' }>,
  now: Moment,
): Retry {
  const retryAfterMs = end.kind === 'failed' ? Math.min(end.retryAfterMs, maxRetryAfterMs) : 0
  const again = before.kind !== 'idle' && before.notice.status === notice.status ? before : null
  if (again && retryAfterMs === 0 && !isWaitOver(again, now.monotonic)) {
    const { failures, failedAt, waitMs, heartbeatWaitMs } = again
    return { failures, failedAt, waitMs, heartbeatWaitMs }
  }
  const failures = (again?.failures ?? 0) + 1
  const waitMs = retryAfterMs || (retryWaitsMs[failures - 1] ?? retryWaitsMs[3])
  const isThrottled = end.kind === 'failed' && end.isThrottled === true
  return {
    failures,
    failedAt: now,
    waitMs: lengthened(waitMs, end.jitter),
    heartbeatWaitMs: isThrottled ? Math.min(retryAfterMs, maxThrottleMs) : 0,
  }
}

/** After a restart, on a new monotonic clock: pushes that were in flight have an unknown outcome. */
export function restartedPublications(
  publications: readonly Publication[],
  targets: readonly Target[],
  now: Moment,
): readonly Publication[] {
  const sequence = Math.max(0, ...publications.map((each) => each.sequence))
  const targetOf = ({ target }: Publication) => targets.find(({ name }) => name === target)
  const isNew = ({ name }: Target) => publications.every(({ target }) => target !== name)
  return [
    ...publications.map((each) => restarted(each, targetOf(each), now)),
    ...targets.filter(isNew).map((target) => newPublication(target, sequence)),
  ]
}

function restarted(publication: Publication, target: Target | undefined, now: Moment): Publication {
  const { sequence } = publication
  if (target === undefined) return { ...publication, page: null, publishedStatus: null, reassertAt: null, push: idle }
  if (publication.page !== target.page) return newPublication(target, sequence)
  return {
    ...publication,
    reassertAt: publication.reassertAt === null ? null : now.monotonic + reassertAfterMs,
    push: restartedPush(publication.push, now),
  }
}

/** If the wall clock was set back meanwhile, the wait starts again. */
function restartedPush(push: Publication['push'], now: Moment): Publication['push'] {
  if (push.kind === 'idle') return push
  if (push.kind === 'sending') {
    const notice: Notice = { ...push.notice, mayRepeat: true }
    return { kind: 'unknown', notice, failures: 0, failedAt: now, waitMs: 0, heartbeatWaitMs: 0 }
  }
  const passedMs = Math.max(0, now.wall - push.failedAt.wall)
  return { ...push, failedAt: { wall: now.wall - passedMs, monotonic: now.monotonic - passedMs } }
}
