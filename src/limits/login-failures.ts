import type { Call } from '../http/call.ts'
import { type CounterOp, type CounterState, nobody, type Reservation } from './counters.ts'
import { isRefused } from './decide.ts'
import type { LimiterDeps } from './limiter.ts'
import type { Scope } from './scopes.ts'

/** A reservation, or the counter state that got the attempt refused. */
export interface Attempt {
  readonly reservation: Reservation | null
  readonly state: CounterState
}

interface Waiter {
  readonly grant: (attempt: Attempt) => void
  isGone: boolean
}

interface Queue {
  readonly scope: Scope
  readonly subject: string
  readonly waiters: Waiter[]
  isPumping: boolean
  /** Something changed while the queue was being served. */
  isStale: boolean
  timer: NodeJS.Timeout | null
}

const maxWaitMs = 5_000
/** Other instances release reservations without notice. */
const retryMs = 100
/** The Retry-After of an attempt that timed out in the queue. */
const soonMs = 1_000

type Deps = Pick<LimiterDeps, 'counters' | 'throttle' | 'clock' | 'newId'>

/**
 * The limit of failed logins (five per name: config/rate-limits.ts). Each attempt reserves one failure before its
 * password is checked, so that concurrent guesses cannot exceed the limit. A success releases it, a failure uses it up.
 */
export function createLoginFailures({ counters, throttle, clock, newId }: Deps) {
  const queues = new Map<string, Queue>()
  const keyOf = ({ name }: Scope, subject: string) => `${name} ${subject}`

  const hit = async (act: CounterOp['act'], scope: Scope, subject: string): Promise<Attempt> => {
    const id = act === 'reserve' ? newId() : ''
    const [state] = await counters.hit([{ scope, act }], { ...nobody, address: subject, name: subject }, id)
    return { reservation: state?.reserved ? { scope, subject, id } : null, state: state as CounterState }
  }

  /** Serves the head of the queue. Returns whether the next one may be served too. */
  const serveFirst = async ({ scope, subject, waiters }: Queue): Promise<boolean> => {
    const attempt = await hit('reserve', scope, subject)
    while (waiters[0]?.isGone) waiters.shift()
    if (attempt.reservation) {
      const next = waiters.shift()
      if (next) next.grant(attempt)
      else counters.settle(attempt.reservation, false)
      return true
    }
    if (!isRefused(scope, 'reserve', attempt.state)) return false
    for (const { grant } of waiters.splice(0)) grant(attempt)
    return true
  }

  const pump = async (key: string, queue: Queue): Promise<void> => {
    queue.isStale = true
    if (queue.isPumping) return
    queue.isPumping = true
    while (queue.waiters.length > 0 && queue.isStale) {
      queue.isStale = false
      if (await serveFirst(queue)) queue.isStale = true
    }
    queue.isPumping = false
    if (queue.timer) clearTimeout(queue.timer)
    queue.timer = null
    if (queue.waiters.length === 0) queues.delete(key)
    else if (counters.isShared) queue.timer = setTimeout(() => void pump(key, queue), retryMs).unref()
  }

  const wait = async (call: Call, key: string, queue: Queue): Promise<Attempt> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let granted: Attempt | null = null
    const waiter: Waiter = {
      isGone: false,
      grant(attempt) {
        granted = attempt
        resolve()
      },
    }
    queue.waiters.push(waiter)
    void pump(key, queue)
    try {
      await throttle.delay(call, maxWaitMs, promise)
    } catch (error) {
      const attempt = granted as Attempt | null
      if (attempt?.reservation) settle(attempt.reservation, false)
      throw error
    } finally {
      waiter.isGone = true
    }
    if (granted) return granted
    const { state } = await hit('peek', queue.scope, queue.subject)
    const isUsedUp = isRefused(queue.scope, 'reserve', state)
    return { reservation: null, state: isUsedUp ? state : { ...state, endsAt: clock.monotonic() + soonMs } }
  }

  /** Returns the number of failures. */
  const settle = (reservation: Reservation, isFailure: boolean): number => {
    const failures = counters.settle(reservation, isFailure)
    const key = keyOf(reservation.scope, reservation.subject)
    const queue = queues.get(key)
    if (queue) void pump(key, queue)
    return failures
  }

  return {
    /** If all are reserved but not used up, waits in order of arrival for one to be released. */
    async reserve(call: Call, scope: Scope, subject: string): Promise<Attempt> {
      const key = keyOf(scope, subject)
      const known = queues.get(key)
      if (known) return wait(call, key, known)
      const attempt = await hit('reserve', scope, subject)
      if (attempt.reservation || isRefused(scope, 'reserve', attempt.state)) return attempt
      const queue = queues.get(key) ?? { scope, subject, waiters: [], isPumping: false, isStale: false, timer: null }
      queues.set(key, queue)
      return wait(call, key, queue)
    },
    isAwaited: (scope: Scope, subject: string) => queues.has(keyOf(scope, subject)),
    settle,
  }
}
