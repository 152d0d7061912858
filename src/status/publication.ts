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
  readonly reportedAt: number
  readonly incidentId: string | null
}

/** The message that a push carries. */
export interface Notice extends Wanted {
  readonly previousStatus: Status | null
  /** Increases by 1 with each push of a component; only a retry after an unknown outcome repeats the number. */
  readonly sequence: number
}

/** Monotonic. The next heartbeat after `notBefore` retries a failed push; for a silent component, a timer does. */
interface Retry {
  readonly notBefore: number
  readonly silenceRetryAt: number
}

/** Nothing to retry. */
interface Idle {
  readonly kind: 'idle'
}

/** The last push failed: the page did not accept it. */
interface Waiting extends Retry {
  readonly kind: 'waiting'
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

/** How a push ended. */
export type PushEnd =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'failed'; readonly retryAfterMs: number }
  | { readonly kind: 'uncertain' }
  /** Not sent: when its turn came, another status was wanted. */
  | { readonly kind: 'overtaken' }

const silenceRetryMs = 60_000
const reassertAfterMs = 60_000
export const maxRetryAfterMs = 60_000
const idle: Idle = { kind: 'idle' }

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

/** Starts a push of what is wanted; null if none is due. Only one is in flight at a time. */
export function startPush(
  publication: Publication,
  wanted: Wanted,
  at: number,
): (Publication & { push: Sending }) | null {
  const { push, publishedStatus } = publication
  if (push.kind === 'sending') return null
  if (!isOutdated(publication, wanted.status) && !isReassertDue(publication, wanted.status, at)) return null
  if (push.kind !== 'idle' && at < push.notBefore) return null
  // A notice that may have been accepted is sent again unchanged, so that the page can recognise its number.
  const notice =
    push.kind === 'unknown' && push.notice.status === wanted.status
      ? push.notice
      : { ...wanted, previousStatus: publishedStatus, sequence: publication.sequence + 1 }
  const sequence = Math.max(notice.sequence, publication.sequence)
  return { ...publication, sequence, push: { kind: 'sending', notice, before: push } }
}

/** Only acceptance resolves an unknown outcome. */
export function endPush(
  publication: Publication,
  { before, notice }: Sending,
  end: PushEnd,
  at: number,
  reasserts = true,
): Publication {
  const isAssertion = before.kind !== 'unknown' && notice.status === notice.previousStatus
  if (end.kind === 'accepted') {
    // Other pushes do not change when the reassertion is due.
    const reassertAt = isAssertion ? null : publication.reassertAt
    const isDoubtOver = before.kind === 'unknown' && reasserts
    return {
      ...publication,
      publishedStatus: notice.status,
      reassertAt: isDoubtOver ? at + reassertAfterMs : reassertAt,
      push: idle,
    }
  }
  const isUnknown = end.kind === 'uncertain' || before.kind === 'unknown'
  if (end.kind === 'overtaken')
    return { ...publication, push: before.kind === 'unknown' ? { ...before, notice } : before }
  const waitMs = end.kind === 'failed' ? Math.min(end.retryAfterMs, maxRetryAfterMs) : 0
  const retry = { notBefore: at + waitMs, silenceRetryAt: at + silenceRetryMs }
  const push: Publication['push'] = isUnknown ? { kind: 'unknown', notice, ...retry } : { kind: 'waiting', ...retry }
  return { ...publication, push, reassertAt: isAssertion ? at + reassertAfterMs : publication.reassertAt }
}

/** Whether the timer may now retry the push of a silence. */
export const isSilenceRetryDue = ({ push }: Publication, at: number): boolean =>
  push.kind === 'idle' || (push.kind !== 'sending' && at >= push.silenceRetryAt)

/** A new silence does not wait because another push has just failed. */
export const withSilenceRetry = (publication: Publication, at: number): Publication =>
  publication.push.kind === 'waiting' || publication.push.kind === 'unknown'
    ? { ...publication, push: { ...publication.push, silenceRetryAt: at } }
    : publication

/** After a restart, on a new monotonic clock: pushes that were in flight have an unknown outcome. */
export function restartedPublications(
  publications: readonly Publication[],
  targets: readonly Target[],
  at: number,
): readonly Publication[] {
  const sequence = Math.max(0, ...publications.map((each) => each.sequence))
  const isNew = ({ name }: Target) => publications.every(({ target }) => target !== name)
  return [
    ...publications.map((each) =>
      restarted(
        each,
        targets.find(({ name }) => name === each.target),
        at,
      ),
    ),
    ...targets.filter(isNew).map((target) => newPublication(target, sequence)),
  ]
}

function restarted(publication: Publication, target: Target | undefined, at: number): Publication {
  const { push, sequence } = publication
  if (target === undefined) return { ...publication, page: null, publishedStatus: null, reassertAt: null, push: idle }
  if (publication.page !== target.page) return newPublication(target, sequence)
  const isOpen = push.kind === 'sending' || push.kind === 'unknown'
  return {
    ...publication,
    reassertAt: publication.reassertAt === null ? null : at + reassertAfterMs,
    push: isOpen ? { kind: 'unknown', notice: push.notice, notBefore: 0, silenceRetryAt: 0 } : idle,
  }
}
