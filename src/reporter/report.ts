export const statuses = ['operational', 'degraded', 'partial', 'outage', 'maintenance'] as const
export type Status = (typeof statuses)[number]

export interface ReportOptions {
  /** When the next report is due, 10 to 2,678,400. The worker keeps it until a report has another value. */
  readonly expectWithinSeconds?: number | undefined
  /** When reports are due: a cron expression of five fields, instead of `expectWithinSeconds`. Kept in the same way. */
  readonly schedule?: string | undefined
  /** The time zone of `schedule`, such as `Europe/Berlin`; UTC by default. */
  readonly tz?: string | undefined
  /** How late the next report may be before an incident opens. Kept in the same way. */
  readonly graceSeconds?: number | undefined
  /** Shown beside the status; the first 500 characters are sent. */
  readonly message?: string | undefined
  /** How long the component took to respond, up to a day; the status page shows the mean of each day. */
  readonly durationMs?: number | undefined
}

export type Report = ReportOptions & { readonly status: Status }

export const componentId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
export const maxSeconds = 31 * 86_400

export const isComponentId = (id: unknown) => typeof id === 'string' && componentId.test(id)

/** Null if it is invalid. Has the terms of the report that it replaces undelivered, unless it has its own. */
export function reportOf(status: Status, options: ReportOptions | null, replaced: Report | undefined): Report | null {
  const kept = (replaced?.status === 'maintenance') === (status === 'maintenance') ? replaced : undefined
  const own = options ?? {}
  const isDueAnew = own.expectWithinSeconds !== undefined || own.schedule !== undefined || own.tz !== undefined
  const { expectWithinSeconds, schedule, tz } = isDueAnew ? own : (kept ?? {})
  const { graceSeconds = kept?.graceSeconds, message, durationMs } = own
  const areValid =
    isSeconds(expectWithinSeconds ?? 10, 10) &&
    isSeconds(graceSeconds ?? 0, 0) &&
    isDuration(durationMs ?? 0) &&
    [message, schedule, tz].every((text) => typeof (text ?? '') === 'string') &&
    (schedule === undefined ? tz === undefined : expectWithinSeconds === undefined)
  if (!areValid || !statuses.includes(status)) return null
  return { status, expectWithinSeconds, schedule, tz, graceSeconds, message: message?.slice(0, 500), durationMs }
}

/** The worker refuses the whole report otherwise. */
const isSeconds = (value: number, min: number) => Number.isInteger(value) && value >= min && value <= maxSeconds
const isDuration = (value: number) => typeof value === 'number' && value >= 0 && value <= 86_400_000
