import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Call } from './call.ts'

/** What every request passes before its route, and every answer on its way out. */
export interface Gate {
  /** Lets it pass, now or later, or refuses it. Nothing but its head is known then. */
  enter(call: Call): MaybePromise<void>
  /** Lines for the head of its answer; `status` is null where the client left without one. */
  leave(call: Call, status: number | null): string
  /** Whoever is kept waiting is refused, and nobody is from then on. */
  stop(): void
}
