import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Scope } from './scopes.ts'

/** `add` counts a request, `take` takes a place for something that may fail, `look` changes nothing. */
export interface Ask {
  readonly scope: Scope
  readonly act: 'add' | 'take' | 'look'
}

/** Who is counted: one text for each, whatever it was written like. */
export interface Subjects {
  readonly address: string
  /** In lower case; empty where nobody is named. */
  readonly name: string
}

/** How one subject stands in one scope, this request included. */
export interface Standing {
  /** Requests of this window, or places that failures have used up. */
  readonly count: number
  /** Places that are taken, and whose outcome is not known yet. */
  readonly pending: number
  /** By the monotonic clock; where no window has begun, the end of one that begins now. */
  readonly endsAt: number
  /** Of a `take`: whether it has the place. */
  readonly taken: boolean
}

export interface Place {
  readonly scope: Scope
  readonly subject: string
  /** One of its own for each place that was ever taken. */
  readonly id: string
}

/** Where requests and failures are counted, in windows that begin with the first of them. */
export interface Counters {
  /**
   * All of the asks in one act, in their order. A place is taken where one is free and none of the requests that
   * were added before is over its limit or is to be slowed down. Never throws: whoever counts elsewhere counts here
   * while that is away.
   */
  hit(asks: readonly Ask[], subjects: Subjects, placeId: string): MaybePromise<readonly Standing[]>
  /**
   * The outcome of a place: used up for the rest of the window, or free again. Nobody waits for it; answers how many are
   * used up now, as far as it is known here.
   */
  settle(place: Place, isFailure: boolean): number
  /** Whether other instances take places too, so that one may become free without a word. */
  readonly isShared: boolean
  close(): Promise<void>
}
