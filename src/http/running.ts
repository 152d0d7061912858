import type { Clock } from '../lib/clock.ts'
import type { Logs } from '../process/logger.ts'
import type { Outages } from '../process/outages.ts'
import type { Listening } from './listen.ts'
import type { ServiceOptions } from './service.ts'

/** A started program. */
export interface Running {
  readonly listening: Listening
  readonly logs: Logs
  /** Logged at start: the address of each part. */
  readonly places: Readonly<Record<string, string>>
  /** The log's own, if it filters outages. */
  readonly outages?: Pick<Outages, 'gone' | 'back'>
  /** Rejects if the program cannot work, as it turned out after its start. */
  readonly prepared?: Promise<void>
  /** Logged once it is known: what the operator still has to do. */
  readonly advice?: Promise<string | null>
  /** Resolves after the first health checks; nothing has to wait for it. */
  readonly checked?: Promise<void>
  /** Makes /ready return 503; returns how many milliseconds to keep serving before `close`. */
  drain?(): number
  /** Closes gracefully; after `graceMs` (default: `bounds.drainMs`), by force. */
  close(graceMs?: number): Promise<void>
}

/** What tests may replace in every program. */
export interface Overrides extends Pick<ServiceOptions, 'onRefusal'> {
  readonly clock?: Clock
  readonly logs?: Logs
  readonly strict?: boolean
  /** 0: any free port. */
  readonly port?: number
}
