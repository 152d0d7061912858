import type { Clock } from '../lib/clock.ts'
import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import type { ChangeRecord } from './audit.ts'
import type { Component, Event, Push, Rules } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import { createComponentTable } from './component-table.ts'
import type { Calendar } from './maintenance.ts'
import type { PushEnd, Target } from './publication.ts'
import { createReception } from './reception.ts'
import { createRetirement } from './retirement.ts'
import type { Saver } from './saver.ts'
import type { TimeoutRules } from './schedule.ts'
import type { StateStore } from './state-store.ts'
import type { Uptime } from './uptime.ts'
import { publicationOf } from './wanted.ts'

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
  const table = createComponentTable(deps, log, uptime)
  const retirement = createRetirement(deps, table, uptime, onDropped)
  const mutex = createKeyedMutex()
  const { now, rulesOf, find, stepOf, apply, commit, commitAudited } = table

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
    ...createReception(deps, table, calendar, retirement),
    /** Resolves to the pushes that are due. Rejects if the change could not be saved; nothing has changed then. */
    async change(component: Component, event: Event): Promise<readonly Push[]> {
      const step = stepOf(component, event)
      const pushes = step.component === component ? [] : await commit(step)
      await retirement.dropIfTold(component.id)
      return pushes
    },
    /** Saves a change by an administrator together with its record. */
    act: (component: Component, event: Event, record: ChangeRecord): Promise<readonly Push[]> =>
      commitAudited(stepOf(component, event), record),
    /** The outcome of a push takes effect even if it cannot be saved, in which case only the next push is dropped. */
    async endPush({ target, notice }: Push, end: PushEnd): Promise<readonly Push[]> {
      const before = find(notice.componentId)
      const push = before && publicationOf(before, target)?.push
      if (!before || push?.kind !== 'sending' || push.notice !== notice) return []
      const step = stepOf(before, { ...end, target })
      try {
        const pushes = await commit(step)
        await retirement.dropIfTold(before.id)
        return pushes
      } catch {
        deps.saver.saveSoon(apply(step.component, { kind: 'failed', target, retryAfterMs: 0, jitter: 0 }))
        return []
      }
    },
    retire: retirement.retire,
  }
}
