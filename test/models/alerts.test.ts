import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Component, type Event, next, type Rules, registered, type Step } from '../../src/status/component.ts'
import { isInDoubt, type Notice } from '../../src/status/publication.ts'
import { isDown, type Status } from '../../src/status/statuses.ts'
import { publicationOf, wantedAt } from '../../src/status/wanted.ts'
import { isFullSize } from '../support/size.ts'
import { exploreStates, type Rule, Violated } from './explore.ts'

/*
 * The outbox of the status worker: the real rules of a component, a target that refuses, a network that loses requests
 * and responses or delivers a request late, a worker that is killed between any two steps and starts again.
 */

/** Half a million states, on a busy machine. */
const timeout = 300_000
const hourMs = 3_600_000

type Bug = 'sends before it saves' | null

interface Left {
  readonly changes: number
  readonly faults: number
  readonly kills: number
  readonly hours: number
}

interface State {
  readonly at: number
  /** Null while the worker is not running. */
  readonly memory: Component | null
  readonly saved: Component
  /** To be sent by the worker, at its next step. */
  readonly queued: Notice | null
  readonly sent: Notice | null
  /** A request whose worker was killed, or waits for its response no longer. */
  readonly late: Notice | null
  /** What has arrived, in this order. */
  readonly told: readonly Notice[]
  /** When outages began of which the worker has sent something. */
  readonly tried: readonly number[]
  readonly left: Left
}

interface Setup {
  readonly isAlert: boolean
  readonly bug?: Bug
  readonly left: Left
}

const name = 'target'

function rule({ isAlert, bug = null, left }: Setup): Rule<State> {
  const target = { name, page: 'page', isAlert }
  const rules: Rules = {
    timeouts: { timeoutMs: 1000 * hourMs, maintenanceTimeoutMs: 1000 * hourMs, configured: null },
    targets: [target],
    publishesSilence: true,
    startGraceMs: 0,
    newId: () => 'id',
  }
  const momentOf = ({ at }: State) => ({ wall: at, monotonic: at })

  /** Saved before anything is sent. */
  const after = (state: State, { component, effects }: Step, isSaved = true): State => {
    const pushes = effects.filter((effect) => effect.kind === 'push')
    const queued = pushes.at(-1)?.notice ?? state.queued
    return { ...state, memory: component, saved: isSaved ? component : state.saved, queued }
  }
  const happen = (state: State, event: Event, isSaved = true): State =>
    after(state, next(state.memory as Component, event, momentOf(state), rules), isSaved)

  const send = (state: State): State => {
    const notice = state.queued as Notice
    const free = { ...state, queued: null }
    if (wantedAt(target, state.memory as Component, rules)?.status !== notice.status)
      return happen(free, { kind: 'overtaken', target: name })
    const tried = isDown(notice.status) ? [...new Set([...state.tried, notice.reportedAt])] : state.tried
    return { ...free, sent: notice, tried }
  }
  const arrive = (state: State, notice: Notice): State => ({ ...state, told: [...state.told, notice] })
  const ended = (state: State, kind: 'accepted' | 'failed' | 'uncertain'): State => {
    const end: Event =
      kind === 'accepted'
        ? { kind, target: name }
        : ({ kind, target: name, jitter: 0, ...(kind === 'failed' && { retryAfterMs: 0 }) } as Event)
    return happen({ ...state, sent: null }, end)
  }
  const started = (state: State): State => happen({ ...state, memory: state.saved }, { kind: 'start' })
  const anHourLater = (state: State): State => {
    const later = { ...state, at: state.at + hourMs }
    return later.memory === null ? later : happen(later, { kind: 'deadline' })
  }

  function* steps(state: State): Iterable<readonly [string, State]> {
    const { memory, queued, sent, late, left } = state
    const spent = (what: keyof Left, from = state): State => ({ ...from, left: { ...left, [what]: left[what] - 1 } })
    if (memory === null) {
      yield ['the worker starts', started(state)]
    } else {
      if (left.changes > 0)
        for (const status of ['operational', 'outage'] as const)
          if (status !== memory.lastReportedStatus)
            yield [
              `a heartbeat: ${status}`,
              happen(spent('changes', { ...state, at: state.at + 1 }), { kind: 'heartbeat', status }, bug === null),
            ]
      if (queued !== null && sent === null) yield ['the worker sends', send(state)]
      if (sent !== null) {
        yield ['it arrives', ended(arrive(state, sent), 'accepted')]
        if (left.faults > 0) {
          yield ['it is refused', ended(spent('faults'), 'failed')]
          yield ['it is lost', ended(spent('faults'), 'uncertain')]
          yield ['it arrives, its response is lost', ended(spent('faults', arrive(state, sent)), 'uncertain')]
          if (late === null) yield ['it is delayed', ended(spent('faults', { ...state, late: sent }), 'uncertain')]
        }
      }
      if (left.kills > 0) {
        const killed = spent('kills', { ...state, memory: null, queued: null, sent: null })
        if (sent === null) yield ['kill -9', killed]
        else {
          yield ['kill -9, the request is lost', killed]
          yield ['kill -9, the request has arrived', arrive(killed, sent)]
          if (late === null) yield ['kill -9, the request arrives later', { ...killed, late: sent }]
        }
      }
    }
    if (late !== null) yield ['the late request arrives', arrive({ ...state, late: null }, late)]
    // No request is under way for an hour.
    else if (left.hours > 0 && sent === null) yield ['an hour passes', anHourLater(spent('hours'))]
  }

  /** Without any further fault. */
  const settled = (from: State): State => {
    let state = from
    if (state.late !== null) state = arrive({ ...state, late: null }, state.late)
    if (state.memory === null) state = started(state)
    for (let round = 0; round < 4; round += 1) {
      while (state.sent !== null || state.queued !== null)
        state = state.sent === null ? send(state) : ended(arrive(state, state.sent), 'accepted')
      state = anHourLater(state)
    }
    return state
  }

  const brokenIn = ({ told }: State): string | null => {
    for (const one of told)
      for (const other of told)
        if (one.sequence === other.sequence && (one.status !== other.status || one.reportedAt !== other.reportedAt))
          return `number ${one.sequence} stands for two notices`
    return null
  }
  const brokenAtTheEnd = (state: State): string | null => {
    const { told, tried, memory } = settled(state)
    const component = memory as Component
    const wanted = wantedAt(target, component, rules)?.status
    // Of a chat, a message that arrives late is history: it has the time of what it tells.
    const inOrder = isAlert ? told.toSorted((one, other) => one.sequence - other.sequence) : told
    const last: Status | undefined = inOrder.at(-1)?.status ?? (isAlert ? 'operational' : undefined)
    if (last !== wanted) return `the target is told ${last}, and the status is ${wanted}`
    const publication = publicationOf(component, name)
    if (publication === undefined || publication.push.kind !== 'idle' || isInDoubt(publication))
      return 'something is left to push'
    const untold = tried.find((at) => !told.some((each) => tells(each, at)))
    if (isAlert && untold !== undefined) return `an outage since ${untold} was never told`
    return null
  }
  const first = registered('api', { status: 'operational' }, { wall: 0, monotonic: 0 }, rules)
  const empty: Omit<State, 'memory' | 'saved'> = {
    at: 0,
    queued: null,
    sent: null,
    late: null,
    told: [],
    tried: [],
    left,
  }
  return {
    initial: after({ ...empty, memory: null, saved: first.component }, first),
    next: steps,
    broken: (state) => brokenIn(state) ?? brokenAtTheEnd(state),
  }
}

/** The outage itself, its end, or a newer one: the newest wins. */
const tells = ({ status, reportedAt, downSince }: Notice, downAt: number) =>
  (isDown(status) ? reportedAt : (downSince ?? -1)) >= downAt

describe('The outbox of a component', () => {
  const left = isFullSize
    ? { changes: 3, faults: 2, kills: 1, hours: 2 }
    : { changes: 2, faults: 2, kills: 1, hours: 1 }
  for (const isAlert of [false, true])
    it(`${isAlert ? 'tells an alert channel of an outage, or of a newer one' : 'ends with a page that shows the status'}, whatever is lost, late or killed`, {
      timeout,
    }, async (t) => {
      t.diagnostic(`${await exploreStates(rule({ isAlert, left }))} states`)
    })

  it('does not, if a heartbeat is told before it is saved', async () => {
    await assert.rejects(exploreStates(rule({ isAlert: false, left, bug: 'sends before it saves' })), Violated)
  })
})
