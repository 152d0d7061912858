import type { Clock } from '../lib/clock.ts'
import { createSlidingWindow } from '../lib/sliding-window.ts'

/** How many pushes a page allows per window. */
export interface Budget {
  readonly max: number
  readonly windowMs: number
  /** How many of them are reserved for outages; 0 if unset. */
  readonly reserved?: number
}

interface Waiting {
  readonly componentId: string
  isUrgent(): boolean
  go(mayGo: boolean): void
}

/** Max concurrent requests to the target; the timeout of the others begins when they are sent. */
const maxInFlight = 12
/** Limits how much of a budget a flapping component uses. */
const minIntervalMs = 10_000

export type PushQueue = ReturnType<typeof createPushQueue>

/**
 * The queue of a target, in order of arrival. If the target has a budget or responded with 429, outages go first, with a
 * reserve; of a budget, each component gets one push in 10 s.
 */
export function createPushQueue(clock: Clock, budget: Budget | null = null) {
  const slots = budget && createSlidingWindow(budget, clock)
  const lastAt = new Map<string, number>()
  const waiting: Waiting[] = []
  let inFlight = 0
  let pausedUntil = -Infinity
  let isCareful = false
  let isClosing = false

  const isPaused = () => clock.monotonic() < pausedUntil
  const isFull = () => inFlight >= (isCareful ? 1 : maxInFlight)

  const next = (): Waiting | undefined => {
    if (slots === null && !isCareful) return waiting[0]
    const since = clock.monotonic() - minIntervalMs
    for (const [id, at] of lastAt) if (at <= since) lastAt.delete(id)
    const ready = waiting.filter(({ componentId }) => !lastAt.has(componentId))
    return ready.find((each) => each.isUrgent()) ?? ready[0]
  }

  const tick = (): void => {
    const take = (each: Waiting) => slots === null || slots.take(each.isUrgent() ? 0 : budget?.reserved)
    while (!isFull() && !isPaused()) {
      const each = next()
      if (each === undefined || !take(each)) break
      waiting.splice(waiting.indexOf(each), 1)
      inFlight += 1
      if (slots) lastAt.set(each.componentId, clock.monotonic())
      each.go(true)
    }
    if (isClosing && !isFull()) for (const { go } of waiting.splice(0)) go(false)
  }

  return {
    /** Resolves when it is the component's turn, or to false if closed first. Release each turn. */
    take(componentId: string, isUrgent: () => boolean): Promise<boolean> {
      return new Promise((go) => {
        waiting.push({ componentId, isUrgent, go })
        tick()
      })
    },
    /** `wasUsed`: whether anything was sent. */
    release(componentId: string, wasUsed: boolean): void {
      inFlight -= 1
      if (!wasUsed) {
        lastAt.delete(componentId)
        slots?.giveBack()
      }
      if (inFlight === 0 && waiting.length === 0 && !isPaused()) isCareful = false
      tick()
    },
    /** After a 429: sends nothing for that long, if it said how long, and then one at a time until the queue is empty. */
    pause(ms: number): void {
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms)
      isCareful = true
    },
    get isPaused(): boolean {
      return isPaused()
    },
    /** Resolves the waits whose turn has come. */
    tick,
    /** Those that only wait for others in flight still get their turn. */
    close(): void {
      isClosing = true
      tick()
    },
  }
}
