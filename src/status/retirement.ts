import { refuse } from '../http/refusal.ts'
import { type ChangeRecord, details, recordOf, type Sent } from './audit.ts'
import type { Component, Push } from './component.ts'
import type { ComponentTable } from './component-table.ts'
import { errors } from './errors.ts'
import type { RegistryDeps } from './registry.ts'
import type { Status } from './statuses.ts'
import type { Uptime } from './uptime.ts'
import { isUnpublished } from './wanted.ts'

/** Deletes components, once their pages have accepted what they were retired with. */
export function createRetirement(
  { store, saver, clock }: RegistryDeps,
  { find, rulesOf, remove, stepOf, commitAudited }: ComponentTable,
  uptime: Pick<Uptime, 'observe' | 'forget'>,
  onDropped: (id: string) => void,
) {
  let { retiredSequence } = store

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
    remove(id)
    onDropped(id)
  }

  return {
    /** The highest number of a push of the components that were deleted. */
    get sequence(): number {
      return retiredSequence
    },
    /** If the component cannot be deleted now, the next check of deadlines finds it again. */
    async dropIfTold(id: string): Promise<void> {
      const component = find(id)
      if (!component || component.retiredAs === null || isUnpublished(component, rulesOf(id))) return
      await drop(component, null).catch(() => {})
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
        if (isUnpublished(step.component, rulesOf(id))) return commitAudited(step, record)
      }
      await drop(component, record)
      return []
    },
  }
}
