import type { Clock } from '../../../lib/clock.ts'

const maxBlockingMs = 1
/** At most a hundredth of the time is spent blocked, beyond a burst for single calls that a busy CPU delays. */
const restFactor = 100
const burstMs = 10

/**
 * Whether files are opened and read synchronously or by the thread pool. The kernel reads cached files in microseconds,
 * and the pool costs several times that; but a slow disk must not block the event loop. So once calls of more than a
 * millisecond exceed the burst, calls are asynchronous for a hundred times as long.
 */
export function createSyncIo({ monotonic }: Pick<Clock, 'monotonic'>) {
  let paidBackAt = -Infinity
  return {
    isAllowed: () => paidBackAt - monotonic() <= burstMs * restFactor,
    timed<T>(act: () => T): T {
      const began = monotonic()
      try {
        return act()
      } finally {
        const now = monotonic()
        if (now - began > maxBlockingMs) paidBackAt = Math.max(paidBackAt, now) + (now - began) * restFactor
      }
    },
  }
}

export type SyncIo = ReturnType<typeof createSyncIo>
