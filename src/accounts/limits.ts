import type { Passage } from '../http/gate.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** What the routes of accounts need of the limiter. */
export interface LimitedPassage extends Passage {
  /** Reserves a login failure of this name, or refuses. The response's status decides whether it is used up. */
  guess(username: string): Promise<void>
  /** What is left to this caller, of that name, in every scope that applies, as JSON. */
  left(username: string): MaybePromise<string>
}
