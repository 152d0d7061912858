import assert from 'node:assert/strict'
import {
  type Component,
  type Effect,
  type Event,
  type Incident,
  type Moment,
  next,
  type Rules,
  registered,
  type Step,
} from '../../src/status/component.ts'
import { combinedStatus } from '../../src/status/instances.ts'
import { isInDoubt, isSending, type Notice, newPublication, type Target } from '../../src/status/publication.ts'
import type { Heartbeat } from '../../src/status/schedule.ts'
import { isDown, type Status } from '../../src/status/statuses.ts'
import { publicationOf, statusOf, wantedOf } from '../../src/status/wanted.ts'

export const timeoutMs = 180_000
export const maintenanceMs = 14_400_000
export const startGraceMs = 120_000
/** The waits of the timer before each retry, with the least jitter. */
export const retryMs = [5_250, 15_750, 63_000, 303_750] as const

export const heartbeat = (status: Status, more: Omit<Heartbeat, 'status'> = {}): Event => ({
  kind: 'heartbeat',
  status,
  ...more,
})
export const unsaved = (status: Status): Event => ({ kind: 'unsaved', status })
const target = 'default'
export const failed = (retryAfterMs = 0): Event => ({ kind: 'failed', target, retryAfterMs, jitter: 0 })
export const throttled = (retryAfterMs: number): Event => ({
  kind: 'failed',
  target,
  retryAfterMs,
  jitter: 0,
  isThrottled: true,
})
export const pause: Event = { kind: 'pause' }
export const retry: Event = { kind: 'retry', target }
export const deadline: Event = { kind: 'deadline' }
export const accepted: Event = { kind: 'accepted', target }
export const uncertain: Event = { kind: 'uncertain', target, jitter: 0 }
export const overtaken: Event = { kind: 'overtaken', target }
export const start: Event = { kind: 'start' }

export function pushOf(component: Component) {
  const publication = publicationOf(component, target) ?? newPublication({ name: target, page: '', isAlert: false }, 0)
  const { push, publishedStatus, sequence, reassertAt } = publication
  const notice = push.kind === 'idle' ? null : push.notice
  return {
    publishedStatus,
    sequence,
    reassertAt,
    notice,
    retry: push.kind === 'waiting' || push.kind === 'unknown' ? push : null,
    isSending: isSending(publication),
    isInDoubt: isInDoubt(publication),
  }
}

const isEnd = ({ kind }: Event) => ['accepted', 'failed', 'uncertain', 'overtaken'].includes(kind)

/** The effects of a step, by kind. */
export function partsOf({ effects }: Pick<Step, 'effects'>) {
  const allOf = <Kind extends Effect['kind']>(kind: Kind) =>
    effects.filter((each): each is Extract<Effect, { kind: Kind }> => each.kind === kind)
  return { pushes: allOf('push'), opened: allOf('opened'), resolved: allOf('resolved'), moved: allOf('moved') }
}

function assertPush(notice: Notice, before: Component, after: Component, rules: Rules): void {
  const [was, is, wanted] = [pushOf(before), pushOf(after), wantedOf(after, rules)]
  assert.equal(rules.targets.length, 1, 'nothing is pushed without a page')
  const isAssertion = notice.status === notice.previousStatus && !is.isInDoubt
  if (isAssertion) assert.notEqual(was.reassertAt, null, 'only after a doubt is the same asserted once more')
  assert.ok(wanted.status !== is.publishedStatus || is.isInDoubt || isAssertion, 'a push has a reason')
  assert.deepEqual(is.notice, notice)
  if (notice.sequence === was.sequence) {
    assert.ok(is.isInDoubt, 'a number is repeated only in doubt')
    return assert.deepEqual([notice, notice.status], [was.notice, wanted.status], 'and then the notice is the same')
  }
  assert.equal(is.sequence, notice.sequence)
  const isRetry = was.notice?.status === wanted.status && (was.isInDoubt || wanted.status !== was.publishedStatus)
  assert.equal(notice.status, wanted.status)
  // What was queued behind another push may be a retry or not.
  if (was.isSending) return
  const isRecovery = wanted.status === 'operational' && is.publishedStatus !== null && isDown(is.publishedStatus)
  const news = isRetry ? was.notice : { ...wanted, ...(isRecovery && { downSince: after.downAt }) }
  assert.deepEqual(notice, { ...news, previousStatus: is.publishedStatus, sequence: was.sequence + 1 })
  if (isRetry) return
  const isSilence = after.incident !== null && rules.publishesSilence && after.maintenanceId === null
  assert.equal(notice.source, isSilence ? 'silence' : 'heartbeat')
  assert.equal(notice.incidentId, after.incident?.id ?? null)
  assert.equal(notice.reportedAt, isSilence ? after.incident?.startedAt : after.changedAt)
}

/** The invariants of every step. */
export function assertLaws(before: Component, event: Event, { component: after, effects }: Step, rules: Rules): void {
  const { pushes, opened, resolved, moved } = partsOf({ effects })
  assert.deepEqual(JSON.parse(JSON.stringify(after)), after, 'a component survives JSON')

  const [was, is] = [pushOf(before), pushOf(after)]
  assert.ok(pushes.length <= 1)
  const isStillSending = was.isSending && !isEnd(event) && event.kind !== 'start'
  assert.equal(is.isSending, isStillSending || pushes.length === 1, 'a push is in flight, and one at most')
  assert.ok(!(isStillSending && pushes.length === 1), 'single flight')
  assert.ok(is.sequence >= was.sequence)
  for (const { notice } of pushes) assertPush(notice, before, after, rules)

  const isAccepted = event.kind === 'accepted' && was.isSending
  assert.equal(is.publishedStatus, isAccepted ? was.notice?.status : was.publishedStatus)
  if (was.isInDoubt && !isAccepted) assert.ok(is.isInDoubt, 'only acceptance ends a doubt')
  if (isAccepted) assert.equal(is.isInDoubt, false)

  assert.equal(opened.length, Number(before.incident === null && after.incident !== null))
  if (opened.length > 0) assert.deepEqual([event.kind, opened[0]?.incident], ['deadline', after.incident])
  const isResolved = event.kind === 'heartbeat' && before.incident !== null
  assert.deepEqual(
    resolved.map(({ incident }) => incident),
    isResolved ? [before.incident] : [],
  )
  for (const { incident, at } of resolved) assert.ok(at >= incident.detectedAt && at >= incident.startedAt)
  if (before.incident !== null) assert.equal(after.incident, isResolved ? null : before.incident)
  const reported = (beat: Heartbeat) => (beat.instance === undefined ? beat.status : combinedStatus(after.instances))
  assert.equal(after.lastReportedStatus, event.kind === 'heartbeat' ? reported(event) : before.lastReportedStatus)

  const [from, to] = [statusOf(before), statusOf(after)]
  assert.deepEqual(
    moved.map((each) => [each.from, each.to, each.cause]),
    from === to ? [] : [[from, to, event.kind === 'deadline' ? 'silence' : event.kind]],
  )
  if (isEnd(event) && !was.isSending) assert.deepEqual([after, effects], [before, []], 'nothing has ended')
  if (['start', 'pause', 'unsaved'].includes(event.kind)) assert.deepEqual(effects, [])
  const { deadline, instances, aliveAt } = before
  if (event.kind === 'unsaved') assert.deepEqual({ ...after, deadline, instances, aliveAt }, before)
}

function frozen<Value extends object>(value: Value): Value {
  for (const each of Object.values(value)) if (each !== null && typeof each === 'object') frozen(each)
  return Object.freeze(value)
}

type Choice = Partial<Pick<Rules, 'targets' | 'publishesSilence' | 'flapMs'>>

const page: Target = { name: target, page: 'a page', isAlert: false }

/** A component and a fake clock; every step is checked against the invariants. */
export class Stage {
  readonly rules: Rules
  readonly notices: Notice[] = []
  readonly incidents: Incident[] = []
  component: Component
  effects: readonly Effect[]
  wall = Date.UTC(2026, 0, 1)
  monotonic = 5_000_000

  constructor(choice: Choice = {}, first: Status = 'operational') {
    this.rules = {
      targets: [page],
      publishesSilence: true,
      startGraceMs,
      ...choice,
      timeouts: { timeoutMs, maintenanceTimeoutMs: maintenanceMs, configured: null },
      newId: () => `incident-${this.incidents.length + 1}`,
    }
    const step = registered('db', { status: first }, this.now, this.rules)
    this.component = frozen(step.component)
    this.effects = step.effects
    this.#remember()
  }

  get now(): Moment {
    return { wall: this.wall, monotonic: this.monotonic }
  }

  get wanted(): Status {
    return wantedOf(this.component, this.rules).status
  }

  get push() {
    return pushOf(this.component)
  }

  /** `status sequence` of each push since the last call. */
  pushed(): string[] {
    return this.notices.splice(0).map(({ status, sequence }) => `${status} ${sequence}`)
  }

  wait(ms: number): this {
    this.wall += ms
    this.monotonic += ms
    return this
  }

  /** Applies the events in order, without advancing the clock. */
  happen(...events: Event[]): this {
    for (const event of events) {
      const before = this.component
      const step = next(before, event, this.now, this.rules)
      assert.deepEqual(next(before, event, this.now, this.rules), step, 'next() is pure')
      assertLaws(before, event, step, this.rules)
      this.component = frozen(step.component)
      this.effects = step.effects
      this.#remember()
    }
    return this
  }

  /** A new process reads the saved state; its monotonic clock starts from zero. */
  restart(monotonic = 1_000): this {
    this.component = frozen(JSON.parse(JSON.stringify(this.component)))
    this.monotonic = monotonic
    return this.happen(start)
  }

  #remember(): void {
    const { pushes, opened } = partsOf(this)
    this.notices.push(...pushes.map(({ notice }) => notice))
    this.incidents.push(...opened.map(({ incident }) => incident))
  }
}

/** A component whose first status was accepted. */
export function published(choice: Choice = {}, first: Status = 'operational'): Stage {
  const stage = new Stage(choice, first).happen(accepted)
  stage.pushed()
  return stage
}

/** A component with an open incident, whose push is in flight. */
export const silent = (choice: Choice = {}): Stage => published(choice).wait(timeoutMs).happen(deadline)
