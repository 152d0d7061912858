import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Call } from './call.ts'
import type { Route } from './route.ts'

/** One request's passage through the gate, from its head to its response; passed to its handler. */
export interface Passage {
  /** Admits the request, at once or later, or refuses it, by its head alone. `route` is null if none matches. */
  enter(call: Call, route: Route | null): MaybePromise<void>
  /** Header lines for its response. `status` is null if the client left without one. */
  leave(status: number | null): string
}

/** Passed by every request before its route, and by every response. */
export interface Gate<P extends Passage = Passage> {
  open(): P
  /** Refuses the requests that are held, and holds none from now on. */
  stop(): void
}

const unlimited: Passage = { enter() {}, leave: () => '' }

export const openGate: Gate = { open: () => unlimited, stop() {} }
