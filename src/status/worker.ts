import { type Refusal, refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../process/logger.ts'
import {
  type Component,
  type Event,
  isUnpublished,
  type Moment,
  type Notice,
  next,
  type Rules,
  registered,
  type Step,
  wantedOf,
} from './component.ts'
import { errors } from './errors.ts'
import { createPlaces } from './places.ts'
import type { Publisher, Told } from './publisher.ts'
import { createRepeater, repetitionOf } from './repeater.ts'
import { partsOf, type Saver } from './saver.ts'
import { createSayings } from './sayings.ts'
import type { StateStore } from './state-store.ts'
import type { StatusPage } from './status-page.ts'
import type { Status } from './statuses.ts'
import { createTicker } from './ticker.ts'

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
  /** Since it was last heard, by whichever clock has passed more. */
  silentMs(component: Component): number
  retire(componentId: string): Promise<boolean>
  /** Looks how much time has passed, and for silence; done every `tickMs`. */
  tick(): void
  stop(): Promise<void>
}

export interface WorkerDeps {
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
const lastSaveMs = 2_000

/** The machine at work: what comes of an event is saved first; then it has happened, and the page is told. */
export function createWorker(deps: WorkerDeps): Worker {
  const { store, saver, publisher, page, timing, clock, log } = deps
  /** As they are on the disk; of heartbeats that changed nothing, as they will be there soon. */
  const components = new Map<string, Component>()
  /** While something of a component is being saved, whatever else happens to it waits. */
  const mutex = createKeyedMutex()
  const places = createPlaces(deps)
  const { rulesOf } = places
  /** By the monotonic clock. */
  const heardAt = new Map<string, number>()
  const sayings = createSayings(log, clock)
  /** Of one that comes again after it was retired, no push has a number that it had before. */
  let { retiredSequence } = store
  let isStopped = false
  /** It did not take a push, or not in time: heartbeats do not wait for it, until it does. */
  let isPageTroubled = false

  const now = (): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() })
  /** The monotonic clock stands still while the machine is suspended; the wall clock may be set back. */
  const silentMs = ({ id, lastHeartbeatAt }: Component) =>
    Math.max(clock.now() - lastHeartbeatAt, clock.monotonic() - (heardAt.get(id) ?? clock.monotonic()))

  /** Where nothing follows that would have to be saved. */
  const happen = (component: Component, event: Event) =>
    components.set(component.id, next(component, event, now(), rulesOf(component.id)).component)

  for (const component of deps.known) {
    const { id, lastHeartbeatAt } = component
    heardAt.set(id, clock.monotonic() - Math.max(0, clock.now() - lastHeartbeatAt))
    happen(component, { kind: 'start' })
  }

  /** Rejects where it could not be saved; then nothing has happened. Answers with what is to be told now. */
  const apply = async ({ component, effects }: Step): Promise<Notice | null> => {
    await saver.save(component, partsOf(component.id, effects))
    components.set(component.id, component)
    sayings.happened(component.id, effects)
    return effects.find((effect) => effect.kind === 'push')?.notice ?? null
  }

  /** The same for what has become of a push, which holds saved or not: only what was to follow is left out then. */
  const settle = async (step: Step): Promise<Notice | null> => {
    try {
      return await apply(step)
    } catch {
      const { id } = step.component
      const { component } = next(step.component, { kind: 'failed', retryAfterMs: 0 }, now(), rulesOf(id))
      components.set(id, component)
      saver.saveSoon(component)
      return null
    }
  }

  const tell = async (notice: Notice): Promise<void> => {
    const { componentId } = notice
    const askedAt = clock.monotonic()
    const told = await publisher.push(componentId, () => mutex.run(componentId, () => newest(notice)))
    if (told === null) return
    if (told.outcome.kind !== 'accepted') isPageTroubled = true
    else if (clock.monotonic() - askedAt <= timing.pushWaitMs) isPageTroubled = false
    await mutex.run(componentId, () => note(told))
  }

  /** It has waited for its turn: what is over is not told any more. */
  const newest = async (notice: Notice): Promise<Notice | null> => {
    const { componentId } = notice
    const before = components.get(componentId)
    if (isStopped || before?.pushed !== notice) return null
    const own = rulesOf(componentId)
    return wantedOf(before, own) === notice.status ? notice : settle(next(before, { kind: 'overtaken' }, now(), own))
  }

  const note = async ({ notice, outcome }: Told): Promise<void> => {
    const { componentId } = notice
    const before = components.get(componentId)
    // It has been retired meanwhile.
    if (before?.pushed !== notice) return
    if (outcome.kind === 'accepted') repeater?.heard(componentId)
    sayings.told(notice, outcome)
    const event: Event =
      outcome.kind === 'failed' ? { kind: 'failed', retryAfterMs: outcome.retryAfterMs } : { kind: outcome.kind }
    const following = await settle(next(before, event, now(), rulesOf(componentId)))
    if (following) void tell(following)
  }

  const shown = (componentId: string): Notice | null => {
    const component = components.get(componentId)
    return component ? repetitionOf(component, now(), rulesOf(componentId)) : null
  }

  const everyMs = page?.repeatEveryMs ?? null
  const onTold = ({ notice, outcome }: Told) => {
    if (components.has(notice.componentId)) sayings.told(notice, outcome)
  }
  const repeater = everyMs === null ? null : createRepeater({ publisher, clock, everyMs, noticeOf: shown, onTold })

  const look = async (componentId: string) => {
    const component = components.get(componentId)
    if (!component) return
    const step = next(component, { kind: 'deadline' }, now(), rulesOf(componentId))
    if (step.component === component) return
    // What cannot be saved has not happened, and is found again by the next look.
    const notice = await apply(step).catch(() => null)
    if (notice) void tell(notice)
  }

  /** Who was due before it is due still. */
  const pause = async (componentId: string, since: number, ms: number) => {
    const component = components.get(componentId)
    if (component && component.deadline > since) happen(component, { kind: 'pause', ms })
  }

  const everywhere = (act: (componentId: string) => Promise<void>) => {
    // Whose silence began first is found first.
    for (const { id } of [...components.values()].sort((a, b) => a.deadline - b.deadline))
      mutex
        .run(id, () => act(id))
        .catch((error) => log.error({ err: error, componentId: id }, 'a component could not be looked at'))
  }

  const watch = createTicker({
    clock,
    log,
    checkIntervalMs: timing.checkIntervalMs,
    onPause: (since, ms) => everywhere((id) => pause(id, since, ms)),
    onCheck() {
      // What has come by now is heard first.
      setImmediate(everywhere, look)
    },
  })

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

  /** It is a sign of life all the same: nobody is accused for what this worker cannot save. */
  const refuseUnsaved = (componentId: string, status: Status, refusal: Refusal = errors.notSaved): never => {
    const component = components.get(componentId)
    if (component) happen(component, { kind: 'unsaved', status })
    return refuse(refusal)
  }

  /** Answers with the telling that is worth waiting for. */
  const change = async (componentId: string, status: Status): Promise<{ told: Promise<void> | null }> => {
    const before = components.get(componentId)
    if (isTaken(before, status)) return { told: null }
    if (!before && places.size >= deps.mostComponents) refuse(errors.tooMany)
    const own = rulesOf(componentId)
    const at = now()
    const step = before
      ? next(before, { kind: 'heartbeat', status }, at, own)
      : registered(componentId, status, at, own, retiredSequence)
    const notice = await apply(step).catch(() => {
      if (!before) places.delete(componentId)
      return refuseUnsaved(componentId, status)
    })
    heardAt.set(componentId, at.monotonic)
    const told = notice && tell(notice)
    return { told: before?.hasFailed || isPageTroubled ? null : told }
  }

  const heard = async (componentId: string, status: Status): Promise<void> => {
    const { failures } = saver
    const { told } = await mutex.run(componentId, () => {
      // It has waited for a save that failed, and waits for no other.
      if (saver.failures !== failures) refuseUnsaved(componentId, status)
      return change(componentId, status)
    })
    if (!told) return
    const isInTime = await withTimeout(
      told.then(() => true),
      timing.pushWaitMs,
      () => false,
    )
    if (!isInTime) isPageTroubled = true
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
    for (const each of [places, heardAt]) each.delete(componentId)
    for (const each of [repeater, sayings]) each?.forget(componentId)
    return true
  }

  return {
    heartbeat(componentId, status) {
      if (!store.isOurs()) refuseUnsaved(componentId, status, errors.standingBy)
      const isDone = !mutex.isLocked(componentId) && isTaken(components.get(componentId), status)
      return isDone ? undefined : heard(componentId, status)
    },
    components: () => [...components.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    find: (componentId) => components.get(componentId),
    unpublished: () => [...components.values()].filter((each) => isUnpublished(each, rulesOf(each.id))).length,
    silentMs,
    retire: (componentId) => mutex.run(componentId, () => leave(componentId)),
    tick() {
      watch()
      if (store.isOurs()) repeater?.look(components.keys())
    },
    async stop() {
      await publisher.close(farewellMs)
      isStopped = true
      const last = saver.flush().catch((error) => log.error({ err: error }, 'the last heartbeats were not saved'))
      await withTimeout(last, lastSaveMs, () => {})
      saver.stop()
    },
  }
}
