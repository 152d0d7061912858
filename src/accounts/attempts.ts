import type { PendingEvent } from './audit.ts'

/** Refused and failed attempts that wait to be written: repetitions folded, bounded, shared fairly among senders. */
export interface Attempts {
  /** `by`: the sender's account, or else its address. */
  add(by: string, event: PendingEvent): void
  /** Returns and removes all attempts, and the number of those that did not fit. */
  take(): { readonly events: readonly PendingEvent[]; readonly missing: number }
  readonly size: number
}

interface Folded {
  readonly key: string
  readonly event: PendingEvent
  count: number
}

/**
 * One entry for each sender, action, target and outcome, with a count. When `max` are waiting, a new one replaces the
 * latest of the sender with most entries, so that one flood cannot displace those of others.
 */
export function createAttempts(max: number): Attempts {
  let known = new Map<string, Folded>()
  let senders = createSenders()
  let missing = 0

  const hasPlace = (by: string): boolean => {
    if (known.size < max) return true
    if (senders.countOf(by) + 1 >= senders.most) return false
    const dropped = senders.dropFromLargest()
    known.delete(dropped.key)
    missing += dropped.count
    return true
  }

  return {
    get size() {
      return known.size
    },
    add(by, event) {
      const { action, outcome, target, named = null } = event
      const key = JSON.stringify([by, action, outcome, target, named])
      const same = known.get(key)
      if (same) return void same.count++
      if (!hasPlace(by)) return void missing++
      const folded = { key, event, count: 1 }
      known.set(key, folded)
      senders.add(by, folded)
    },
    take() {
      const taken = { events: [...known.values()].map(({ event, count }) => ({ ...event, count })), missing }
      known = new Map()
      senders = createSenders()
      missing = 0
      return taken
    },
  }
}

/** What each sender has, and who has most: every step takes the same time, however many they are. */
function createSenders() {
  const lists = new Map<string, Folded[]>()
  /** By how many they have. */
  const ranks: Set<Folded[]>[] = []

  const move = (list: Folded[], change: () => void) => {
    ranks[list.length]?.delete(list)
    change()
    const rank = ranks[list.length] ?? new Set()
    ranks[list.length] = rank.add(list)
    while (ranks.at(-1)?.size === 0) ranks.pop()
  }

  return {
    countOf: (by: string) => lists.get(by)?.length ?? 0,
    get most() {
      return ranks.length - 1
    },
    add(by: string, folded: Folded) {
      const list = lists.get(by) ?? []
      lists.set(by, list)
      move(list, () => list.push(folded))
    },
    dropFromLargest(): Folded {
      const [list = []] = ranks.at(-1) ?? []
      const dropped = list.at(-1) as Folded
      move(list, () => list.pop())
      return dropped
    },
  }
}
