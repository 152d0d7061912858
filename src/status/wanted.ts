import type { Component, Moment, Rules } from './component.ts'
import { isOutdated, isRetryDue, type Publication, retryAt, type Target, type Wanted, wantedBy } from './publication.ts'
import { isDown, type Status } from './statuses.ts'

/** Announced maintenance counts first, then an open incident, which is an outage, then the last report. */
export const statusOf = (component: Component): Status =>
  component.maintenanceId ? 'maintenance' : ownStatusOf(component)

/** Whatever maintenance is announced. */
export const ownStatusOf = ({ incident, lastReportedStatus }: Component): Status =>
  incident ? 'outage' : lastReportedStatus

const saidOf = ({ message, exitCode }: Component): string | null =>
  !exitCode ? message : message === null ? `exit code ${exitCode}` : `exit code ${exitCode}: ${message}`

/** What a status page should show. */
export function wantedOf(component: Component, { publishesSilence }: Rules): Wanted {
  const { id: componentId, incident, changedAt, lastReportedStatus, maintenanceId, retiredAs } = component
  const common = { componentId, incidentId: incident?.id ?? null }
  if (retiredAs === null && maintenanceId === null && incident !== null && publishesSilence) {
    const { startedAt: reportedAt, message, isRunLost } = incident
    const lostRun = isRunLost && message !== null && { lostRun: message }
    return { ...common, status: 'outage', source: 'silence', reportedAt, message, ...lostRun }
  }
  const status = retiredAs ?? (maintenanceId === null ? lastReportedStatus : 'maintenance')
  const said = status === lastReportedStatus ? saidOf(component) : null
  return { ...common, status, source: 'heartbeat', reportedAt: changedAt, message: said }
}

/** For an alert channel: an outage that began with a report keeps its cause and its beginning if silence follows. */
function alertedOf(component: Component, rules: Rules): Wanted {
  const wanted = wantedOf(component, rules)
  if (wanted.source !== 'silence' || !isDown(component.lastReportedStatus)) return wanted
  const { reportedAt: silentSince } = wanted
  return { ...wanted, source: 'heartbeat', reportedAt: component.downAt, message: saidOf(component), silentSince }
}

/** What a target gets; null if nothing, as an alert channel of a muted component. */
export function wantedAt(target: Pick<Target, 'isAlert'>, component: Component, rules: Rules): Wanted | null {
  if (!target.isAlert) return wantedOf(component, rules)
  return component.mute ? null : wantedBy(target, alertedOf(component, rules))
}

/** The notice of a recovery has when the outage began. For an alert channel, it is the end of the outage. */
export function toldOf(target: Target, wanted: Wanted, component: Component, { publishedStatus }: Publication): Wanted {
  const { upAt, downAt } = component
  if (isDown(wanted.status)) return wanted
  if (target.isAlert) return { ...wanted, reportedAt: upAt, downSince: downAt }
  const isRecovery = wanted.status === 'operational' && publishedStatus !== null && isDown(publishedStatus)
  return isRecovery ? { ...wanted, downSince: downAt } : wanted
}

export const publicationOf = ({ publications }: Component, target: string): Publication | undefined =>
  publications.find((each) => each.target === target)

/** Alert channels do not get retired components. */
export const targetsOf = ({ retiredAs }: Component, { targets }: Rules): readonly Target[] =>
  retiredAs === null ? targets : targets.filter(({ isAlert }) => !isAlert)

/** True unless the target is known to show what it should. */
export function isOutdatedAt(target: Target, component: Component, rules: Rules): boolean {
  const publication = publicationOf(component, target.name)
  const wanted = wantedAt(target, component, rules)
  return publication !== undefined && wanted !== null && isOutdated(publication, wanted.status)
}

export const isUnpublished = (component: Component, rules: Rules): boolean =>
  targetsOf(component, rules).some((target) => isOutdatedAt(target, component, rules))

/** When the timer sends again what the target has not accepted; null if nothing, as while an alert channel is muted. */
export function retryAtOf(name: string, component: Component, rules: Rules): number | null {
  const publication = publicationOf(component, name)
  const target = targetsOf(component, rules).find((each) => each.name === name)
  return publication && target && isOutdatedAt(target, component, rules) ? retryAt(publication) : null
}

/** The targets to which a push of the component failed and is due again. */
export function retriesOf(component: Component, now: Moment, rules: Rules): readonly string[] {
  const due = component.publications.filter((each) => isRetryDue(each, now.monotonic))
  if (due.length === 0) return []
  return targetsOf(component, rules)
    .filter(({ name }) => due.some(({ target }) => target === name))
    .filter((target) => isOutdatedAt(target, component, rules))
    .map(({ name }) => name)
}
