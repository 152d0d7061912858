import { type Refusal, refuse } from '../http/refusal.ts'
import { type Component, type Event, next, type Push, registered, type Step } from './component.ts'
import type { ComponentTable } from './component-table.ts'
import { errors } from './errors.ts'
import type { Calendar } from './maintenance.ts'
import type { RegistryDeps } from './registry.ts'
import type { createRetirement } from './retirement.ts'
import type { RunStart } from './runs.ts'
import type { Heartbeat, ScheduleTerms } from './schedule.ts'

/** Takes heartbeats and starts of runs, and registers the components that send them. */
export function createReception(
  { saver, clock, maxComponents }: RegistryDeps,
  table: ComponentTable,
  calendar: Pick<Calendar, 'activeId'>,
  retirement: Pick<ReturnType<typeof createRetirement>, 'sequence'>,
) {
  const { now, rulesOf, find, stepOf, apply, commit } = table

  /** Extends the deadline nevertheless: no component is reported silent because the worker cannot save. */
  const refuseUnsaved = (id: string, heartbeat: Heartbeat, refusal: Refusal = errors.notSaved): never => {
    const component = find(id)
    if (component) saver.saveSoon(apply(component, { ...heartbeat, kind: 'unsaved' }))
    return refuse(refusal)
  }

  /** The event of a known component; the first heartbeat of another one. */
  const report = async (id: string, heartbeat: Heartbeat, event: Event): Promise<readonly Push[]> => {
    const before = find(id)
    if (!before && table.size >= maxComponents) refuse(errors.tooMany)
    const at = now()
    const own = rulesOf(id)
    const first = { sequence: retirement.sequence, maintenanceId: calendar.activeId(id) }
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

  return {
    refuseUnsaved,
    heartbeat: (id: string, heartbeat: Heartbeat): Promise<readonly Push[]> =>
      report(id, heartbeat, { ...heartbeat, kind: 'heartbeat' }),
    /** An unknown component is registered as operational first. */
    startRun: (id: string, start: RunStart & ScheduleTerms): Promise<readonly Push[]> =>
      report(id, { ...start, status: find(id)?.lastReportedStatus ?? 'operational' }, { ...start, kind: 'run' }),
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
  }
}

const joined = (first: Step | null, { component, effects }: Step): Step => ({
  component,
  effects: [...(first?.effects ?? []), ...effects],
})

/** The sender's previous report. */
const lastStatusBy = ({ instances, lastReportedStatus }: Component, { instance }: Heartbeat) =>
  instance === undefined ? lastReportedStatus : instances.find((each) => each.instance === instance)?.status
