import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { oneAfterAnother } from '../lib/one-after-another.ts'
import { orAfter } from '../lib/or-after.ts'
import {
  type Component,
  type Effect,
  type Event,
  type Moment,
  type Notice,
  next,
  type Rules,
  registered,
  type Step,
  wantedOf,
} from './component.ts'
import { errors } from './errors.ts'
import type { Publisher } from './publisher.ts'
import type { Parts, Saver } from './saver.ts'
import { createSayings } from './sayings.ts'
import type { StateStore } from './state-store.ts'
import type { Outcome, StatusPage } from './status-page.ts'
import type { Status } from './statuses.ts'

export interface Timing {
  readonly heartbeatTimeoutMs: number
  readonly maintenanceTimeoutMs: number
  readonly checkIntervalMs: number
  /** How long a heartbeat waits for what it has had pushed. */
  readonly pushWaitMs: number
}

export interface Worker {
  /** Resolves when what it changed is on the disk, and the page has been told or is being told. */
  heartbeat(componentId: string, status: Status): Promise<void> | undefined
  components(): Component[]
  find(componentId: string): Component | undefined
  /** Of which the page does not show what it should, as far as is known. */
  unpublished(): number
  /** Since it was last heard. */
  silentMs(component: Component): number
  retire(componentId: string): Promise<boolean>
  /** Looks for silence; done every so often. */
  sweep(): void
  stop(): Promise<void>
}

interface WorkerDeps {
  readonly store: StateStore
  readonly known: readonly Component[]
  readonly saver: Saver
  readonly publisher: Publisher
  readonly page: StatusPage | null
  readonly rules: Omit<Rules, 'publishes' | 'page' | 'timeoutMs'>
  /** Of what the page shows of a component; it changes when that does. */
  pageName(componentId: string): string
  readonly timing: Timing
  readonly mostComponents: number
  readonly clock: Clock
  readonly log: Logger
}

const farewellMs = 1_000
/** A gap between two looks that long is ours, and nobody else's silence. */
const leastPauseMs = 1_000

/** The machine at work: what comes of an event is saved first; then it has happened, and the page is told. */
export function createWorker(deps: WorkerDeps): Worker {
  const { store, saver, publisher, page, timing, clock, log } = deps
  /** As they are on the disk; of heartbeats that changed nothing, as they will be there soon. */
  const components = new Map<string, Component>()
  /** While something of a component is being saved, whatever else happens to it waits. */
  const inTurn = oneAfterAnother()
  /** Of those that are known, or about to be. */
  const rules = new Map<string, Rules>()
  /** By the monotonic clock. */
  const heardAt = new Map<string, number>()
  /** When the page heard of each last. */
  const toldAt = new Map<string, number>()
  const sayings = createSayings(log, clock)
  let lastSweep = clock.monotonic()
  /** Of one that comes again after it was retired, no push has a number that it had before. */
  let { retiredSequence } = store
  let isStopped = false
  /** A heartbeat has waited for the page in vain; the next ones do not, until it is in time again. */
  let isPageLate = false

  const now = (): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() })
  const timeoutMs = (status: Status) =>
    status === 'maintenance' ? timing.maintenanceTimeoutMs : timing.heartbeatTimeoutMs
  const rulesOf = (id: string): Rules => {
    const publishes = page?.covers(id) === true
    const made = rules.get(id) ?? { ...deps.rules, timeoutMs, publishes, page: publishes ? deps.pageName(id) : '' }
    rules.set(id, made)
    return made
  }

  for (const component of deps.known) {
    const { id, lastHeartbeatAt } = component
    heardAt.set(id, clock.monotonic() - Math.max(0, clock.now() - lastHeartbeatAt))
    components.set(id, next(component, { kind: 'start' }, now(), rulesOf(id)).component)
  }

  /** Rejects where it could not be saved; then nothing has happened. Told: the page has been, whatever came of it. */
  const commit = async ({ component, effects }: Step): Promise<{ told: Promise<void> | null }> => {
    await saver.save(component, partsOf(component.id, effects))
    components.set(component.id, component)
    sayings.happened(component.id, effects)
    const push = effects.find((effect) => effect.kind === 'push')
    return { told: push && !isStopped ? tell(push.notice) : null }
  }

  const tell = async (notice: Notice): Promise<void> => {
    const sentAt = clock.monotonic()
    const outcome = await publisher.push(notice)
    if (outcome.kind === 'accepted' && clock.monotonic() - sentAt <= timing.pushWaitMs) isPageLate = false
    await inTurn(notice.componentId, () => note(notice, outcome))
  }

  const note = async (notice: Notice, outcome: Outcome): Promise<void> => {
    const { componentId } = notice
    const before = components.get(componentId)
    // It has been retired meanwhile.
    if (before?.pushed !== notice) return
    toldAt.set(componentId, clock.monotonic())
    sayings.told(notice, outcome)
    const event: Event =
      outcome.kind === 'failed' ? { kind: 'failed', retryAfterMs: outcome.retryAfterMs } : { kind: outcome.kind }
    const step = next(before, event, now(), rulesOf(componentId))
    try {
      await commit(step)
    } catch {
      // What the page said holds all the same; what was to follow has not been sent, and is left to the next heartbeat.
      const unsent: Event = { kind: 'failed', retryAfterMs: 0 }
      const { component } = next(step.component, unsent, now(), rulesOf(componentId))
      components.set(componentId, component)
      saver.saveSoon(component)
    }
  }

  /** Of a component that still is one. A silence that was found before the pause is one, saved or not. */
  const look = async (componentId: string, { lookedAt, pausedMs }: { lookedAt: number; pausedMs: number }) => {
    const before = components.get(componentId)
    if (!before) return
    const own = rulesOf(componentId)
    const isPaused = pausedMs > 0 && before.deadline > lookedAt
    const component = isPaused ? next(before, { kind: 'pause', ms: pausedMs }, now(), own).component : before
    components.set(componentId, component)
    const step = next(component, { kind: 'deadline' }, now(), own)
    // What cannot be saved has not happened, and is found again by the next look.
    if (step.component !== component) await commit(step).catch(() => {})
    repeat(components.get(componentId) ?? component)
  }

  /** A page that takes silence for an outage hears what is published, as long as there is somebody behind it. */
  const repeat = ({ id, publishedStatus, incident, isPushing, lastHeartbeatAt, sequence, deadline }: Component) => {
    if (!page || page.repeatEveryMs === null || publishedStatus === null || incident || isPushing) return
    const at = clock.monotonic()
    if (at >= deadline || at - (toldAt.get(id) ?? -Infinity) < page.repeatEveryMs) return
    toldAt.set(id, at)
    publisher.repeat({
      componentId: id,
      status: publishedStatus,
      previousStatus: publishedStatus,
      source: 'heartbeat',
      reportedAt: lastHeartbeatAt,
      incidentId: null,
      sequence,
    })
  }

  /** How long nobody could have been heard since the last look: we stood still, or could save nothing. */
  const pauseIn = (gap: number): number => {
    if (saver.isBroken) return gap
    const pausedMs = gap - timing.checkIntervalMs
    if (pausedMs <= leastPauseMs) return 0
    log.warn({ seconds: Math.round(pausedMs / 1000) }, 'this worker stood still; nobody is blamed for it')
    return pausedMs
  }

  const sweep = () => {
    const lookedAt = lastSweep
    lastSweep = clock.monotonic()
    const pausedMs = pauseIn(lastSweep - lookedAt)
    const [first] = components.values()
    // Nobody would see that it works again, if nothing were tried.
    if (saver.isBroken && first) saver.saveSoon(first)
    for (const id of components.keys())
      inTurn(id, () => look(id, { lookedAt, pausedMs })).catch((error) =>
        log.error({ err: error, componentId: id }, 'a component could not be looked at'),
      )
  }
  const timer = setInterval(sweep, timing.checkIntervalMs).unref()

  /** True where it changed nothing, so that nobody has to wait. */
  const isTaken = (before: Component | undefined, status: Status): boolean => {
    if (before?.lastReportedStatus !== status || saver.isBroken) return false
    const { component, effects } = next(before, { kind: 'heartbeat', status }, now(), rulesOf(before.id))
    if (effects.length > 0) return false
    heardAt.set(component.id, clock.monotonic())
    components.set(component.id, component)
    saver.saveSoon(component)
    return true
  }

  const change = async (componentId: string, status: Status): Promise<{ told: Promise<void> | null }> => {
    const before = components.get(componentId)
    if (isTaken(before, status)) return { told: null }
    if (!before && rules.size >= deps.mostComponents) refuse(errors.tooMany)
    const own = rulesOf(componentId)
    const at = now()
    const step = before
      ? next(before, { kind: 'heartbeat', status }, at, own)
      : registered(componentId, status, at, own, retiredSequence)
    const { told } = await commit(step).catch(() => {
      if (!before) rules.delete(componentId)
      return refuse(errors.notSaved)
    })
    heardAt.set(componentId, at.monotonic)
    return { told: before?.hasFailed || isPageLate ? null : told }
  }

  const heard = async (componentId: string, status: Status): Promise<void> => {
    const { told } = await inTurn(componentId, () => change(componentId, status))
    if (!told) return
    const isInTime = await orAfter(
      told.then(() => true),
      timing.pushWaitMs,
      false,
    )
    if (!isInTime) isPageLate = true
  }

  const leave = async (componentId: string): Promise<boolean> => {
    const component = components.get(componentId)
    if (!component) return false
    // What is being written of it must not come after.
    await saver.flush().catch(() => {})
    saver.forget(componentId)
    try {
      await store.retire(componentId, clock.now(), component.sequence)
    } catch {
      saver.saveSoon(component)
      return refuse(errors.notSaved)
    }
    retiredSequence = Math.max(retiredSequence, component.sequence)
    components.delete(componentId)
    for (const each of [rules, heardAt, toldAt]) each.delete(componentId)
    sayings.forget(componentId)
    return true
  }

  return {
    heartbeat: (componentId, status) =>
      !inTurn.isBusy(componentId) && isTaken(components.get(componentId), status)
        ? undefined
        : heard(componentId, status),
    components: () => [...components.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    find: (componentId) => components.get(componentId),
    unpublished: () =>
      [...components.values()].filter((component) => {
        const own = rulesOf(component.id)
        return own.publishes && (component.isInDoubt || wantedOf(component, own) !== component.publishedStatus)
      }).length,
    silentMs: ({ id }) => Math.max(0, clock.monotonic() - (heardAt.get(id) ?? clock.monotonic())),
    retire: (componentId) => inTurn(componentId, () => leave(componentId)),
    sweep,
    async stop() {
      clearInterval(timer)
      await publisher.close(farewellMs)
      isStopped = true
      await saver.flush().catch((error) => log.error({ err: error }, 'the last heartbeats were not saved'))
      saver.stop()
    },
  }
}

const partsOf = (componentId: string, effects: readonly Effect[]): Parts => ({
  opened: effects.flatMap((effect) => (effect.kind === 'opened' ? [{ componentId, incident: effect.incident }] : [])),
  resolved: effects.flatMap((effect) =>
    effect.kind === 'resolved' ? [{ incidentId: effect.incident.id, at: effect.at }] : [],
  ),
  moved: effects.flatMap((effect) => (effect.kind === 'moved' ? [{ componentId, transition: effect }] : [])),
})
