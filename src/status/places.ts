import type { Rules } from './component.ts'
import type { WorkerDeps } from './worker.ts'

/** The components that are known, or about to be: each has its rules. */
export interface Places {
  readonly size: number
  rulesOf(componentId: string): Rules
  delete(componentId: string): void
}

export function createPlaces({
  page,
  rules,
  pageName,
  timing,
}: Pick<WorkerDeps, 'page' | 'rules' | 'pageName' | 'timing'>): Places {
  const places = new Map<string, Rules>()
  const timeoutMs: Rules['timeoutMs'] = (status) =>
    status === 'maintenance' ? timing.maintenanceTimeoutMs : timing.heartbeatTimeoutMs
  const made = (id: string): Rules => {
    const publishes = page?.covers(id) === true
    return { ...rules, timeoutMs, publishes, page: publishes ? pageName(id) : '' }
  }
  return {
    get size() {
      return places.size
    },
    rulesOf(id) {
      const own = places.get(id) ?? made(id)
      places.set(id, own)
      return own
    },
    delete: (id) => void places.delete(id),
  }
}
