import { hash } from 'node:crypto'
import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { type CronSchedule, nextRun } from '../lib/cron.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import { announcedState } from './announced.ts'
import { type ChangeAction, details, recordOf, type Sent } from './audit.ts'
import { errors } from './errors.ts'
import type { Calendar, Maintenance } from './maintenance.ts'
import type { StateStore } from './state-store.ts'

/** Maintenance that begins at each run of a cron expression. Its next occurrences are maintenance windows like any other. */
export interface RecurringMaintenance {
  readonly id: string
  readonly components: readonly string[]
  readonly cron: CronSchedule
  readonly durationMs: number
  readonly text: string | null
  readonly createdAt: number
  /** Set once it was ended: nothing is planned any more. */
  readonly endedAt: number | null
}

export type RecurringTerms = Pick<RecurringMaintenance, 'components' | 'cron' | 'durationMs' | 'text'>

/** Windows that are announced before they begin. */
const plannedAhead = 5
/** More only if a schedule has runs close together that were not looked at. */
const maxStarts = 10
/** Max that have not ended. */
const maxRecurring = 40
const planEveryMs = 3_600_000
const retryMs = 10_000

/** The same for each worker that plans this occurrence, so that it is never there twice. In the form of other ids. */
export function occurrenceId(recurringId: string, from: number): string {
  const digits = hash('sha256', `${recurringId} ${from}`)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

/** As the audit and replies show it. */
export const recurringInIso = ({ cron, durationMs, createdAt, endedAt, ...recurring }: RecurringMaintenance) => ({
  ...recurring,
  schedule: cron.expression,
  tz: cron.tz,
  durationSeconds: durationMs / 1000,
  createdAt: isoTime(createdAt),
  endedAt: isoOrNull(endedAt),
})

/** Looked at before a schedule is accepted. */
const comparedRuns = 10

/** Whether an occurrence would last beyond the start of the next one. */
export function overlaps(
  { cron, durationMs }: Pick<RecurringMaintenance, 'cron' | 'durationMs'>,
  now: number,
): boolean {
  let at = nextRun(cron, now)
  for (let seen = 0; at !== null && seen < comparedRuns; seen++) {
    const next = nextRun(cron, at)
    if (next !== null && next - at < durationMs) return true
    at = next
  }
  return false
}

/** The starts of what is in progress, and of what comes next. */
export function startsOf({ cron, durationMs, createdAt }: RecurringMaintenance, now: number): number[] {
  const starts: number[] = []
  let ahead = 0
  let at = nextRun(cron, Math.max(createdAt, now - durationMs))
  while (at !== null && ahead < plannedAhead && starts.length < maxStarts) {
    starts.push(at)
    if (at > now) ahead++
    at = nextRun(cron, at)
  }
  return starts
}

interface Deps {
  readonly store: Pick<StateStore, 'savePublished'>
  readonly recurring: readonly RecurringMaintenance[]
  readonly calendar: Calendar
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'error'>
  newId(): string
}

export type Recurring = ReturnType<typeof createRecurring>

/** Plans the next occurrences of recurring maintenance; they are saved before they take effect. */
export function createRecurring({ store, recurring, calendar, clock, log, newId }: Deps) {
  const known = new Map(recurring.map((each) => [each.id, each]))
  const open = () => [...known.values()].filter(({ endedAt }) => endedAt === null)
  let plannedAt = -Infinity
  let planAt = -Infinity
  let isPlanning = false

  const missingOf = (one: RecurringMaintenance, now: number): Maintenance[] =>
    startsOf(one, now).flatMap((from) => {
      const id = occurrenceId(one.id, from)
      const { components, text, durationMs } = one
      if (calendar.find(id)) return []
      return [
        { id, components, from, until: from + durationMs, text, endedAt: null, changedAt: now, recurringId: one.id },
      ]
    })

  const save = async (one: RecurringMaintenance, windows: readonly Maintenance[], action: ChangeAction, by: Sent) => {
    const { id: target } = one
    const after = details.recurringMaintenance(recurringInIso(one))
    const record = recordOf(by, clock.now(), { action, target, after })
    await store
      .savePublished({ recurring_maintenance: [one], maintenance: windows }, record)
      .catch(() => refuse(errors.notSaved))
    known.set(target, one)
    calendar.add(windows)
    planAt = -Infinity
    log.info({ recurringMaintenance: target, address: by.address, ...after }, said[action as keyof typeof said])
    return one
  }

  const plan = async () => {
    const now = clock.now()
    for (const one of open()) {
      const missing = missingOf(one, now)
      if (missing.length === 0) continue
      await store.savePublished({ recurring_maintenance: [one], maintenance: missing }, null)
      calendar.add(missing)
    }
    // Once the first of them has begun, there is one too few.
    const next = open().flatMap((one) =>
      startsOf(one, now)
        .filter((from) => from > now)
        .slice(0, 1),
    )
    plannedAt = now
    planAt = Math.min(now + planEveryMs, ...next)
  }

  return {
    /** Newest first. */
    list: () => [...known.values()].sort((a, b) => (a.id < b.id ? 1 : -1)),
    /** Those of its windows that are not over, earliest first. */
    windowsOf: (id: string): readonly Maintenance[] =>
      calendar
        .list()
        .filter((window) => window.recurringId === id && announcedState(window, clock.now()) !== 'over')
        .reverse(),
    announce: (terms: RecurringTerms, by: Sent) =>
      calendar.exclusively(async () => {
        if (overlaps(terms, clock.now())) refuse(errors.badDuration)
        if (open().length >= maxRecurring) refuse(errors.tooManyWindows)
        const one = { id: newId(), ...terms, createdAt: clock.now(), endedAt: null }
        return save(one, missingOf(one, clock.now()), 'announce-maintenance', by)
      }),
    /** Cancels what has not begun. What is in progress lasts until its own end. */
    end: (id: string, by: Sent) =>
      calendar.exclusively(async () => {
        const one = known.get(id) ?? refuse(errors.unknownMaintenance)
        if (one.endedAt !== null) refuse(errors.maintenanceOver)
        const endedAt = clock.now()
        const planned = calendar
          .list()
          .filter((each) => each.recurringId === id && announcedState(each, endedAt) === 'planned')
        const cancelled = planned.map((window) => ({ ...window, endedAt }))
        return save({ ...one, endedAt }, cancelled, 'end-maintenance', by)
      }),
    /** Plans anew as soon as an occurrence has begun, or if the clock was set back. */
    tick(): void {
      const now = clock.now()
      if (isPlanning || (now >= plannedAt && now < planAt)) return
      isPlanning = true
      void calendar
        .exclusively(plan)
        .catch((error) => {
          plannedAt = clock.now()
          planAt = plannedAt + retryMs
          log.error({ err: error }, 'recurring maintenance could not be planned')
        })
        .finally(() => {
          isPlanning = false
        })
    },
    /** Called when the store deletes them. */
    forget(before: number): void {
      for (const { id, endedAt } of known.values()) if ((endedAt ?? Infinity) < before) known.delete(id)
    },
  }
}

const said = {
  'announce-maintenance': 'recurring maintenance announced',
  'end-maintenance': 'recurring maintenance ended',
} as const
