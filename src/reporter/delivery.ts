import { isRefusal, isSuccess, type ResponseCode } from './post.ts'
import type { Report } from './report.ts'

export interface Component {
  readonly id: string
  wanted: Report
  state: 'idle' | 'queued' | 'sending' | 'waiting'
  /** Consecutive failures. */
  failures: number
  isRefused: boolean
  retry: NodeJS.Timeout | undefined
}

export interface DeliveryOptions {
  /** Each sends to one worker, calls `done` once and returns a function that aborts it. */
  readonly workers: readonly ((id: string, report: Report, done: (outcome: ResponseCode) => void) => () => void)[]
  readonly maxConcurrent: number
  readonly random: () => number
  readonly components: ReadonlyMap<string, Component>
  onOutcome(component: Component, outcome: ResponseCode): void
  /** Nothing is left to send. */
  onIdle(): void
}

const maxBackoffMs = 30_000

/** Sends what each component wants reported, until a worker accepts or refuses it. */
export function createDelivery(options: DeliveryOptions) {
  const { workers, maxConcurrent, random, components, onOutcome, onIdle } = options
  const queue: Component[] = []
  const aborts = new Set<() => void>()
  /** The worker that accepted the last report. */
  let leader = 0
  let isClosed = false

  const isIdle = () => [...components.values()].every(({ state }) => state === 'idle')

  function enqueue(component: Component): void {
    clearTimeout(component.retry)
    component.state = 'queued'
    queue.push(component)
  }

  function start(component: Component): void {
    enqueue(component)
    sendNext()
  }

  function sendNext(): void {
    while (!isClosed && aborts.size < maxConcurrent) {
      const component = queue.shift()
      if (component === undefined) break
      component.state = 'sending'
      send(component, leader, workers.length - 1)
    }
    if (isIdle()) onIdle()
  }

  /** A worker that is a stand-by or cannot save responds with 503; the next one is then tried. */
  function send(component: Component, index: number, othersLeft: number): void {
    const { id, wanted } = component
    const worker = workers[index] as (typeof workers)[number]
    const abort = worker(id, wanted, (outcome) => {
      aborts.delete(abort)
      if (isClosed) return
      const isFinal = isSuccess(outcome) || isRefusal(outcome)
      if (!isFinal && othersLeft > 0) return send(component, (index + 1) % workers.length, othersLeft - 1)
      if (isFinal) leader = index
      onOutcome(component, outcome)
      const waitMs = settle(component, wanted, outcome)
      if (waitMs === 0) enqueue(component)
      else if (waitMs !== null)
        component.retry = setTimeout(start, Math.round(waitMs * (0.8 + 0.4 * random())), component).unref()
      sendNext()
    })
    aborts.add(abort)
  }

  return {
    start,
    isIdle,
    /** Also what waits for its next attempt. */
    retryAll(): void {
      for (const component of components.values()) if (component.state === 'waiting') enqueue(component)
      sendNext()
    },
    close(): void {
      isClosed = true
      for (const { retry } of components.values()) clearTimeout(retry)
      for (const abort of aborts) abort()
    },
  }
}

/** Returns how long to wait before the wanted report is sent; null if there is nothing to send. */
function settle(component: Component, sent: Report, outcome: ResponseCode): number | null {
  component.isRefused = isRefusal(outcome)
  const isFinal = isSuccess(outcome) || component.isRefused
  const backoffMs = Math.min(1_000 * 2 ** component.failures, maxBackoffMs)
  component.failures = isFinal ? 0 : component.failures + 1
  component.state = isFinal ? 'idle' : 'waiting'
  // A newer status has not failed yet, so it is sent without waiting.
  if (!isSame(component.wanted, sent)) return 0
  return isFinal ? null : backoffMs
}

const isSame = (a: Report, b: Report) => JSON.stringify(a) === JSON.stringify(b)
