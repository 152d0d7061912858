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

export interface Turns {
  /** Resolves when it is the component's turn, or to false if closed first. */
  take(componentId: string, isUrgent: () => boolean): Promise<boolean>
  /** Called if nothing was sent. */
  giveBack(componentId: string): void
  /** Resolves the waits whose turn has come. */
  tick(): void
  close(): void
}

/** Limits how much of the budget a flapping component uses. */
const minIntervalMs = 10_000

/** Shares the budget of a page: outages first, with a reserve, then the longest wait, each component once in 10 s. */
export function createTurns(budget: Budget, clock: Clock): Turns {
  const slots = createSlidingWindow(budget, clock)
  const lastAt = new Map<string, number>()
  const waiting: Waiting[] = []

  const next = (): Waiting | undefined => {
    const since = clock.monotonic() - minIntervalMs
    for (const [id, at] of lastAt) if (at <= since) lastAt.delete(id)
    const ready = waiting.filter(({ componentId }) => !lastAt.has(componentId))
    return ready.find((each) => each.isUrgent()) ?? ready[0]
  }

  const tick = (): void => {
    const take = (each: Waiting) => slots.take(each.isUrgent() ? 0 : budget.reserved)
    for (let each = next(); each !== undefined && take(each); each = next()) {
      waiting.splice(waiting.indexOf(each), 1)
      lastAt.set(each.componentId, clock.monotonic())
      each.go(true)
    }
  }

  return {
    take(componentId, isUrgent) {
      return new Promise((go) => {
        waiting.push({ componentId, isUrgent, go })
        tick()
      })
    },
    giveBack(componentId) {
      lastAt.delete(componentId)
      slots.giveBack()
      tick()
    },
    tick,
    close() {
      for (const { go } of waiting.splice(0)) go(false)
    },
  }
}
