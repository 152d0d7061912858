import type { Clock } from '../../../lib/clock.ts'

const maxBlockingMs = 1
/** So at most a hundredth of the time is spent on waiting for a disk. */
const restFactor = 100

/**
 * Whether files are opened and read at once or by the thread pool. What the kernel has in memory comes in microseconds,
 * a trip to the pool costs several times that; a disk that has to be waited for must hold up nobody. So it is done at
 * once until that took more than a millisecond, and then by the pool for a hundred times as long.
 */
export interface SyncIo {
  isAllowed(): boolean
  timed<T>(act: () => T): T
}

export function createSyncIo({ monotonic }: Pick<Clock, 'monotonic'>): SyncIo {
  let allowedFrom = -Infinity
  return {
    isAllowed: () => monotonic() >= allowedFrom,
    timed(act) {
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
