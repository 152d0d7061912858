import type { Config } from '../../config/config.ts'
import type { Cli } from '../cli-context.ts'
import type { Screen } from '../progress.ts'

/** A place is described by the settings of a service that uses it. */
export interface Job {
  readonly cli: Cli
  readonly screen: Screen
  readonly from: Config
  readonly to: Config
  readonly signal: AbortSignal
}
