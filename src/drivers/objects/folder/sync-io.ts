import type { Clock } from '../../../lib/clock.ts'

const maxBlockingMs = 1
/** At most a hundredth of the time is spent blocked. */
const restFactor = 100

/**
 * Whether files are opened and read synchronously or by the thread pool. The kernel reads cached files in microseconds,
 * and the pool costs several times that; but a slow disk must not block the event loop. So it is synchronous until that
 * takes more than a millisecond, and then asynchronous for a hundred times as long.
 */
export function createSyncIo({ monotonic }: Pick<Clock, 'monotonic'>) {
  let allowedFrom = -Infinity
  return {
    isAllowed: () => monotonic() >= allowedFrom,
    timed<T>(act: () => T): T {
      const began = monotonic()
      try {
        return act()
      } finally {
        const now = monotonic()
        if (now - began > maxBlockingMs) allowedFrom = now + (now - began) * restFactor
      }
    },
  }
}

export type SyncIo = ReturnType<typeof createSyncIo>
