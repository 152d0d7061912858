import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Call } from './call.ts'
import type { Route } from './route.ts'

/** One request's way past the gate, from its head to its answer; handed on to its handler. */
export interface Passage {
  /** Admits the request, now or later, or refuses it. Only its head is known by then; `route` is null if none matches. */
  enter(call: Call, route: Route | null): MaybePromise<void>
  /** Lines for the head of its answer; `status` is null where the client left without one. */
  leave(status: number | null): string
}

/** What every request passes before its route, and every answer on its way out. */
export interface Gate<P extends Passage = Passage> {
  open(): P
  /** Whoever is kept waiting is refused, and nobody is from then on. */
  stop(): void
}

const unlimited: Passage = { enter() {}, leave: () => '' }

export const openGate: Gate = { open: () => unlimited, stop() {} }
