import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Call } from './call.ts'
import type { Route } from './route.ts'

/** One request's passage through the gate, from its head to its response; passed to its handler. */
export interface Passage {
  /** By the head alone, admits the request, at once or later, or refuses it. `route` is null if none matches. */
  enter(call: Call, route: Route | null): MaybePromise<void>
  /** Header lines for its response. `status` is null if the client disconnected before one was sent. */
  leave(status: number | null): string
}

/** Every request passes the gate before its route, and every response on its way out. */
export interface Gate<P extends Passage = Passage> {
  open(): P
  /** Refuses the requests that are waiting, and makes no others wait from now on. */
  stop(): void
}

const unlimited: Passage = { enter() {}, leave: () => '' }

export const openGate: Gate = { open: () => unlimited, stop() {} }
