import { type CronSchedule, nextRun } from '../lib/cron.ts'
import { dayMs } from '../lib/timestamps.ts'
import type { RunEnd } from './runs.ts'
import type { Status } from './statuses.ts'

/** When the next heartbeat is due, according to the component; null where it said nothing. */
export interface Schedule {
  /** If it has a cron expression, only 0.2 uses it. */
  readonly timeoutMs: number | null
  /** Replaces the timeout. */
  readonly cron: CronSchedule | null
  readonly graceMs: number | null
  /** Applies after a maintenance report. */
  readonly maintenanceTimeoutMs: number | null
  /** How long a run may take. */
  readonly maxRunMs: number | null
}

/** What a heartbeat says of the next one; at most one of timeout and cron expression. */
export interface ScheduleTerms {
  readonly expectWithinMs?: number | undefined
  readonly cron?: CronSchedule | undefined
  readonly graceMs?: number | undefined
  readonly maxRunMs?: number | undefined
}

export interface Heartbeat extends ScheduleTerms {
  readonly status: Status
  readonly message?: string | undefined
  /** Identifies one of several senders of the same component. */
  readonly instance?: string | undefined
  /** How long the component took to respond. */
  readonly durationMs?: number | undefined
  /** It reports the end of a run. */
  readonly end?: RunEnd | undefined
}

export interface TimeoutRules {
  readonly timeoutMs: number
  readonly maintenanceTimeoutMs: number
  /** The component's entry in STATUS_TIMEOUTS, which overrides its schedule. */
  readonly configured: ConfiguredTimeout | null
}

type ConfiguredTimeout = { readonly graceMs: number | null } & (
  | { readonly timeoutMs: number; readonly cron?: undefined }
  | { readonly cron: CronSchedule; readonly timeoutMs?: undefined }
)

export const minTimeoutSeconds = 10
export const maxTimeoutSeconds = 31 * 86_400

const defaultCronGraceMs = 600_000
/** A heartbeat that comes at most this long before a run belongs to that run: the sender's clock may be fast. */
export const earlyMs = 60_000
/** The wait for a run that never comes, since the system no longer knows its time zone. */
const neverMs = 366 * dayMs

export const noSchedule: Schedule = {
  timeoutMs: null,
  cron: null,
  graceMs: null,
  maintenanceTimeoutMs: null,
  maxRunMs: null,
}

/** Returns the same object if the heartbeat changes nothing. */
export function rescheduled(schedule: Schedule, heartbeat: ScheduleTerms & { readonly status: Status }): Schedule {
  const { status, expectWithinMs, cron, graceMs = schedule.graceMs, maxRunMs = schedule.maxRunMs } = heartbeat
  const named =
    expectWithinMs === undefined
      ? {}
      : status === 'maintenance'
        ? { maintenanceTimeoutMs: expectWithinMs }
        : { timeoutMs: expectWithinMs, cron: null }
  // 0.2 ignores the cron expression: after a rollback, it must not miss what is not due.
  const after = { ...schedule, graceMs, maxRunMs, ...named, ...(cron && { cron, timeoutMs: maxTimeoutSeconds * 1000 }) }
  return isSame(schedule, after) ? schedule : after
}

const isSame = (one: Schedule, other: Schedule) =>
  one.timeoutMs === other.timeoutMs &&
  one.graceMs === other.graceMs &&
  one.maxRunMs === other.maxRunMs &&
  one.maintenanceTimeoutMs === other.maintenanceTimeoutMs &&
  one.cron?.expression === other.cron?.expression &&
  one.cron?.tz === other.cron?.tz

/** The cron expression that applies; null if a timeout does. */
export const cronOf = ({ cron }: Schedule, { configured }: TimeoutRules): CronSchedule | null =>
  configured ? (configured.cron ?? null) : cron

export const graceOf = (schedule: Schedule, rules: TimeoutRules): number =>
  rules.configured?.graceMs ?? schedule.graceMs ?? (cronOf(schedule, rules) ? defaultCronGraceMs : 0)

/** A heartbeat is late after the timeout, and missed after the grace period that follows. */
export function timeoutsOf(schedule: Schedule, status: Status, rules: TimeoutRules, since: number) {
  const graceMs = graceOf(schedule, rules)
  const cron = cronOf(schedule, rules)
  const own = cron ? runAfter(cron, since) - since : (rules.configured?.timeoutMs ?? schedule.timeoutMs)
  if (status !== 'maintenance') return { timeoutMs: own ?? rules.timeoutMs, graceMs }
  return { timeoutMs: schedule.maintenanceTimeoutMs ?? Math.max(rules.maintenanceTimeoutMs, own ?? 0), graceMs }
}

/** When the run is due that follows a heartbeat at that time. */
export const runAfter = (cron: CronSchedule, since: number): number => nextRun(cron, since + earlyMs) ?? since + neverMs

/** Where the timeout comes from. */
export function timeoutSource(
  schedule: Schedule,
  status: Status,
  rules: TimeoutRules,
  since: number,
): 'setting' | 'heartbeat' | 'default' {
  if (status === 'maintenance' && schedule.maintenanceTimeoutMs !== null) return 'heartbeat'
  if (status === 'maintenance' && timeoutsOf(schedule, status, rules, since).timeoutMs === rules.maintenanceTimeoutMs)
    return 'default'
  if (rules.configured) return 'setting'
  return schedule.timeoutMs === null && schedule.cron === null ? 'default' : 'heartbeat'
}
