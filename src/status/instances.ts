import { isDown, type Status } from './statuses.ts'

/** The last report of one of several instances that share a component. */
export interface InstanceReport {
  readonly instance: string
  readonly status: Status
  readonly reportedAt: number
  /** When the report stops counting, on the monotonic clock. */
  readonly deadline: number
}

const maxInstances = 100

/** Drops the instance's previous report, and those of instances that are gone. */
export const withReport = (reports: readonly InstanceReport[], report: InstanceReport, at: number) =>
  [...reports.filter(({ instance, deadline }) => instance !== report.instance && deadline > at), report].slice(
    -maxInstances,
  )

/**
 * An outage only if all instances report it: one that deviates from the others has its own problem. Instances in
 * maintenance count only if there are no others.
 */
export function combinedStatus(reports: readonly InstanceReport[]): Status {
  const active = reports.map(({ status }) => status).filter((status) => status !== 'maintenance')
  const [first = 'maintenance'] = active
  if (active.every((status) => status === first)) return first
  return 2 * active.filter(isDown).length > active.length ? 'partial' : 'degraded'
}
