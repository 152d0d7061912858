import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Call } from './call.ts'
import type { Route } from './route.ts'

/** What every request passes before its route, and every answer on its way out. */
export interface Gate {
  /** Admits the request, now or later, or refuses it. Only its head is known by then; `route` is null if none matches. */
  enter(call: Call, route: Route | null): MaybePromise<void>
  /** Lines for the head of its answer; `status` is null where the client left without one. */
  leave(call: Call, status: number | null): string
  /** Whoever is kept waiting is refused, and nobody is from then on. */
  stop(): void
}
