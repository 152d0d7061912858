import type { StatusTarget } from '../config/status-targets.ts'
import type { Logger } from '../process/logger.ts'

type Mapped = Pick<StatusTarget, 'name' | 'components'>

/** Logs once how a target's mapping and the components that send heartbeats differ. */
export function createMappingLog(targets: readonly Mapped[], log: Pick<Logger, 'info' | 'warn'>) {
  // A list without external names only selects components.
  const mapped = targets.flatMap(({ name, components }) =>
    [...(components?.values() ?? [])].some((value) => value !== '')
      ? [{ target: name, ids: [...(components?.keys() ?? [])] }]
      : [],
  )
  let hasChecked = false
  const neverHeardOf = ({ ids }: { ids: readonly string[] }, heard: readonly string[]) =>
    ids.filter((id) => !heard.includes(id))
  return {
    /** The components that each target maps but that have sent no heartbeat. */
    neverHeard: (heard: readonly string[]) =>
      mapped
        .map((each) => ({ target: each.target, components: neverHeardOf(each, heard) }))
        .filter(({ components }) => components.length > 0),
    /** Call this once every component has had time for a heartbeat. */
    check(heard: readonly string[]): void {
      hasChecked = true
      for (const { target, ids } of mapped) {
        const neverHeard = neverHeardOf({ ids }, heard)
        const unmapped = heard.filter((id) => !ids.includes(id))
        if (unmapped.length > 0 || neverHeard.length > 0)
          log.warn(
            { target, unmapped, neverHeard },
            'the mapping of a target differs from the components with heartbeats',
          )
      }
    },
    registered(componentId: string): void {
      for (const { target, ids } of hasChecked ? mapped : [])
        if (!ids.includes(componentId))
          log.info({ target, componentId }, 'not published: the target does not map the component')
    },
  }
}
