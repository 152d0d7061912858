import type { MaybePromise } from './maybe-promise.ts'

interface SemaphoreOptions {
  /** Permits. */
  readonly max: number
  /** Max waiters; unlimited by default. */
  readonly maxWaiting?: number
  readonly onFull?: () => Error
  readonly onTimeout?: () => Error
  /** Default: the signal's reason. */
  readonly onAbort?: () => Error
}

interface Wait {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export function createSemaphore(options: SemaphoreOptions) {
  const { max, maxWaiting = Infinity } = options
  const waiters = new Set<Waiter>()
  let running = 0

  const waitForPermit = ({ signal, timeoutMs }: Wait) =>
    new Promise<void>((resolve, reject) => {
      const leaving =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          waiters.delete(waiter)
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          settle(value)
        }
      const waiter: Waiter = { resolve: leaving<void>(resolve), reject: leaving(reject) }
      const onAbort = () => waiter.reject(options.onAbort?.() ?? signal?.reason)
      const onTimeout = () => waiter.reject(options.onTimeout?.() ?? new Error('timed out while waiting for a permit'))
      const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
      signal?.addEventListener('abort', onAbort)
      waiters.add(waiter)
    })

  /** Takes a free permit at once, or waits for one in order of arrival. Release each permit exactly once. */
  const acquire = (wait: Wait = {}): MaybePromise<void> => {
    if (wait.signal?.aborted) throw options.onAbort?.() ?? wait.signal.reason
    if (running >= max && waiters.size >= maxWaiting) throw options.onFull?.() ?? new Error('too many waiters')
    if (running >= max) return waitForPermit(wait)
    running++
  }

  const release = () => {
    const [next] = waiters
    if (next) next.resolve()
    else running--
  }

  return {
    acquire,
    release,
    async run<T>(act: () => Promise<T>, wait?: Wait): Promise<T> {
      const waiting = acquire(wait)
      if (waiting) await waiting
      try {
        return await act()
      } finally {
        release()
      }
    },
    rejectWaiting(error: Error): void {
      for (const waiter of waiters) waiter.reject(error)
    },
    get running() {
      return running
    },
    get waiting() {
      return waiters.size
    },
  }
}
