import type { Clock } from '../lib/clock.ts'

/** Counted requests with one API key in one minute. */
export interface KeyUse {
  readonly keyId: string
  readonly userId: string
  /** The start of the minute. */
  readonly at: number
  readonly requests: number
}

const minuteMs = 60_000

/** Uses of API keys by minute, summed in memory. */
export function foldKeyUses(clock: Clock) {
  let minutes = new Map<number, Map<string, { readonly userId: string; requests: number }>>()
  return {
    add(keyId: string, userId: string): void {
      const now = clock.now()
      const minute = now - (now % minuteMs)
      const uses = minutes.get(minute) ?? new Map()
      minutes.set(minute, uses)
      const known = uses.get(keyId)
      if (known) known.requests++
      else uses.set(keyId, { userId, requests: 1 })
    },
    /** Returns and removes all. */
    take(): KeyUse[] {
      const taken = [...minutes].flatMap(([at, uses]) => [...uses].map(([keyId, use]) => ({ keyId, at, ...use })))
      minutes = new Map()
      return taken
    },
  }
}
