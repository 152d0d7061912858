import type { EventEmitter } from 'node:events'
import type { PasswordHasher } from '../accounts/passwords.ts'
import type { Env } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ask } from './ask.ts'
import type { Output } from './output.ts'

/** Of SIGINT and the like: the process. */
export type Signals = Pick<EventEmitter, 'on' | 'off'>

/** Passed to every command. */
export interface Cli {
  readonly env: Env
  readonly clock: Clock
  readonly ask: Ask
  /** Delays of retries of a store, if not the usual. */
  readonly backoffMs: readonly number[] | undefined
  /** If not the shipped one. */
  readonly hasher: PasswordHasher | undefined
  readonly signals: Signals
  /** Valid once the options are parsed. */
  readonly out: Output
}
