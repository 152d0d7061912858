import type { Passage } from '../http/gate.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** What the routes of accounts ask of the limits that a request has passed. */
export interface LimitedPassage extends Passage {
  /** Takes a place for a guess at the password of this name, or refuses. The answer's status tells what became of it. */
  guess(username: string): Promise<void>
  /** What is left to this caller, of that name, in every scope that holds: as JSON. */
  left(username: string): MaybePromise<string>
}
