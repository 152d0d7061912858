import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import { type ChangeAction, details, difference, recordOf, type Sent } from './audit.ts'
import { errors } from './errors.ts'
import type { StateStore } from './state-store.ts'

/** An announced window, during which its components are shown in maintenance and their silence opens no incident. */
export interface Maintenance {
  readonly id: string
  readonly components: readonly string[]
  readonly from: number
  readonly until: number
  readonly text: string | null
  /** Set if it was ended before `until`. */
  readonly endedAt: number | null
  /** When it was last changed. */
  readonly changedAt?: number
  /** How often it was changed. */
  readonly revision?: number
  /** Set if it is an occurrence of recurring maintenance. */
  readonly recurringId?: string
}

export type Terms = Pick<Maintenance, 'components' | 'from' | 'until' | 'text'>
export const maintenanceStates = ['planned', 'active', 'over'] as const

const maxLengthMs = 31 * 86_400_000
/** Max windows that are not over, without those that recur. */
const maxWindows = 200
/** Max windows listed: a sender that announces and cancels in a loop does not fill the memory. */
const maxListed = 1_000

export function maintenanceState(
  { from, until, endedAt }: Maintenance,
  now: number,
): (typeof maintenanceStates)[number] {
  if (endedAt !== null || now >= until) return 'over'
  return now < from ? 'planned' : 'active'
}

const said = {
  'announce-maintenance': 'maintenance announced',
  'change-maintenance': 'maintenance changed',
  'end-maintenance': 'maintenance ended early',
} as const satisfies Partial<Record<ChangeAction, string>>

const detailsOf = {
  'announce-maintenance': details.maintenance,
  'change-maintenance': details.maintenance,
  'end-maintenance': details.endedMaintenance,
} as const

const inIso = ({ from, until, endedAt, ...window }: Maintenance) => ({
  ...window,
  from: isoTime(from),
  until: isoTime(until),
  endedAt: isoOrNull(endedAt),
})

interface CalendarDeps {
  readonly store: StateStore
  readonly windows: readonly Maintenance[]
  readonly clock: Clock
  readonly log: Pick<Logger, 'info'>
  newId(): string
}

export type Calendar = ReturnType<typeof createCalendar>

/** The announced maintenance windows; each change is saved before it takes effect. */
export function createCalendar({ store, windows, clock, log, newId }: CalendarDeps) {
  const byAge = windows.toSorted((a, b) => a.from - b.from)
  const known = new Map(byAge.map((window) => [window.id, window]))
  const saving = createSemaphore({ max: 1 })
  const activeAt = (now: number): ReadonlyMap<string, string> => {
    const active = [...known.values()].filter((window) => maintenanceState(window, now) === 'active')
    return new Map(active.flatMap(({ id, components }) => components.map((each) => [each, id])))
  }
  let activeIds = activeAt(clock.now())
  let nextChangeAt = -Infinity

  const save = async (window: Maintenance, action: keyof typeof said, by: Sent): Promise<Maintenance> => {
    const old = action === 'change-maintenance' ? known.get(window.id) : undefined
    const after = detailsOf[action](inIso(window))
    const values = old ? difference(details.maintenance(inIso(old)), after) : { after }
    try {
      await store.saveMaintenance(window, recordOf(by, clock.now(), { action, target: window.id, ...values }))
    } catch {
      return refuse(errors.notSaved)
    }
    known.set(window.id, window)
    dropOldest()
    nextChangeAt = -Infinity
    const { id: maintenance, components, from, until } = inIso(window)
    log.info({ maintenance, address: by.address, components, from, until }, said[action])
    return window
  }
  const dropOldest = () => {
    for (const window of known.values()) {
      if (known.size <= maxListed) return
      // An occurrence that was cancelled would be planned anew.
      const isCancelled = window.recurringId !== undefined && window.until > clock.now()
      if (maintenanceState(window, clock.now()) === 'over' && !isCancelled) known.delete(window.id)
    }
  }
  dropOldest()
  const current = (id: string): Maintenance => {
    const window = known.get(id) ?? refuse(errors.unknownMaintenance)
    return maintenanceState(window, clock.now()) === 'over' ? refuse(errors.maintenanceOver) : window
  }
  const checked = <T extends Terms>(terms: T): T => {
    const { from, until } = terms
    if (until <= from || until <= clock.now() || until - from > maxLengthMs) refuse(errors.badWindow)
    return terms
  }

  return {
    find: (id: string): Maintenance | undefined => known.get(id),
    /** No change is saved meanwhile. */
    exclusively: saving.run,
    /** Windows that are already saved. */
    add(windows: readonly Maintenance[]): void {
      for (const window of windows) known.set(window.id, window)
      dropOldest()
      nextChangeAt = -Infinity
    },
    /** Latest start first. */
    list: () => [...known.values()].sort((a, b) => b.from - a.from || (a.id < b.id ? 1 : -1)),
    announce: (terms: Terms, by: Sent) =>
      saving.run(async () => {
        const single = [...known.values()].filter(({ recurringId }) => recurringId === undefined)
        const open = single.filter((each) => maintenanceState(each, clock.now()) !== 'over')
        if (open.length >= maxWindows) refuse(errors.tooManyWindows)
        return save({ id: newId(), endedAt: null, ...checked(terms) }, 'announce-maintenance', by)
      }),
    change: (id: string, changes: { readonly [K in keyof Terms]?: Terms[K] | undefined }, by: Sent) =>
      saving.run(async () => {
        const old = current(id)
        const given = Object.entries(changes).filter(([, value]) => value !== undefined)
        return save(
          checked({ ...old, ...Object.fromEntries(given), changedAt: clock.now(), revision: (old.revision ?? 0) + 1 }),
          'change-maintenance',
          by,
        )
      }),
    end: (id: string, by: Sent) =>
      saving.run(async () => save({ ...current(id), endedAt: clock.now() }, 'end-maintenance', by)),
    /** Whether a window has begun or ended since `refresh`, unless the clock was set back. */
    isStale: () => clock.now() >= nextChangeAt,
    refresh(): void {
      const now = clock.now()
      activeIds = activeAt(now)
      nextChangeAt = Infinity
      for (const window of known.values()) {
        const state = maintenanceState(window, now)
        if (state !== 'over') nextChangeAt = Math.min(nextChangeAt, state === 'planned' ? window.from : window.until)
      }
    },
    /** The component's current window, as of the last `refresh`. */
    activeId: (componentId: string): string | null => activeIds.get(componentId) ?? null,
    /** Called when the store deletes them. */
    forget(before: number): void {
      for (const { id, until, endedAt } of known.values()) if ((endedAt ?? until) < before) known.delete(id)
    },
  }
}
