import type { Env } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Ask } from './ask.ts'
import type { Output } from './output.ts'

/** What every command is given. */
export interface Cli {
  readonly env: Env
  readonly clock: Clock
  readonly ask: Ask
  /** Known once the options are read. */
  readonly out: Output
}
