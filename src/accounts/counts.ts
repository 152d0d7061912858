import type { Clock } from '../lib/clock.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'

export interface Counts {
  auth: number
  admin: number
  images: number
}

/** Counted requests of one user on one day (UTC). */
export interface CountRow extends Readonly<Counts> {
  readonly userId: string
  readonly day: string
}

/** Request counts by day and user, summed in memory. */
export function foldCounts(clock: Clock) {
  let days = new Map<string, Map<string, Counts>>()
  let today = { from: 0, to: 0, fold: new Map<string, Counts>() }

  const foldOf = (day: string) => {
    const fold = days.get(day) ?? new Map<string, Counts>()
    days.set(day, fold)
    return fold
  }

  const current = () => {
    const now = clock.now()
    if (now >= today.from && now < today.to) return today.fold
    const day = dayOf(now)
    const from = Date.parse(day)
    today = { from, to: from + dayMs, fold: foldOf(day) }
    return today.fold
  }

  return {
    /** Returns whether this is the user's first request on this day since `take`. */
    add(userId: string, group: keyof Counts): boolean {
      const fold = current()
      const known = fold.get(userId)
      if (known) known[group]++
      else fold.set(userId, { auth: 0, admin: 0, images: 0, [group]: 1 })
      return known === undefined
    },
    /** Returns and removes all. */
    take(): CountRow[] {
      const rows = [...days].flatMap(([day, fold]) => [...fold].map(([userId, counts]) => ({ userId, day, ...counts })))
      days = new Map()
      today = { from: 0, to: 0, fold: new Map() }
      return rows
    },
  }
}
