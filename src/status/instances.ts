import { isDown, type Status } from './statuses.ts'

/** What one of several instances reported last of a component that they share. */
export interface InstanceReport {
  readonly instance: string
  readonly status: Status
  readonly reportedAt: number
  /** When it stops counting, on the monotonic clock. */
  readonly deadline: number
}

const maxInstances = 100

/** Without the instance's previous report, and those of instances that are gone. */
export const withReport = (reports: readonly InstanceReport[], report: InstanceReport, at: number) =>
  [...reports.filter(({ instance, deadline }) => instance !== report.instance && deadline > at), report].slice(
    -maxInstances,
  )

/**
 * An outage only if all instances report it: one that deviates from the others has a problem of its own. Instances in
 * maintenance count only if there are no others.
 */
export function combinedStatus(reports: readonly InstanceReport[]): Status {
  const active = reports.map(({ status }) => status).filter((status) => status !== 'maintenance')
  const [first = 'maintenance'] = active
  if (active.every((status) => status === first)) return first
  return 2 * active.filter(isDown).length > active.length ? 'partial' : 'degraded'
}
