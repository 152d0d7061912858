import { type Refusal, refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import { type Change, type ChangeRecord, recordOf, type Sent } from './audit.ts'
import { errors } from './errors.ts'

/** What is announced for a time: maintenance, or a text on the status page. */
export interface Announced {
  readonly id: string
  readonly from: number
  /** Null: until someone ends it. */
  readonly until: number | null
  /** Set if it was ended before `until`. */
  readonly endedAt: number | null
}

export const announcedStates = ['planned', 'active', 'over'] as const

export function announcedState(
  { from, until, endedAt }: Omit<Announced, 'id'>,
  now: number,
): (typeof announcedStates)[number] {
  if (endedAt !== null || now >= (until ?? Infinity)) return 'over'
  return now < from ? 'planned' : 'active'
}

/** With its times as others see them. */
export const inIso = <N extends Omit<Announced, 'id'>>({ from, until, endedAt, ...rest }: N) => ({
  ...rest,
  from: isoTime(from),
  until: isoOrNull<N['until']>(until),
  endedAt: isoOrNull(endedAt),
})

interface AnnouncedDeps<N extends Announced> {
  readonly saved: readonly N[]
  readonly clock: Clock
  /** Max listed: a sender that announces and ends in a loop does not fill the memory. */
  readonly max: number
  /** Whether one that is over must not be dropped for that. */
  readonly isKept?: (one: N) => boolean
  readonly unknown: Refusal
  readonly over: Refusal
  save(one: N, record: ChangeRecord): Promise<void>
}

/** Those of one kind, as they are saved. */
export function createAnnounced<N extends Announced>(deps: AnnouncedDeps<N>) {
  const { saved, clock, max, isKept, unknown, over } = deps
  const byStart = saved.toSorted((a, b) => a.from - b.from)
  const known = new Map(byStart.map((each) => [each.id, each]))
  const saving = createSemaphore({ max: 1 })
  const isOver = (one: N) => announcedState(one, clock.now()) === 'over'
  /** Latest start first. */
  const list = () => [...known.values()].sort((a, b) => b.from - a.from || (a.id < b.id ? 1 : -1))

  const dropOldest = () => {
    for (const one of known.values()) {
      if (known.size <= max) return
      if (isOver(one) && !isKept?.(one)) known.delete(one.id)
    }
  }
  dropOldest()

  /** Those that are already saved. */
  const add = (saved: readonly N[]) => {
    for (const each of saved) known.set(each.id, each)
    dropOldest()
  }

  return {
    find: (id: string): N | undefined => known.get(id),
    list,
    /** Those that are not over. */
    open: (): readonly N[] => [...known.values()].filter((each) => !isOver(each)),
    /** Refuses what is unknown or over. */
    current(id: string): N {
      const one = known.get(id) ?? refuse(unknown)
      return isOver(one) ? refuse(over) : one
    },
    /** One change at a time. */
    exclusively: saving.run,
    add,
    /** Takes effect once it is saved with the record of the change. */
    async put(one: N, change: Omit<Change, 'target'>, by: Sent): Promise<void> {
      const record = recordOf(by, clock.now(), { ...change, target: one.id })
      await deps.save(one, record).catch(() => refuse(errors.notSaved))
      add([one])
    },
    /** Called when the store deletes them. */
    forget(before: number): void {
      for (const { id, until, endedAt } of known.values()) if ((endedAt ?? until ?? Infinity) < before) known.delete(id)
    },
  }
}
