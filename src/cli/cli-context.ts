import type { PasswordHasher } from '../accounts/passwords.ts'
import type { Env } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ask } from './ask.ts'
import type { Output } from './output.ts'

/** Passed to every command. */
export interface Cli {
  readonly env: Env
  readonly clock: Clock
  readonly ask: Ask
  /** Delays of retries of a store, if not the usual. */
  readonly backoffMs: readonly number[] | undefined
  /** If not the shipped one. */
  readonly hasher: PasswordHasher | undefined
  /** Valid once the options are parsed. */
  readonly out: Output
}
