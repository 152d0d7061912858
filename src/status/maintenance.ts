import { isDeepStrictEqual } from 'node:util'
import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { dayMs } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import { type Announced, announcedState, createAnnounced, inIso } from './announced.ts'
import { details, difference, type Sent } from './audit.ts'
import { errors } from './errors.ts'
import type { StateStore } from './state-store.ts'

/** An announced window, during which its components are shown in maintenance and their silence opens no incident. */
export interface Maintenance extends Announced {
  readonly components: readonly string[]
  readonly until: number
  readonly text: string | null
  /** When it was last changed. */
  readonly changedAt?: number
  /** How often it was changed. */
  readonly revision?: number
  /** Set if it is an occurrence of recurring maintenance. */
  readonly recurringId?: string
}

export type Terms = Pick<Maintenance, 'components' | 'from' | 'until' | 'text'>

const maxLengthMs = 31 * dayMs
/** Max windows that are not over, without those that recur. */
const maxWindows = 200
/** Max windows listed. */
const maxListed = 1_000

const made = { action: 'announce-maintenance', said: 'maintenance announced', detailsOf: details.maintenance } as const
const changed = { action: 'change-maintenance', said: 'maintenance changed', detailsOf: details.maintenance } as const
const ended = {
  action: 'end-maintenance',
  said: 'maintenance ended early',
  detailsOf: details.endedMaintenance,
} as const

interface CalendarDeps {
  readonly store: Pick<StateStore, 'savePublished'>
  readonly windows: readonly Maintenance[]
  readonly clock: Clock
  readonly log: Pick<Logger, 'info'>
  newId(): string
}

export type Calendar = ReturnType<typeof createCalendar>

/** The announced maintenance windows; each change is saved before it takes effect. */
export function createCalendar({ store, windows, clock, log, newId }: CalendarDeps) {
  const known = createAnnounced({
    saved: windows,
    clock,
    max: maxListed,
    // An occurrence that was cancelled would be planned anew.
    isKept: ({ recurringId, until }) => recurringId !== undefined && until > clock.now(),
    unknown: errors.unknownMaintenance,
    over: errors.maintenanceOver,
    save: (one, record) => store.savePublished({ maintenance: [one] }, record),
  })
  const { current, exclusively, find, forget, list } = known
  const activeAt = (now: number): ReadonlyMap<string, string> => {
    const active = known.open().filter((window) => announcedState(window, now) === 'active')
    return new Map(active.flatMap(({ id, components }) => components.map((each) => [each, id])))
  }
  let activeIds = activeAt(clock.now())
  let nextChangeAt = -Infinity

  const save = async (window: Maintenance, change: typeof made | typeof changed | typeof ended, by: Sent) => {
    const { action, said, detailsOf } = change
    const old = change === changed ? find(window.id) : undefined
    const after = detailsOf(inIso(window))
    const values = old ? difference(details.maintenance(inIso(old)), after) : { after }
    await known.put(window, { action, ...values }, by)
    nextChangeAt = -Infinity
    const { id: maintenance, components, from, until } = inIso(window)
    log.info({ maintenance, address: by.address, components, from, until }, said)
    return window
  }
  const checked = <T extends Terms>(terms: T): T => {
    const { from, until } = terms
    if (until <= from || until <= clock.now() || until - from > maxLengthMs) refuse(errors.badWindow)
    return terms
  }

  return {
    find,
    list,
    forget,
    /** No change is saved meanwhile. */
    exclusively,
    /** Windows that are already saved. */
    add(windows: readonly Maintenance[]): void {
      known.add(windows)
      nextChangeAt = -Infinity
    },
    announce: (terms: Terms, by: Sent) =>
      exclusively(async () => {
        const single = known.open().filter(({ recurringId }) => recurringId === undefined)
        if (single.length >= maxWindows) refuse(errors.tooManyWindows)
        return save({ id: newId(), endedAt: null, ...checked(terms) }, made, by)
      }),
    change: (id: string, changes: { readonly [K in keyof Terms]?: Terms[K] | undefined }, by: Sent) =>
      exclusively(async () => {
        const old = current(id)
        const given = Object.entries(changes).filter(
          ([name, value]) => value !== undefined && !isDeepStrictEqual(value, old[name as keyof Terms]),
        )
        if (given.length === 0) return old
        return save(
          checked({ ...old, ...Object.fromEntries(given), changedAt: clock.now(), revision: (old.revision ?? 0) + 1 }),
          changed,
          by,
        )
      }),
    end: (id: string, by: Sent) => exclusively(async () => save({ ...current(id), endedAt: clock.now() }, ended, by)),
    /** Whether a window has begun or ended since `refresh`, unless the clock was set back. */
    isStale: () => clock.now() >= nextChangeAt,
    refresh(): void {
      const now = clock.now()
      activeIds = activeAt(now)
      nextChangeAt = Infinity
      for (const { from, until } of known.open()) nextChangeAt = Math.min(nextChangeAt, now < from ? from : until)
    },
    /** The component's current window, as of the last `refresh`. */
    activeId: (componentId: string): string | null => activeIds.get(componentId) ?? null,
  }
}
