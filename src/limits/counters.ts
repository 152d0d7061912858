import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Scope } from './scopes.ts'

/** `count` counts a request, `reserve` holds one unit of the limit for what may fail, `peek` changes nothing. */
export interface CounterOp {
  readonly scope: Scope
  readonly act: 'count' | 'reserve' | 'peek'
}

/** Who is counted, each in its canonical spelling. */
export interface Subjects {
  readonly address: string
  /** In lower case, or the id of an API key; empty if no account is named. */
  readonly name: string
  /** The id of the user, whatever the name is now; empty if the caller is not known. */
  readonly user: string
  /** The id of an embed link; empty if the request has none. */
  readonly link: string
  /** The id of a console session; empty if the request has none. */
  readonly session: string
}

export const nobody: Subjects = { address: '', name: '', user: '', link: '', session: '' }

/** A subject's counter in one scope, this request included. */
export interface CounterState {
  /** Requests, or failures, in this window. */
  readonly count: number
  /** Reservations whose outcome is still unknown. */
  readonly pending: number
  /** On the monotonic clock. If no window is open, the end of one that began now. */
  readonly endsAt: number
  /** Whether a `reserve` succeeded. */
  readonly reserved: boolean
}

export interface Reservation {
  readonly scope: Scope
  readonly subject: string
  readonly id: string
}

/** Counts requests and failures in fixed windows that begin with the first one. */
export interface Counters {
  /**
   * Applies all operations at once, in order. A `reserve` succeeds if its limit has room and no earlier `count` is over
   * its limit or calls for a delay. Never throws: shared counters fall back to local ones.
   */
  hit(ops: readonly CounterOp[], subjects: Subjects, reservationId: string): MaybePromise<readonly CounterState[]>
  /** Turns a reservation into a failure or releases it, in the background. Returns the failures known here. */
  settle(reservation: Reservation, isFailure: boolean): number
  /** Forgets the failures of a subject, but not its reservations. Never rejects. */
  forget(scope: Scope, subject: string): Promise<void>
  /** Whether other instances also reserve, so that a reservation may be released without notice. */
  readonly isShared: boolean
  close(): Promise<void>
}
