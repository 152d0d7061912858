import assert from 'node:assert/strict'
import type { Event } from '../../src/status/component.ts'
import { combinedStatus } from '../../src/status/instances.ts'
import type { Notice } from '../../src/status/publication.ts'
import { type Status, statuses } from '../../src/status/statuses.ts'
import { seededRandom } from '../support/uniform.ts'
import {
  accepted,
  deadline,
  failed,
  heartbeat,
  maintenanceMs,
  overtaken,
  partsOf,
  pause,
  retry,
  retryMs,
  Stage,
  startGraceMs,
  throttled,
  timeoutMs,
  uncertain,
  unsaved,
} from './component-stage.ts'

const hour = 3_600_000
const timeoutOf = (status: Status) => (status === 'maintenance' ? maintenanceMs : timeoutMs)

/** A status page, which checks the order of sequence numbers. */
class Page {
  shown: Status | null = null
  #sequence = 0

  take({ status, sequence }: Notice): void {
    assert.ok(sequence >= this.#sequence, 'an older push overtakes none')
    if (sequence === this.#sequence) assert.equal(status, this.shown, 'a number stands for one status')
    this.#sequence = sequence
    this.shown = status
  }
}

/** A random walk of one component, with the page it is pushed to. */
export class Walk {
  readonly stage: Stage
  readonly page = new Page()
  readonly seen = new Map<string, number>()
  readonly history: string[] = []
  readonly #random: () => number
  /** The push in flight, and the last accepted status. */
  #outstanding: Notice | null
  #told: Status | null = null
  /** On the monotonic clock; `#aliveAt` on the wall clock. */
  #silentFrom: number
  #aliveAt: number
  /** When a heartbeat may push again after a 429. */
  #retryFrom = 0
  #reports = new Map<string, { readonly status: Status; readonly at: number; readonly until: number }>()
  /** Sends no heartbeats for a while. */
  #isMute = false

  constructor(seed: number, publishesSilence: boolean) {
    this.#random = seededRandom(seed)
    this.stage = new Stage({ publishesSilence })
    this.#outstanding = this.stage.notices.pop() ?? null
    this.#silentFrom = this.#now + timeoutMs
    this.#aliveAt = this.stage.wall
  }

  get #now(): number {
    return this.stage.monotonic
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  among<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value
  }

  saw(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1)
  }

  /** A few seconds, or just up to or past a deadline. */
  wait(): void {
    const ms = this.among([0, 1, this.below(5_000), 30_000, ...retryMs, retryMs[2] - 1, timeoutMs, timeoutMs - 1])
    this.history.push(`+${ms}`)
    this.stage.wait(this.below(40) === 0 ? maintenanceMs : ms)
  }

  happen(event: Event): void {
    const { stage } = this
    const { incident } = stage.component
    const { sequence, retry: failure } = stage.push
    this.history.push(JSON.stringify(event))
    stage.happen(event)
    const { pushes, opened, resolved } = partsOf(stage)
    const { component, monotonic, push } = stage

    const ended = ['accepted', 'failed', 'uncertain', 'overtaken', 'start'].includes(event.kind)
      ? this.#outstanding
      : null
    if (ended) this.#outstanding = null
    if (ended && event.kind === 'accepted') this.#told = ended.status
    for (const { notice } of pushes) {
      assert.equal(this.#outstanding, null, 'one push at a time')
      this.#outstanding = notice
      this.saw(notice.sequence === sequence ? 'same number again' : `${notice.source} pushed`)
    }
    assert.equal(push.isSending, this.#outstanding !== null)
    assert.equal(push.publishedStatus, this.#told)
    const isSilence = component.incident !== null && stage.rules.publishesSilence
    assert.equal(stage.wanted, isSilence ? 'outage' : component.lastReportedStatus)
    const isDue = stage.wanted !== push.publishedStatus || push.isInDoubt
    if (!push.isSending && !push.isInDoubt)
      assert.equal(this.page.shown, push.publishedStatus, 'what the page shows is known, or in doubt')

    const isSilent = this.#now >= this.#silentFrom
    assert.equal(opened.length, Number(event.kind === 'deadline' && isSilent && incident === null))
    for (const { incident } of opened) {
      assert.equal(incident.startedAt, stage.wall - (this.#now - this.#silentFrom), 'dated at the deadline')
      assert.equal(stage.incidents.filter(({ id }) => id === incident.id).length, 1, 'a new id')
      this.saw('opened')
    }
    if (component.incident)
      assert.equal(component.incident.id, stage.incidents.at(-1)?.id, 'a resolved one stays resolved')
    if (resolved.length > 0) this.saw('resolved')

    if (event.kind === 'heartbeat' && isDue && monotonic >= this.#retryFrom)
      assert.ok(push.isSending, 'the next heartbeat tries again')
    const isNews = ended !== null && ended.status !== stage.wanted && isDue && monotonic >= this.#retryFrom
    if (isNews && event.kind !== 'start') assert.ok(push.isSending, 'what waited goes at once')
    const isOver = failure === null || monotonic >= failure.failedAt.monotonic + failure.waitMs
    if (event.kind === 'deadline' && opened.length === 0 && !isOver) assert.equal(pushes.length, 0, 'not yet')
    if (event.kind === 'deadline' && isDue && isOver) assert.ok(push.isSending, 'the timer pushes what is due')
    if (event.kind === 'deadline' && failure && pushes.length > 0) this.saw('repeated by the timer')
    if (monotonic < this.#retryFrom) assert.equal(pushes.length, 0, 'Retry-After is honoured')
    if (push.isSending && stage.wanted !== this.#outstanding?.status) this.saw('newer waits')
  }

  heartbeat(status: Status, instance?: string): void {
    const expected = this.#together(status, instance)
    this.happen(heartbeat(status, { instance }))
    assert.equal(this.stage.component.lastReportedStatus, expected)
    this.#silentFrom = this.#now + timeoutOf(expected)
    this.#aliveAt = this.stage.wall
  }

  /** Of all instances that reported within their timeouts; without an instance, that of the heartbeat. */
  #together(status: Status, instance: string | undefined): Status {
    if (instance === undefined) this.#reports.clear()
    if (instance === undefined) return status
    this.#reports.set(instance, { status, at: this.stage.wall, until: this.#now + timeoutOf(status) })
    for (const [id, { until }] of this.#reports) if (until <= this.#now) this.#reports.delete(id)
    const fresh = [...this.#reports.values()]
    if (new Set(fresh.map((each) => each.status)).size > 1) this.saw('instances differ')
    return combinedStatus(fresh.map((each) => ({ instance: '', status: each.status, reportedAt: 0, deadline: 0 })))
  }

  /** A heartbeat that could not be saved. */
  unsaved(): void {
    const { lastReportedStatus } = this.stage.component
    this.#silentFrom = this.#now + timeoutOf(lastReportedStatus)
    this.#aliveAt = this.stage.wall
    this.happen(unsaved(lastReportedStatus))
    this.saw('unsaved')
  }

  /** Ends the push in flight; sometimes there is none. */
  answer(kind = this.among(['accepted', 'accepted', 'refused', 'answer lost', 'push lost'])): void {
    const notice = this.#outstanding
    if (notice && notice.status !== this.stage.wanted && this.below(3) === 0) {
      this.saw('overtaken')
      return this.happen(overtaken)
    }
    const retryAfterMs = this.among([0, 0, 5_000, 60_000, hour])
    if (notice && (kind === 'accepted' || kind === 'answer lost')) this.page.take(notice)
    if (notice) this.saw(kind)
    const isThrottled = kind === 'refused' && this.below(2) === 0
    if (notice && isThrottled) this.#retryFrom = this.stage.monotonic + Math.min(retryAfterMs, 60_000)
    const refusal = isThrottled ? throttled(retryAfterMs) : failed(retryAfterMs)
    this.happen(kind === 'accepted' ? accepted : kind === 'refused' ? refusal : uncertain)
    const wait = this.stage.push.retry
    if (wait && retryAfterMs === 0) {
      const waits = [0, retryMs[0], retryMs[1], retryMs[2], retryMs[3]]
      const isOfStep = wait.waitMs === waits[Math.min(wait.failures, 4)]
      assert.ok(isOfStep || wait.waitMs <= 1.05 * hour, `waits ${wait.waitMs} ms`)
    }
  }

  /** Suspends the worker; queued events may arrive before it notices. */
  sleep(): void {
    const ms = this.among([30_000, timeoutMs, hour, 5 * hour])
    this.history.push(`asleep ${ms}`)
    this.stage.wait(ms)
    if (this.below(3) === 0) this.answer()
    if (this.below(3) === 0) this.heartbeat(this.among(statuses))
    const graceMs = (status: Status) => Math.min(timeoutOf(status), startGraceMs)
    this.#silentFrom = Math.max(this.#silentFrom, this.#now + graceMs(this.stage.component.lastReportedStatus))
    for (const [id, each] of this.#reports)
      this.#reports.set(id, { ...each, until: Math.max(each.until, this.#now + graceMs(each.status)) })
    this.happen(pause)
    this.saw('slept')
  }

  /** After kill -9. The page may have accepted the push in flight. */
  restart(): void {
    if (this.#outstanding) {
      this.saw('killed while pushing')
      if (this.below(2) === 0) this.page.take(this.#outstanding)
    }
    const { stage } = this
    stage.wall += this.among([0, 1_000, timeoutMs, 9 * hour])
    stage.monotonic = this.below(1_000_000)
    stage.component = JSON.parse(JSON.stringify(stage.component))
    const untilOf = (status: Status, at: number) => {
      const leftMs = timeoutOf(status) - Math.max(0, stage.wall - at)
      return this.#now + Math.max(leftMs, Math.min(timeoutOf(status), startGraceMs))
    }
    this.#silentFrom = untilOf(stage.component.lastReportedStatus, this.#aliveAt)
    // Only those that the worker still keeps: it drops the others at a heartbeat.
    const kept = stage.component.instances.map(({ instance, status, reportedAt: at }) => ({ instance, status, at }))
    this.#reports = new Map(
      kept.map(({ instance, ...each }) => [instance, { ...each, until: untilOf(each.status, each.at) }]),
    )
    this.#retryFrom = 0
    this.happen({ kind: 'start' })
    const wait = stage.push.retry
    if (wait) {
      this.#retryFrom = wait.failedAt.monotonic + wait.heartbeatWaitMs
      assert.ok(this.#retryFrom <= this.#now + 60_000, 'a restart lengthens no wait')
    }
  }

  stepClock(): void {
    this.stage.wall += this.among([-hour, hour])
    this.history.push('clock set')
  }

  /** After two heartbeats with a healthy page everything is up to date. */
  quiet(): void {
    const status = this.among(statuses)
    for (let beat = 0; beat < 2; beat++) {
      this.stage.wait(60_000)
      this.heartbeat(status)
      while (this.#outstanding) this.answer('accepted')
    }
    const { component, push, wanted } = this.stage
    assert.deepEqual([push.publishedStatus, this.page.shown, wanted], [status, status, status])
    assert.deepEqual([push.isSending, push.isInDoubt, component.incident], [false, false, null])
    this.heartbeat(status)
    assert.deepEqual(this.stage.effects, [], 'there is nothing more to say')
    this.saw('quiet')
  }

  step(): void {
    if (this.below(25) === 0) this.#isMute = !this.#isMute
    const chance = this.below(100)
    if (chance < 27) this.wait()
    else if (chance < 30) this.happen(retry)
    else if (chance < 68)
      this.#isMute || chance > 50
        ? this.happen(deadline)
        : this.heartbeat(this.among(statuses), this.among([undefined, 'a', 'b', 'c']))
    else if (chance < 88) this.answer()
    else if (chance < 91) this.sleep()
    else if (chance < 94) this.stepClock()
    else if (chance < 97) this.restart()
    else if (chance < 98) this.quiet()
    else if (this.below(2) === 0) this.unsaved()
    else if (!this.#isMute) this.heartbeat(this.stage.component.lastReportedStatus)
  }
}
