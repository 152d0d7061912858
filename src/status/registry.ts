import { type Refusal, refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import {
  type Component,
  type Event,
  isUnpublished,
  type Moment,
  next,
  type Push,
  publicationOf,
  type Rules,
  registered,
  type Step,
} from './component.ts'
import type { ComponentLog } from './component-log.ts'
import { errors } from './errors.ts'
import type { Calendar } from './maintenance.ts'
import type { PushEnd, Target } from './publication.ts'
import { partsOf, type Saver } from './saver.ts'
import type { Heartbeat, TimeoutRules } from './schedule.ts'
import type { StateStore } from './state-store.ts'
import type { Status } from './statuses.ts'
import type { Uptime } from './uptime.ts'

export interface RegistryDeps {
  readonly store: StateStore
  readonly known: readonly Component[]
  readonly saver: Saver
  readonly rules: Omit<Rules, 'targets' | 'timeouts'>
  timeoutsOf(componentId: string): TimeoutRules
  /** Those that have the component. */
  targetsOf(componentId: string): readonly Target[]
  readonly maxComponents: number
  readonly clock: Clock
}

/** The components that this worker knows: a change is saved first, and then takes effect. */
export type Registry = ReturnType<typeof createRegistry>

export function createRegistry(
  deps: RegistryDeps,
  log: ComponentLog,
  uptime: Pick<Uptime, 'observe' | 'forget'>,
  calendar: Pick<Calendar, 'activeId'>,
  onDropped: (id: string) => void,
) {
  const { store, saver, clock } = deps
  /** As saved; heartbeats that changed nothing are saved soon. */
  const components = new Map<string, Component>()
  /** Also of components whose first heartbeat is being saved. */
  const rules = new Map<string, Rules>()
  /** On the monotonic clock. */
  const heardAt = new Map<string, number>()
  const mutex = createKeyedMutex()
  let { retiredSequence } = store

  const now = (): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() })
  const rulesOf = (id: string): Rules => {
    const own = rules.get(id) ?? { ...deps.rules, timeouts: deps.timeoutsOf(id), targets: deps.targetsOf(id) }
    rules.set(id, own)
    return own
  }
  const stepOf = (component: Component, event: Event) => next(component, event, now(), rulesOf(component.id))
  const apply = (component: Component, event: Event) => {
    components.set(component.id, stepOf(component, event).component)
  }
  const commit = async ({ component, effects }: Step): Promise<readonly Push[]> => {
    await saver.save(component, partsOf(component.id, effects))
    components.set(component.id, component)
    uptime.observe(component)
    log.changed(component.id, effects)
    return effects.filter((effect) => effect.kind === 'push')
  }

  /** The deadline is extended nevertheless: no component is reported silent because the worker cannot save. */
  const refuseUnsaved = (id: string, heartbeat: Heartbeat, refusal: Refusal = errors.notSaved): never => {
    const component = components.get(id)
    if (component) apply(component, { ...heartbeat, kind: 'unsaved' })
    return refuse(refusal)
  }

  const drop = async (component: Component): Promise<void> => {
    const { id } = component
    // A write of it that is under way must not come after its deletion.
    await saver.flush().catch(() => {})
    saver.forget(id)
    await uptime.forget(id)
    const sequence = Math.max(0, ...component.publications.map((each) => each.sequence))
    try {
      await store.retire(id, clock.now(), sequence)
    } catch {
      saver.saveSoon(component)
      uptime.observe(component)
      refuse(errors.notSaved)
    }
    retiredSequence = Math.max(retiredSequence, sequence)
    for (const each of [components, rules, heardAt]) each.delete(id)
    onDropped(id)
  }
  /** If it cannot be deleted now, the next check of deadlines finds it again. */
  const dropIfTold = async (id: string): Promise<void> => {
    const component = components.get(id)
    if (!component || component.retiredAs === null || isUnpublished(component, rulesOf(id))) return
    await drop(component).catch(() => {})
  }

  for (const component of deps.known) {
    const { id, lastHeartbeatAt } = component
    heardAt.set(id, clock.monotonic() - Math.max(0, clock.now() - lastHeartbeatAt))
    apply(component, { kind: 'start' })
    uptime.observe(component)
  }

  return {
    now,
    rulesOf,
    find: (id: string): Component | undefined => components.get(id),
    all: (): Iterable<Component> => components.values(),
    /** Runs one act at a time for each component. */
    exclusive: mutex.run,
    isLocked: mutex.isLocked,
    /** Takes effect at once: nothing follows from the event that has to be saved. */
    apply,
    /** Rejects if the change could not be saved; then nothing has changed. Resolves with the pushes that are due. */
    async change(component: Component, event: Event): Promise<readonly Push[]> {
      const step = stepOf(component, event)
      const pushes = step.component === component ? [] : await commit(step)
      await dropIfTold(component.id)
      return pushes
    },
    async heartbeat(id: string, heartbeat: Heartbeat): Promise<readonly Push[]> {
      const before = components.get(id)
      if (!before && rules.size >= deps.maxComponents) refuse(errors.tooMany)
      const [at, own] = [now(), rulesOf(id)]
      const step = before
        ? next(before, { ...heartbeat, kind: 'heartbeat' }, at, own)
        : registered(id, heartbeat, at, own, { sequence: retiredSequence, maintenanceId: calendar.activeId(id) })
      try {
        const pushes = await commit(step)
        heardAt.set(id, at.monotonic)
        return pushes
      } catch {
        if (!before) rules.delete(id)
        return refuseUnsaved(id, heartbeat)
      }
    },
    refuseUnsaved,
    /** The outcome of a push takes effect even if it cannot be saved; only the next push is dropped then. */
    async endPush({ target, notice }: Push, end: PushEnd): Promise<readonly Push[]> {
      const before = components.get(notice.componentId)
      const push = before && publicationOf(before, target)?.push
      if (!before || push?.kind !== 'sending' || push.notice !== notice) return []
      const step = stepOf(before, { ...end, target })
      try {
        const pushes = await commit(step)
        await dropIfTold(before.id)
        return pushes
      } catch {
        apply(step.component, { kind: 'failed', target, retryAfterMs: 0 })
        saver.saveSoon(components.get(before.id) as Component)
        return []
      }
    },
    /** A heartbeat that changes nothing but the deadline needs no waiting; false if it changes more. */
    repeatHeartbeat(id: string, heartbeat: Heartbeat): boolean {
      const before = components.get(id)
      if (!before || lastStatusBy(before, heartbeat) !== heartbeat.status || saver.isBroken) return false
      const { component, effects } = stepOf(before, { ...heartbeat, kind: 'heartbeat' })
      if (effects.length > 0 || component.schedule !== before.schedule) return false
      heardAt.set(id, clock.monotonic())
      components.set(id, component)
      saver.saveSoon(component)
      return true
    },
    /** By the clock that advanced more: the monotonic one stops with the machine, the wall clock may be set back. */
    silentMs: ({ id, lastHeartbeatAt }: Component): number =>
      Math.max(clock.now() - lastHeartbeatAt, clock.monotonic() - (heardAt.get(id) ?? clock.monotonic())),
    /** Resolves with the pushes that tell its pages `publish`; it is deleted once they are accepted, or at once if there are none. */
    async retire(id: string, publish: Status | null): Promise<readonly Push[]> {
      const component = components.get(id)
      if (!component) return []
      if (publish !== null) {
        const step = stepOf(component, { kind: 'retire', status: publish })
        if (isUnpublished(step.component, rulesOf(id))) return commit(step).catch(() => refuse(errors.notSaved))
      }
      await drop(component)
      return []
    },
  }
}

/** What the sender of the heartbeat reported before. */
const lastStatusBy = ({ instances, lastReportedStatus }: Component, { instance }: Heartbeat) =>
  instance === undefined ? lastReportedStatus : instances.find((each) => each.instance === instance)?.status
