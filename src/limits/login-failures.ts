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
export function createLoginFailures(deps: Deps) {
  /** Of the subjects that somebody waits for. */
  const queues = new Map<string, Queue>()
  const keyOf = ({ name }: Scope, subject: string) => `${name} ${subject}`

  const queueOf = (scope: Scope, subject: string): Queue => {
    const key = keyOf(scope, subject)
    const queue = queues.get(key) ?? new Queue({ ...deps, settle, onEmpty: () => queues.delete(key) }, scope, subject)
    queues.set(key, queue)
    return queue
  }

  /** Returns the number of failures. */
  const settle = (reservation: Reservation, isFailure: boolean): number => {
    const failures = deps.counters.settle(reservation, isFailure)
    void queues.get(keyOf(reservation.scope, reservation.subject))?.serve()
    return failures
  }

  return {
    /** If all are reserved but not used up, waits in order of arrival for one to be released. */
    async reserve(call: Call, scope: Scope, subject: string): Promise<Attempt> {
      if (queues.has(keyOf(scope, subject))) return queueOf(scope, subject).wait(call)
      const attempt = await hit(deps, 'reserve', scope, subject)
      if (attempt.reservation || isRefused(scope, 'reserve', attempt.state)) return attempt
      return queueOf(scope, subject).wait(call)
    },
    isAwaited: (scope: Scope, subject: string) => queues.has(keyOf(scope, subject)),
    settle,
  }
}

async function hit({ counters, newId }: Deps, act: CounterOp['act'], scope: Scope, subject: string): Promise<Attempt> {
  const id = act === 'reserve' ? newId() : ''
  const [state] = await counters.hit([{ scope, act }], { ...nobody, address: subject, name: subject }, id)
  return { reservation: state?.reserved ? { scope, subject, id } : null, state: state as CounterState }
}

interface QueueDeps extends Deps {
  settle(reservation: Reservation, isFailure: boolean): number
  onEmpty(): void
}

/** Attempts of one subject that wait for a reservation, in order of arrival. */
class Queue {
  readonly #deps: QueueDeps
  readonly #scope: Scope
  readonly #subject: string
  readonly #waiters: Waiter[] = []
  #isServing = false
  /** Something changed while the queue was being served. */
  #isStale = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: QueueDeps, scope: Scope, subject: string) {
    this.#deps = deps
    this.#scope = scope
    this.#subject = subject
  }

  async wait(call: Call): Promise<Attempt> {
    const { throttle, clock, settle } = this.#deps
    const granted = Promise.withResolvers<void>()
    let attempt = null as Attempt | null
    const waiter: Waiter = {
      isGone: false,
      grant(given) {
        attempt = given
        granted.resolve()
      },
    }
    this.#waiters.push(waiter)
    void this.serve()
    try {
      await throttle.delay(call, maxWaitMs, granted.promise)
    } catch (error) {
      if (attempt?.reservation) settle(attempt.reservation, false)
      throw error
    } finally {
      waiter.isGone = true
    }
    if (attempt) return attempt
    const { state } = await hit(this.#deps, 'peek', this.#scope, this.#subject)
    const isUsedUp = isRefused(this.#scope, 'reserve', state)
    return { reservation: null, state: isUsedUp ? state : { ...state, endsAt: clock.monotonic() + soonMs } }
  }

  /** Grants what can be reserved. */
  async serve(): Promise<void> {
    this.#isStale = true
    if (this.#isServing) return
    this.#isServing = true
    while (this.#waiters.length > 0 && this.#isStale) {
      this.#isStale = false
      if (await this.#serveFirst()) this.#isStale = true
    }
    this.#isServing = false
    clearTimeout(this.#timer)
    if (this.#waiters.length === 0) this.#deps.onEmpty()
    else if (this.#deps.counters.isShared) this.#timer = setTimeout(() => void this.serve(), retryMs).unref()
  }

  /** Returns whether the next one may be served too. */
  async #serveFirst(): Promise<boolean> {
    const waiters = this.#waiters
    const attempt = await hit(this.#deps, 'reserve', this.#scope, this.#subject)
    while (waiters[0]?.isGone) waiters.shift()
    if (attempt.reservation) {
      const next = waiters.shift()
      if (next) next.grant(attempt)
      else this.#deps.counters.settle(attempt.reservation, false)
      return true
    }
    if (!isRefused(this.#scope, 'reserve', attempt.state)) return false
    for (const { grant } of waiters.splice(0)) grant(attempt)
    return true
  }
}
