import type { Passage } from '../http/gate.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** What the routes of accounts need of the limiter. */
export interface LimitedPassage extends Passage {
  /** Reserves a login failure of this name, or refuses. The response's status decides whether it is used up. */
  guess(username: string): Promise<void>
  /** The remaining limits of this caller, by address and name, as JSON. */
  left(username: string): MaybePromise<string>
}
