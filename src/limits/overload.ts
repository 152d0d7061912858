import type { Call } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { errors } from './errors.ts'

/** A turn of the event loop serves requests for this long. Those that arrived besides have waited for about two turns. */
export const servedMs = 200
/** So long, turn after turn: else it is a long list, a collection of garbage or a burst, and ends by itself. */
export const patienceMs = 1_000

/**
 * Sheds load. A turn of the event loop handles all requests that have arrived: if more arrive meanwhile than it handled,
 * turns get longer and longer.
 */
export function createOverload(clock: Pick<Clock, 'monotonic'>) {
  let turnSince: number | null = null
  let turnEnded = 0
  let longSince: number | null = null

  const endTurn = () => {
    turnEnded = clock.monotonic()
    const start = turnSince ?? turnEnded
    longSince = turnEnded - start < servedMs ? null : (longSince ?? start)
    turnSince = null
  }

  return {
    /** Refuses a request that has just been read, if it is one too many. */
    admit({ startedAt }: Pick<Call, 'startedAt'>): void {
      if (turnSince === null) {
        turnSince = startedAt
        if (turnSince - turnEnded > servedMs) longSince = null
        setImmediate(endTurn)
      }
      if (longSince !== null && startedAt - longSince > patienceMs && startedAt - turnSince > servedMs)
        refuse(errors.overloaded)
    },
  }
}

export type Overload = ReturnType<typeof createOverload>
