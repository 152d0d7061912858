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
  /** Whose it is: of each that waits, one gets a permit in turn, however many it waits for. */
  readonly of?: string
  /** Called when the wait begins, with what to call if another waits for the same: it then counts for whose turn is sooner. */
  readonly onWait?: (share: (other: string) => void) => void
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

const longer = (a: Set<Waiter>, b: Set<Waiter>) => (b.size > a.size ? b : a)

export function createSemaphore(options: SemaphoreOptions) {
  const { max, maxWaiting = Infinity } = options
  /** By whose they are, in the order of their turns. */
  const queues = new Map<string, Set<Waiter>>()
  let running = 0
  let waiting = 0

  const queueOf = (of: string) => queues.get(of) ?? new Set<Waiter>()

  const waitForPermit = ({ signal, timeoutMs, of: first = '', onWait }: Wait) =>
    new Promise<void>((resolve, reject) => {
      let of = first
      const join = () => queues.set(of, queueOf(of).add(waiter))
      const leave = () => {
        const queue = queueOf(of)
        queue.delete(waiter)
        if (queue.size === 0) queues.delete(of)
      }
      const leaving =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          waiting--
          leave()
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          settle(value)
        }
      const waiter: Waiter = { resolve: leaving<void>(resolve), reject: leaving(reject) }
      const onAbort = () => waiter.reject(options.onAbort?.() ?? signal?.reason)
      const onTimeout = () => waiter.reject(options.onTimeout?.() ?? new Error('timed out while waiting for a permit'))
      const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
      signal?.addEventListener('abort', onAbort)
      join()
      waiting++
      onWait?.((other) => {
        if (!queueOf(of).has(waiter) || queueOf(other).size + 1 >= queueOf(of).size) return
        leave()
        of = other
        join()
      })
    })

  /** Only those with the longest queue do not get a place in the place of another's last. */
  const makeRoom = ({ of = '' }: Wait) => {
    const full = options.onFull?.() ?? new Error('too many waiters')
    const longest = [...queues.values()].reduce(longer, new Set<Waiter>())
    if (queueOf(of).size + 1 >= longest.size) throw full
    ;[...longest].at(-1)?.reject(full)
  }

  /** Takes a free permit at once, or waits for one in order of arrival. Release each permit exactly once. */
  const acquire = (wait: Wait = {}): MaybePromise<void> => {
    if (wait.signal?.aborted) throw options.onAbort?.() ?? wait.signal.reason
    if (running >= max) {
      if (waiting >= maxWaiting) makeRoom(wait)
      return waitForPermit(wait)
    }
    running++
  }

  const release = () => {
    const [turn] = queues
    if (turn === undefined) {
      running--
      return
    }
    const [of, queue] = turn
    const [next] = queue
    queues.delete(of)
    queues.set(of, queue)
    next?.resolve()
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
      for (const queue of queues.values()) for (const waiter of queue) waiter.reject(error)
    },
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
  }
}
