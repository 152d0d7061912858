import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
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
import type { Saver } from './saver.ts'
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

/** The machine at work: events come in, and what comes of them is saved, then told to the page, then logged. */
export function createWorker(deps: WorkerDeps): Worker {
  const { store, saver, publisher, page, timing, clock, log } = deps
  const components = new Map<string, Component>()
  /** By the monotonic clock. */
  const heardAt = new Map<string, number>()
  /** When the page heard of each last. */
  const toldAt = new Map<string, number>()
  let lastSweep = clock.monotonic()
  let isStopped = false
  /** A heartbeat has waited for the page in vain; the next ones do not, until it is in time again. */
  let isPageLate = false

  const now = (): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() })
  const timeoutMs = (status: Status) =>
    status === 'maintenance' ? timing.maintenanceTimeoutMs : timing.heartbeatTimeoutMs
  const everywhere: Rules = { ...deps.rules, timeoutMs, publishes: true, page: '' }
  const nowhere: Rules = { ...everywhere, publishes: false, page: '' }
  const rulesOf = (id: string): Rules => (page?.covers(id) ? { ...everywhere, page: deps.pageName(id) } : nowhere)

  for (const component of deps.known) {
    const { id, lastHeartbeatAt } = component
    heardAt.set(id, clock.monotonic() - Math.max(0, clock.now() - lastHeartbeatAt))
    components.set(id, next(component, { kind: 'start' }, now(), rulesOf(id)).component)
  }

  /** Saved before anything is told: a push that nobody knows of could not be doubted. */
  const apply = (step: Step): { saved: Promise<void>; pushed: Promise<void> | null } => {
    const { component, effects } = step
    const componentId = component.id
    components.set(componentId, component)
    logAll(componentId, effects)
    const saved = saver.save(component, {
      opened: effects.flatMap((effect) =>
        effect.kind === 'opened' ? [{ componentId, incident: effect.incident }] : [],
      ),
      resolved: effects.flatMap((effect) =>
        effect.kind === 'resolved' ? [{ incidentId: effect.incident.id, at: effect.at }] : [],
      ),
      moved: effects.flatMap((effect) => (effect.kind === 'moved' ? [{ componentId, transition: effect }] : [])),
    })
    const push = effects.find((effect) => effect.kind === 'push')
    return { saved, pushed: push ? publish(push.notice, saved) : null }
  }

  const publish = async (notice: Notice, saved: Promise<void>): Promise<void> => {
    const { componentId } = notice
    const isSaved = await saved.then(
      () => true,
      () => false,
    )
    if (isStopped) return
    const sentAt = clock.monotonic()
    // What could not be saved is not told either, and is tried again in a while.
    const outcome: Outcome = isSaved
      ? await publisher.push(notice)
      : { kind: 'failed', reason: 'not saved', retryAfterMs: 0 }
    if (outcome.kind === 'accepted' && clock.monotonic() - sentAt <= timing.pushWaitMs) isPageLate = false
    const before = components.get(componentId)
    if (!before || before.pushed !== notice) return
    toldAt.set(componentId, clock.monotonic())
    if (isSaved) logOutcome(notice, outcome)
    const event: Event =
      outcome.kind === 'failed' ? { kind: 'failed', retryAfterMs: outcome.retryAfterMs } : { kind: outcome.kind }
    const { saved: recorded } = apply(next(before, event, now(), rulesOf(componentId)))
    await recorded.catch(() => {})
  }

  const logAll = (componentId: string, effects: readonly Effect[]) => {
    for (const effect of effects) {
      if (effect.kind === 'opened') log.warn({ componentId, incident: effect.incident.id }, 'a component is silent')
      if (effect.kind === 'resolved') {
        const seconds = Math.round((effect.at - effect.incident.startedAt) / 1000)
        log.info({ componentId, incident: effect.incident.id, seconds }, 'a component is heard again')
      }
      if (effect.kind === 'moved')
        log.info({ componentId, from: effect.from, to: effect.to }, 'a component has changed')
    }
  }

  /** One line when it begins, each minute, and when it is over; not one for each try. */
  const failures = new Map<string, number>()
  const logOutcome = ({ componentId, status }: Notice, outcome: Outcome) => {
    const last = failures.get(componentId)
    if (outcome.kind === 'accepted') {
      if (last !== undefined) log.info({ componentId, status }, 'the status page takes it again')
      failures.delete(componentId)
      return
    }
    if (last !== undefined && clock.monotonic() - last < 60_000) return
    failures.set(componentId, clock.monotonic())
    log.warn({ componentId, status, reason: outcome.reason, outcome: outcome.kind }, 'the status page was not told')
  }

  const sweepOne = (component: Component, pausedMs: number) => {
    const rules = rulesOf(component.id)
    const shifted = pausedMs > 0 ? next(component, { kind: 'pause', ms: pausedMs }, now(), rules).component : component
    if (shifted !== component) components.set(component.id, shifted)
    const step = next(shifted, { kind: 'deadline' }, now(), rules)
    if (step.component !== shifted) apply(step).saved.catch(() => {})
    repeat(step.component)
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

  const sweep = () => {
    const at = clock.monotonic()
    const gap = at - lastSweep
    lastSweep = at
    const pausedMs = gap - timing.checkIntervalMs > leastPauseMs ? gap - timing.checkIntervalMs : 0
    if (pausedMs > 0)
      log.warn({ seconds: Math.round(pausedMs / 1000) }, 'this worker stood still; nobody is blamed for it')
    for (const component of components.values()) {
      try {
        sweepOne(component, pausedMs)
      } catch (error) {
        log.error({ err: error, componentId: component.id }, 'a component could not be looked at')
      }
    }
  }
  const timer = setInterval(sweep, timing.checkIntervalMs).unref()

  const forget = (componentId: string) => {
    components.delete(componentId)
    heardAt.delete(componentId)
    toldAt.delete(componentId)
    failures.delete(componentId)
    saver.forget(componentId)
  }

  const heard = async (before: Component | undefined, step: Step): Promise<void> => {
    const { saved, pushed } = apply(step)
    await saved.catch(() => {
      // What is refused registers nothing.
      if (!before) forget(step.component.id)
      refuse(errors.notSaved)
    })
    if (!pushed || before?.hasFailed || isPageLate) return
    const isInTime = await orAfter(
      pushed.then(() => true),
      timing.pushWaitMs,
      false,
    )
    if (!isInTime) isPageLate = true
  }

  const retiring = new Map<string, Promise<boolean>>()

  const worker: Worker = {
    heartbeat(componentId, status) {
      const leaving = retiring.get(componentId)
      if (leaving) return leaving.catch(() => {}).then(() => worker.heartbeat(componentId, status))
      const before = components.get(componentId)
      if (!before && components.size >= deps.mostComponents) refuse(errors.tooMany)
      const rules = rulesOf(componentId)
      const step = before
        ? next(before, { kind: 'heartbeat', status }, now(), rules)
        : registered(componentId, status, now(), rules)
      heardAt.set(componentId, clock.monotonic())
      if (step.effects.length > 0 || before?.lastReportedStatus !== status) return heard(before, step)
      components.set(componentId, step.component)
      saver.saveSoon(step.component)
      if (saver.isBroken) refuse(errors.notSaved)
      return undefined
    },
    components: () => [...components.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    find: (componentId) => components.get(componentId),
    unpublished: () =>
      [...components.values()].filter((component) => {
        const rules = rulesOf(component.id)
        return rules.publishes && (component.isInDoubt || wantedOf(component, rules) !== component.publishedStatus)
      }).length,
    silentMs: ({ id }) => Math.max(0, clock.monotonic() - (heardAt.get(id) ?? clock.monotonic())),
    async retire(componentId) {
      const component = components.get(componentId)
      if (!component) return false
      const leaving = (async () => {
        components.delete(componentId)
        saver.forget(componentId)
        await saver.flush().catch(() => {})
        try {
          await store.retire(componentId, clock.now())
        } catch {
          const { isInDoubt, isPushing } = component
          const kept = { ...component, isInDoubt: isInDoubt || isPushing, isPushing: false }
          components.set(componentId, kept)
          saver.saveSoon(kept)
          return refuse(errors.notSaved)
        }
        forget(componentId)
        return true
      })().finally(() => retiring.delete(componentId))
      retiring.set(componentId, leaving)
      return leaving
    },
    sweep,
    async stop() {
      clearInterval(timer)
      await publisher.close(farewellMs)
      isStopped = true
      await saver.flush().catch((error) => log.error({ err: error }, 'the last heartbeats were not saved'))
      saver.stop()
    },
  }
  return worker
}
