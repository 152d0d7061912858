import type { Call } from '../http/call.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/** What these routes ask of the limits. */
export interface AccountLimits {
  /** Takes a place for a guess at the password of this name, or refuses. The answer's status tells what became of it. */
  guess(call: Call, username: string): Promise<void>
  /** What is left to this caller, of that name, as the JSON that is answered. */
  left(call: Call, username: string): MaybePromise<string>
}
