import type { Clock } from '../lib/clock.ts'
import type { Logs } from '../process/logger.ts'
import type { Listening } from './listen.ts'
import type { ServiceOptions } from './service.ts'

/** A process of ours, listening. */
export interface Running {
  readonly listening: Listening
  readonly logs: Logs
  /** Resolves when every part of the API was looked at once; nothing has to wait for it. */
  readonly looked?: Promise<void>
  /** Reports that it is not ready any more; returns for how many milliseconds it is to serve as usual before close. */
  drain?(): number
  /** Closes gracefully; after `graceMs` (default: `bounds.drainMs`), by force. */
  close(graceMs?: number): Promise<void>
}

/** What a test may put in the place of the real part, in every process. */
export interface Overrides extends Pick<ServiceOptions, 'onRefusal'> {
  readonly clock?: Clock
  readonly logs?: Logs
  readonly strict?: boolean
  /** 0: any free port. */
  readonly port?: number
}
