import type { Component, Moment, Rules } from './component.ts'
import { isOutdated, isRetryDue, type Publication, type Target, type Wanted, wantedBy } from './publication.ts'
import type { Status } from './statuses.ts'

/** Announced maintenance counts first, then an open incident, which is an outage, then the last report. */
export const statusOf = ({ maintenanceId, incident, lastReportedStatus }: Component): Status =>
  maintenanceId ? 'maintenance' : incident ? 'outage' : lastReportedStatus

/** What a status page should show. */
export function wantedOf(component: Component, { publishesSilence }: Rules): Wanted {
  const { id: componentId, incident, changedAt, lastReportedStatus, maintenanceId, retiredAs } = component
  const common = { componentId, incidentId: incident?.id ?? null }
  if (retiredAs === null && maintenanceId === null && incident !== null && publishesSilence)
    return { ...common, status: 'outage', source: 'silence', reportedAt: incident.startedAt }
  const status = retiredAs ?? (maintenanceId === null ? lastReportedStatus : 'maintenance')
  return { ...common, status, source: 'heartbeat', reportedAt: changedAt }
}

export const publicationOf = ({ publications }: Component, target: string): Publication | undefined =>
  publications.find((each) => each.target === target)

/** Alert channels do not get retired components. */
export const targetsOf = ({ retiredAs }: Component, { targets }: Rules): readonly Target[] =>
  retiredAs === null ? targets : targets.filter(({ isAlert }) => !isAlert)

/** True unless the target is known to show what it should. */
export function isOutdatedAt(target: Target, component: Component, rules: Rules): boolean {
  const publication = publicationOf(component, target.name)
  const wanted = wantedBy(target, wantedOf(component, rules))
  return publication !== undefined && wanted !== null && isOutdated(publication, wanted.status)
}

export const isUnpublished = (component: Component, rules: Rules): boolean =>
  targetsOf(component, rules).some((target) => isOutdatedAt(target, component, rules))

/** The targets to which a push of the component failed and is due again. */
export function retriesOf(component: Component, now: Moment, rules: Rules): readonly string[] {
  const due = component.publications.filter((each) => isRetryDue(each, now.monotonic))
  if (due.length === 0) return []
  return targetsOf(component, rules)
    .filter(({ name }) => due.some(({ target }) => target === name))
    .filter((target) => isOutdatedAt(target, component, rules))
    .map(({ name }) => name)
}
