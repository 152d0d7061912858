import type { Passage } from '../http/gate.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

export interface KeyPassage {
  /** Counts a request of an API key in its own limit, or refuses. */
  countKey(keyId: string, max: number): MaybePromise<void>
}

/** Passwords count as logins, in the limits that the route names. */
export interface Guesses {
  /** Reserves a login failure for this name, or refuses. The response's status decides whether it is used up. */
  guess(username: string): Promise<void>
  /** The password was right: releases the reservations, whatever the response. */
  guessedRight(): void
  /** Forgets the failed logins with this name. */
  forgetGuesses(username: string): Promise<void>
}

export interface NamedUser {
  readonly id: string
  readonly username: string
}

/** What is left of one limit. */
export interface RemainingLimit {
  readonly scope: string
  readonly limit: number
  readonly remaining: number
  /** Null if nothing is counted yet. */
  readonly resetAt: string | null
}

/** What the guard and the account routes need from the limiter. */
export interface LimitedPassage extends Passage, KeyPassage, Guesses {
  /** The remaining limits of this caller, by address, name and user. */
  remainingLimits(user: NamedUser): Promise<readonly RemainingLimit[]>
}
