import type { Status } from './statuses.ts'

/** When the next heartbeat is due, according to the component; null where it said nothing. */
export interface Schedule {
  readonly timeoutMs: number | null
  readonly graceMs: number | null
  /** Applies after a maintenance report. */
  readonly maintenanceTimeoutMs: number | null
}

export interface Heartbeat {
  readonly status: Status
  readonly expectWithinMs?: number | undefined
  readonly graceMs?: number | undefined
  readonly message?: string | undefined
  /** Identifies one of several senders of the same component. */
  readonly instance?: string | undefined
}

export interface TimeoutRules {
  readonly timeoutMs: number
  readonly maintenanceTimeoutMs: number
  /** The component's entry in STATUS_TIMEOUTS, which overrides its schedule. */
  readonly configured: { readonly timeoutMs: number; readonly graceMs: number | null } | null
}

export const [minTimeoutSeconds, maxTimeoutSeconds] = [10, 31 * 86_400]

export const noSchedule: Schedule = { timeoutMs: null, graceMs: null, maintenanceTimeoutMs: null }

/** Returns the same object if the heartbeat changes nothing. */
export function rescheduled(schedule: Schedule, { status, expectWithinMs, graceMs }: Heartbeat): Schedule {
  const name = status === 'maintenance' ? 'maintenanceTimeoutMs' : 'timeoutMs'
  const isSame =
    (expectWithinMs === undefined || expectWithinMs === schedule[name]) &&
    (graceMs === undefined || graceMs === schedule.graceMs)
  if (isSame) return schedule
  return { ...schedule, [name]: expectWithinMs ?? schedule[name], graceMs: graceMs ?? schedule.graceMs }
}

/** A heartbeat is late after the timeout, and missed after the grace period that follows. */
export function timeoutsOf(schedule: Schedule, status: Status, rules: TimeoutRules) {
  const { configured } = rules
  const own = configured?.timeoutMs ?? schedule.timeoutMs
  const graceMs = configured?.graceMs ?? schedule.graceMs ?? 0
  if (status !== 'maintenance') return { timeoutMs: own ?? rules.timeoutMs, graceMs }
  return { timeoutMs: schedule.maintenanceTimeoutMs ?? Math.max(rules.maintenanceTimeoutMs, own ?? 0), graceMs }
}

/** Where the timeout comes from. */
export function timeoutSource(
  schedule: Schedule,
  status: Status,
  rules: TimeoutRules,
): 'setting' | 'heartbeat' | 'default' {
  if (status === 'maintenance' && schedule.maintenanceTimeoutMs !== null) return 'heartbeat'
  if (status === 'maintenance' && timeoutsOf(schedule, status, rules).timeoutMs === rules.maintenanceTimeoutMs)
    return 'default'
  if (rules.configured) return 'setting'
  return schedule.timeoutMs === null ? 'default' : 'heartbeat'
}
