import type { Clock } from '../../lib/clock.ts'
import type { CounterOp, CounterState, Reservation, Subjects } from '../../limits/counters.ts'
import { maxUndelayed, type Scope, scopeNames } from '../../limits/scopes.ts'
import { Table } from './table.ts'

const maxKeys = 1_048_576
const sweepEveryMs = 1_000
const maxSwept = 32_768

const listOf = Object.fromEntries(scopeNames.map((name, index) => [name, index])) as Record<Scope['name'], number>

/** Counters local to this process. */
export function createMemoryCounters({ clock, max = maxKeys }: { clock: Clock; max?: number | undefined }) {
  const table = new Table(max)
  const timer = setInterval(() => sweep(), sweepEveryMs).unref()

  /** Removes ended windows in portions; runs once a second. */
  const sweep = () => {
    table.expire(clock.monotonic(), maxSwept)
    table.shrink()
  }

  /** The slot of an open window; 0 if there is none and nothing is pending. */
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
    // Each insert removes up to two ended windows, so that the table never fills with them.
    table.expire(now, 2)
    return table.insert(listOf[name], now, now + windowMs)
  }

  const stateOf = (slot: number, { windowMs }: Scope, now: number, reserved: boolean): CounterState =>
    slot === 0
      ? { count: 0, pending: 0, endsAt: now + windowMs, reserved }
      : {
          count: table.count(slot),
          pending: table.pending(slot),
          endsAt: table.endsAt(slot),
          reserved,
        }

  return {
    hit(ops: readonly CounterOp[], subjects: Subjects, _reservationId: string): readonly CounterState[] {
      const now = clock.monotonic()
      const states: CounterState[] = []
      let isUndelayed = true
      for (const { scope, act } of ops) {
        let slot = current(scope, subjects[scope.by], now)
        let reserved = false
        if (act === 'count') {
          if (slot === 0) slot = begin(scope, now)
          const count = table.count(slot) + 1
          table.setCount(slot, count)
          if (count > maxUndelayed(scope)) isUndelayed = false
        } else if (act === 'reserve' && isUndelayed && usedOf(slot) < scope.max) {
          if (slot === 0) slot = begin(scope, now)
          table.setPending(slot, table.pending(slot) + 1)
          reserved = true
        }
        states.push(stateOf(slot, scope, now, reserved))
      }
      return states
    },
    settle({ scope, subject }: Reservation, isFailure: boolean): number {
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
    async forget({ name }: Scope, subject: string): Promise<void> {
      const slot = table.find(listOf[name], subject)
      if (slot === 0) return
      table.setCount(slot, 0)
      if (table.pending(slot) === 0) table.remove(slot)
    },
    /** Shortens the window to end no later than this. Does nothing if there is none. */
    endBy(scope: Scope, subject: string, endsAt: number): void {
      const slot = table.find(listOf[scope.name], subject)
      if (slot !== 0 && endsAt < table.endsAt(slot)) table.setEnd(slot, endsAt)
    },
    sweep,
    clear: () => table.clear(),
    /** The number of live counters. */
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

export type MemoryCounters = ReturnType<typeof createMemoryCounters>
