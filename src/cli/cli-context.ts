import type { EventEmitter } from 'node:events'
import type { PasswordHasher } from '../accounts/passwords.ts'
import type { Env } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ask } from './ask.ts'
import type { Output } from './output.ts'

/** Emits SIGINT and the like: the process. */
export type Signals = Pick<EventEmitter, 'on' | 'off'>

/** Passed to every command. */
export interface Cli {
  readonly env: Env
  readonly clock: Clock
  readonly ask: Ask
  /** Overrides the retry delays of a store. */
  readonly backoffMs?: readonly number[]
  /** Overrides the shipped hasher. */
  readonly hasher?: PasswordHasher
  readonly signals: Signals
  /** Valid once the options are parsed. */
  readonly out: Output
}
