import type { Clock } from '../lib/clock.ts'

/** Counted requests with one API key, embed link or console session in one minute. */
export interface GrantUse {
  readonly grantId: string
  readonly userId: string
  /** The start of the minute. */
  readonly at: number
  readonly requests: number
}

type Uses = Map<string, { readonly userId: string; requests: number }>

const minuteMs = 60_000

/** Uses of grants by minute, summed in memory. */
export function foldGrantUses(clock: Clock) {
  const minutes = new Map<number, Uses>()
  let at = 0
  let uses: Uses = new Map()

  const current = (): Uses => {
    const now = clock.now()
    if (now >= at && now < at + minuteMs) return uses
    at = now - (now % minuteMs)
    uses = minutes.get(at) ?? new Map()
    minutes.set(at, uses)
    return uses
  }

  return {
    add(grantId: string, userId: string): void {
      const all = current()
      const known = all.get(grantId)
      if (known) known.requests++
      else all.set(grantId, { userId, requests: 1 })
    },
    /** Returns and removes all. */
    take(): GrantUse[] {
      const taken = [...minutes].flatMap(([at, uses]) => [...uses].map(([grantId, use]) => ({ grantId, at, ...use })))
      minutes.clear()
      at = 0
      return taken
    },
  }
}
