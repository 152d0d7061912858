import type { Journal } from '../accounts/journal.ts'
import { bounds } from '../http/bounds.ts'
import type { Listening } from '../http/listen.ts'
import type { Running } from '../http/running.ts'
import type { Logs } from '../process/logger.ts'
import type { reportHealth } from './own-health.ts'
import type { Readiness } from './readiness.ts'

export interface Closable {
  close(): Promise<void>
}

interface Parts {
  readonly listening: Listening
  readonly readiness: Readiness
  readonly reports: ReturnType<typeof reportHealth> | null
  readonly journal: Journal
  readonly opened: readonly Closable[]
  readonly logs: Logs
  /** How long to keep listening while /ready is 503. */
  readonly delayMs: number
}

export async function closeAll(opened: readonly Closable[]): Promise<void> {
  for (const part of opened.toReversed()) await part.close()
}

/** The order of shutdown; process/run.ts calls it at a signal. */
export function createShutdown(parts: Parts): Pick<Running, 'drain' | 'close'> {
  const { listening, readiness, reports, journal, opened, logs, delayMs } = parts
  return {
    drain() {
      readiness.drain()
      return delayMs
    },
    async close(graceMs = bounds.drainMs) {
      readiness.drain()
      // Requests that have arrived get their responses first; then their counts are written.
      await Promise.all([listening.close(graceMs), reports?.stop()])
      readiness.stop()
      await journal.close()
      await closeAll(opened)
      logs.flush()
    },
  }
}
