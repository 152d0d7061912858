import { type Refusal, refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { type ChangeRecord, details, difference, recordOf, type Sent } from './audit.ts'
import { type Component, type Event, next, type Push, type Rules, registered, type Step } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import { createComponentTable } from './component-table.ts'
import { errors } from './errors.ts'
import type { Calendar } from './maintenance.ts'
import type { PushEnd, Target } from './publication.ts'
import type { RunStart } from './runs.ts'
import type { Saver } from './saver.ts'
import type { Heartbeat, ScheduleTerms, TimeoutRules } from './schedule.ts'
import type { StateStore } from './state-store.ts'
import type { Status } from './statuses.ts'
import type { Uptime } from './uptime.ts'
import { isUnpublished, publicationOf } from './wanted.ts'

export interface RegistryDeps {
  readonly store: StateStore
  readonly known: readonly Component[]
  readonly saver: Saver
  readonly rules: Omit<Rules, 'targets' | 'timeouts'>
  timeoutsOf(componentId: string): TimeoutRules
  /** The targets that have the component. */
  targetsOf(componentId: string): readonly Target[]
  readonly maxComponents: number
  readonly clock: Clock
}

/** The components that this worker knows. A change is saved first, then takes effect. */
export type Registry = ReturnType<typeof createRegistry>

export function createRegistry(
  deps: RegistryDeps,
  log: ComponentLog,
  uptime: Pick<Uptime, 'observe' | 'forget'>,
  calendar: Pick<Calendar, 'activeId'>,
  onDropped: (id: string) => void,
) {
  const { store, saver, clock } = deps
  const table = createComponentTable(deps, log, uptime)
  const { now, rulesOf, find, stepOf, apply, commit } = table
  const mutex = createKeyedMutex()
  let { retiredSequence } = store

  /** Extends the deadline nevertheless: no component is reported silent because the worker cannot save. */
  const refuseUnsaved = (id: string, heartbeat: Heartbeat, refusal: Refusal = errors.notSaved): never => {
    const component = find(id)
    if (component) saver.saveSoon(apply(component, { ...heartbeat, kind: 'unsaved' }))
    return refuse(refusal)
  }

  /** The event of a known component; the first heartbeat of another one. */
  const report = async (id: string, heartbeat: Heartbeat, event: Event): Promise<readonly Push[]> => {
    const before = find(id)
    if (!before && table.size >= deps.maxComponents) refuse(errors.tooMany)
    const [at, own] = [now(), rulesOf(id)]
    const first = { sequence: retiredSequence, maintenanceId: calendar.activeId(id) }
    const registering = before ? null : registered(id, heartbeat, at, own, first)
    const step =
      registering && event.kind === 'heartbeat'
        ? registering
        : joined(registering, next(registering?.component ?? (before as Component), event, at, own))
    try {
      const pushes = await commit(step)
      if (event.kind === 'heartbeat' || registering) table.heard(id, at.monotonic)
      return pushes
    } catch {
      if (!before) table.remove(id)
      return refuseUnsaved(id, heartbeat)
    }
  }

  const drop = async (component: Component, record: ChangeRecord | null): Promise<void> => {
    const { id } = component
    // A pending write of the component must not follow its deletion.
    await saver.flush().catch(() => {})
    saver.forget(id)
    await uptime.forget(id)
    const sequence = Math.max(0, ...component.publications.map((each) => each.sequence))
    try {
      await store.retire(id, clock.now(), sequence, record)
    } catch {
      saver.saveSoon(component)
      uptime.observe(component)
      refuse(errors.notSaved)
    }
    retiredSequence = Math.max(retiredSequence, sequence)
    table.remove(id)
    onDropped(id)
  }
  /** If the component cannot be deleted now, the next check of deadlines finds it again. */
  const dropIfTold = async (id: string): Promise<void> => {
    const component = find(id)
    if (!component || component.retiredAs === null || isUnpublished(component, rulesOf(id))) return
    await drop(component, null).catch(() => {})
  }

  return {
    now,
    rulesOf,
    find,
    apply,
    all: table.all,
    silentMs: table.silentMs,
    /** Runs one act at a time per component. */
    exclusive: mutex.run,
    isLocked: mutex.isLocked,
    /** Resolves to the pushes that are due. Rejects if the change could not be saved; nothing has changed then. */
    async change(component: Component, event: Event): Promise<readonly Push[]> {
      const step = stepOf(component, event)
      const pushes = step.component === component ? [] : await commit(step)
      await dropIfTold(component.id)
      return pushes
    },
    heartbeat: (id: string, heartbeat: Heartbeat): Promise<readonly Push[]> =>
      report(id, heartbeat, { ...heartbeat, kind: 'heartbeat' }),
    /** An unknown component is registered as operational first. */
    startRun: (id: string, start: RunStart & ScheduleTerms): Promise<readonly Push[]> =>
      report(id, { ...start, status: find(id)?.lastReportedStatus ?? 'operational' }, { ...start, kind: 'run' }),
    refuseUnsaved,
    /** Saves a change by an administrator together with its record. */
    act: (component: Component, event: Event, record: ChangeRecord): Promise<readonly Push[]> =>
      commit(stepOf(component, event), [record]).catch(() => refuse(errors.notSaved)),
    /** The outcome of a push takes effect even if it cannot be saved, in which case only the next push is dropped. */
    async endPush({ target, notice }: Push, end: PushEnd): Promise<readonly Push[]> {
      const before = find(notice.componentId)
      const push = before && publicationOf(before, target)?.push
      if (!before || push?.kind !== 'sending' || push.notice !== notice) return []
      const step = stepOf(before, { ...end, target })
      try {
        const pushes = await commit(step)
        await dropIfTold(before.id)
        return pushes
      } catch {
        saver.saveSoon(apply(step.component, { kind: 'failed', target, retryAfterMs: 0, jitter: 0 }))
        return []
      }
    },
    /** Applies a heartbeat that changes only the deadline, without waiting; false if it changes more. */
    repeatHeartbeat(id: string, heartbeat: Heartbeat): boolean {
      const before = find(id)
      if (!before || lastStatusBy(before, heartbeat) !== heartbeat.status || saver.isBroken) return false
      const { component, effects } = stepOf(before, { ...heartbeat, kind: 'heartbeat' })
      if (effects.length > 0 || component.schedule !== before.schedule) return false
      table.heard(id, clock.monotonic())
      table.set(component)
      saver.saveSoon(component)
      return true
    },
    /** A schedule by an operator, who is recorded. */
    async reschedule(id: string, terms: ScheduleTerms, by: Sent): Promise<void> {
      const before = find(id) ?? refuse(errors.unknown)
      const step = stepOf(before, { ...terms, kind: 'reschedule' })
      const changes = difference(details.schedule(before.schedule), details.schedule(step.component.schedule))
      const record = recordOf(by, clock.now(), { action: 'change-component', target: id, ...changes })
      await commit(step, [record]).catch(() => refuse(errors.notSaved))
    },
    /**
     * Resolves to the pushes of `publish`. Deletes the component once they are accepted, or at once if there are none.
     */
    async retire(id: string, publish: Status | null, by: Sent): Promise<readonly Push[]> {
      const component = find(id)
      if (!component) return []
      const change = { action: 'retire-component', target: id, after: details.retired(publish) } as const
      const record = recordOf(by, clock.now(), change)
      if (publish !== null) {
        const step = stepOf(component, { kind: 'retire', status: publish })
        if (isUnpublished(step.component, rulesOf(id)))
          return commit(step, [record]).catch(() => refuse(errors.notSaved))
      }
      await drop(component, record)
      return []
    },
  }
}

const joined = (first: Step | null, { component, effects }: Step): Step => ({
  component,
  effects: [...(first?.effects ?? []), ...effects],
})

/** The sender's previous report. */
const lastStatusBy = ({ instances, lastReportedStatus }: Component, { instance }: Heartbeat) =>
  instance === undefined ? lastReportedStatus : instances.find((each) => each.instance === instance)?.status
