import type { PendingEvent } from './audit.ts'

interface Folded {
  readonly key: string
  readonly event: PendingEvent
  count: number
}

/**
 * Refused and failed attempts waiting to be written: one entry per sender, action, target and outcome, with a count.
 * When `max` are waiting, a new one replaces the latest of the sender with the most entries, so that a flood cannot
 * displace those of others.
 */
export function createAttempts(max: number) {
  let known = new Map<string, Folded>()
  let senders = new Map<string, Folded[]>()
  let missing = 0

  const hasRoom = (by: string): boolean => {
    if (known.size < max) return true
    const largest = largestOf(senders)
    if ((senders.get(by)?.length ?? 0) + 1 >= largest.length) return false
    const dropped = largest.pop() as Folded
    known.delete(dropped.key)
    missing += dropped.count
    return true
  }

  return {
    get size() {
      return known.size
    },
    /** `by`: the sender's account, or else its address. */
    add(by: string, event: PendingEvent): void {
      const { action, outcome, target, named = null } = event
      const key = JSON.stringify([by, action, outcome, target, named])
      const same = known.get(key)
      if (same) return void same.count++
      if (!hasRoom(by)) return void missing++
      const folded = { key, event, count: 1 }
      known.set(key, folded)
      const own = senders.get(by)
      if (own) own.push(folded)
      else senders.set(by, [folded])
    },
    /** Returns and removes all attempts, with the number of those that did not fit. */
    take() {
      const taken = { events: [...known.values()].map(({ event, count }) => ({ ...event, count })), missing }
      known = new Map()
      senders = new Map()
      missing = 0
      return taken
    },
  }
}

/** The sender with the most entries. A scan, since it is only needed while the journal is full. */
const largestOf = (lists: ReadonlyMap<string, Folded[]>): Folded[] =>
  [...lists.values()].reduce((largest, list) => (list.length > largest.length ? list : largest), [])
