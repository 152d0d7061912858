import type { Clock } from '../../lib/clock.ts'
import type { Ask, Counters, Place, Standing, Subjects } from '../../limits/counters.ts'
import { quietMost, type Scope, scopeNames } from '../../limits/scopes.ts'
import { Table } from './table.ts'

/** Counters of this process alone: they answer at once, and are gone when it ends. */
export interface MemoryCounters extends Counters {
  hit(asks: readonly Ask[], subjects: Subjects, placeId: string): readonly Standing[]
  /** Its window ends no later than this. Nothing where none has begun. */
  endBy(scope: Scope, subject: string, endsAt: number): void
  /** Drops what is over, a portion at a time; done once a second. */
  sweep(): void
  /** Forgets everything. */
  clear(): void
  /** How many are counted at the moment. */
  readonly size: number
}

const mostKeys = 1_048_576
const sweepEveryMs = 1_000
const mostSwept = 32_768

const listOf = Object.fromEntries(scopeNames.map((name, index) => [name, index])) as Record<Scope['name'], number>

export function createMemoryCounters({ clock, most = mostKeys }: { clock: Clock; most?: number }): MemoryCounters {
  const table = new Table(most)
  const timer = setInterval(() => sweep(), sweepEveryMs).unref()

  const sweep = () => {
    table.expire(clock.monotonic(), mostSwept)
    table.shrink()
  }

  /** The slot of a window that has begun and not ended; 0 where there is none, and nothing is pending. */
  const current = ({ name, windowMs }: Scope, subject: string, now: number): number => {
    const slot = table.find(listOf[name], subject)
    if (slot === 0 || table.endsAt(slot) > now) return slot
    if (table.pending(slot) === 0) {
      table.remove(slot)
      return 0
    }
    table.restart(slot, now + windowMs)
    return slot
  }

  const begin = ({ name, windowMs }: Scope, now: number): number => {
    // Whoever comes new takes two with it that are over, so that nothing has to look for them in a hurry.
    table.expire(now, 2)
    return table.insert(listOf[name], now, now + windowMs)
  }

  const standingOf = (slot: number, { windowMs }: Scope, now: number, taken: boolean): Standing =>
    slot === 0
      ? { count: 0, pending: 0, endsAt: now + windowMs, taken }
      : {
          count: table.count(slot),
          pending: table.pending(slot),
          endsAt: table.endsAt(slot),
          taken,
        }

  return {
    hit(asks, { address, name }) {
      const now = clock.monotonic()
      const standings: Standing[] = []
      let isQuiet = true
      for (const { scope, act } of asks) {
        let slot = current(scope, scope.by === 'address' ? address : name, now)
        let taken = false
        if (act === 'add') {
          if (slot === 0) slot = begin(scope, now)
          const count = table.count(slot) + 1
          table.setCount(slot, count)
          if (count > quietMost(scope)) isQuiet = false
        } else if (act === 'take' && isQuiet && usedOf(slot) < scope.max) {
          if (slot === 0) slot = begin(scope, now)
          table.setPending(slot, table.pending(slot) + 1)
          taken = true
        }
        standings.push(standingOf(slot, scope, now, taken))
      }
      return standings
    },
    settle({ scope, subject }: Place, isFailure) {
      const now = clock.monotonic()
      let slot = current(scope, subject, now)
      if (slot === 0 && isFailure) slot = begin(scope, now)
      if (slot === 0) return 0
      table.setPending(slot, Math.max(0, table.pending(slot) - 1))
      if (isFailure) table.setCount(slot, table.count(slot) + 1)
      const used = table.count(slot)
      if (usedOf(slot) === 0) table.remove(slot)
      return used
    },
    endBy(scope, subject, endsAt) {
      const slot = table.find(listOf[scope.name], subject)
      if (slot !== 0 && endsAt < table.endsAt(slot)) table.setEnd(slot, endsAt)
    },
    sweep,
    clear: () => table.clear(),
    get size() {
      return table.size
    },
    isShared: false,
    async close() {
      clearInterval(timer)
    },
  }

  function usedOf(slot: number): number {
    return slot === 0 ? 0 : table.count(slot) + table.pending(slot)
  }
}
