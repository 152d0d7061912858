import { type Component, createDelivery, type DeliveryOptions } from './delivery.ts'
import { codeOf, isSuccess, maxTimerMs, post, type ResponseCode } from './post.ts'
import { componentId, isComponentId, maxSeconds, type ReportOptions, reportOf, type Status } from './report.ts'

/* Reports component statuses to a status worker. Imports nothing from the service: other programs use it alone. */

export { type ReportOptions, type Status, statuses } from './report.ts'

export interface ReporterOptions {
  /** Http or https; a path is kept. Of several workers, the first that accepts a report is used until it fails. */
  readonly url: string | readonly string[]
  /** Names this program if several report the same components; the worker then combines their reports. */
  readonly instance?: string
  /** Timeout of one request, from name resolution to the end of the response. */
  readonly timeoutMs?: number
  /** Max concurrent requests over all components. */
  readonly maxConcurrent?: number
  /** Gets one line when reports begin to fail, when they succeed again, and for the first report that is invalid. */
  readonly log?: Record<'info' | 'warn', (fields: object, message: string) => void>
  /** Uniform in [0, 1), for the jitter. */
  readonly random?: () => number
}

export interface CheckOptions extends Omit<ReportOptions, 'durationMs'> {
  /** Reports as `durationMs` how long the check took. */
  readonly isTimed?: boolean | undefined
}

/** The intersection makes TypeScript infer `async () => 'outage'` as a promise of a status, not of a string. */
type AsyncCheck = () => Promise<Status> | (Status & Promise<Status>)

export interface Reporter {
  /** Failed and refused requests, and invalid reports. */
  readonly failures: number
  /** Returns at once and never throws. Replaces a report of the component that has not been sent yet. */
  report(componentId: string, status: Status, options?: ReportOptions): void
  /**
   * Reports what `check` resolves to, now and every `intervalMs`; if it fails, `outage` and why. A check that hangs
   * reports nothing, which the worker takes for silence. By default, an interval over a minute sets the time within
   * which the worker expects the next report: a minute more than two intervals. Returns a function that stops it.
   */
  every(componentId: string, intervalMs: number, check: AsyncCheck, options?: CheckOptions): () => void
  every(id: string, intervalMs: number, check: () => Status | Promise<Status>, options?: CheckOptions): () => void
  /** Retries everything pending. Resolves to whether the worker accepted the newest report of every component. */
  flush(withinMs?: number): Promise<boolean>
  /** Aborts requests in flight; later reports are ignored. */
  close(): void
}

const maxComponents = 1_000

/** Throws a TypeError if an option is invalid. */
export function createReporter(options: ReporterOptions): Reporter {
  const components = new Map<string, Component>()
  /** Components whose newest report was invalid. */
  const invalid = new Set<string>()
  const failures = createFailureLog(options.log)
  const flushes = createWaiters()
  const delivery = createDelivery({
    ...checked(options),
    components,
    onOutcome: (component, outcome) => failures.count(component, outcome),
    onIdle: flushes.end,
  })
  const checks = createChecks(report)
  let isClosed = false

  function report(id: string, status: Status, options: ReportOptions | null = null): void {
    if (isClosed) return
    const known = components.get(id)
    const wanted = reportOf(status, options, known?.state === 'idle' ? undefined : known?.wanted)
    const isFull = !known && components.size >= maxComponents
    if (wanted === null || isFull || !(known || isComponentId(id))) {
      if (invalid.size < maxComponents) invalid.add(id)
      const problem = `a reporter has at most ${maxComponents} components`
      return failures.countInvalid(id, isFull ? problem : 'invalid component, status or option')
    }
    invalid.delete(id)
    const component = known ?? { id, wanted, state: 'idle', failures: 0, isRefused: false, retry: undefined }
    components.set(id, component)
    const isNew = component.wanted.status !== status
    component.wanted = wanted
    if (component.state === 'idle' || (component.state === 'waiting' && isNew)) delivery.start(component)
  }

  return {
    get failures() {
      return failures.total
    },
    report,
    every: checks.every,
    async flush(withinMs = 5_000) {
      delivery.retryAll()
      if (!delivery.isIdle() && !isClosed) await flushes.wait(withinMs)
      return (
        invalid.size === 0 && [...components.values()].every(({ state, isRefused }) => state === 'idle' && !isRefused)
      )
    },
    close() {
      isClosed = true
      checks.close()
      delivery.close()
      flushes.end()
    },
  }
}

function createWaiters() {
  const waiters = new Set<() => void>()
  return {
    async wait(withinMs: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        waiters.add(resolve)
        // Referenced: it keeps the process alive until the wait has ended.
        timer = setTimeout(resolve, Math.min(withinMs, maxTimerMs))
      })
      clearTimeout(timer)
    },
    /** Ends every wait. */
    end(): void {
      for (const done of waiters) done()
      waiters.clear()
    },
  }
}

/** The periodic checks. */
function createChecks(report: Reporter['report']) {
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false
  return {
    every(id: string, intervalMs: number, check: () => Status | Promise<Status>, options: CheckOptions = {}) {
      expect(isPositive(intervalMs), 'an intervalMs of more than 0')
      // As long as the worker's default of 180 s for an interval of a minute.
      const expectWithinSeconds =
        intervalMs > 60_000 && options.schedule === undefined
          ? Math.min(Math.ceil(intervalMs / 500) + 60, maxSeconds)
          : undefined
      const terms = { expectWithinSeconds, ...options }
      let isChecking = false
      const run = async () => {
        if (isChecking) return
        isChecking = true
        const startedAt = performance.now()
        // Not Promise.resolve(check()): a check may also throw.
        const found = await (async () => ({ status: await check() }))().catch(failed)
        isChecking = false
        const durationMs = options.isTimed ? performance.now() - startedAt : undefined
        if (timers.has(timer)) report(id, found.status, { ...terms, ...found, durationMs })
      }
      const timer = setInterval(run, Math.min(intervalMs, maxTimerMs)).unref()
      const stop = () => {
        clearInterval(timer)
        timers.delete(timer)
      }
      timers.add(timer)
      if (isClosed) stop()
      else void run()
      return stop
    },
    close(): void {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      timers.clear()
    },
  }
}

function checked(options: ReporterOptions): Pick<DeliveryOptions, 'workers' | 'maxConcurrent' | 'random'> {
  const { url, instance, timeoutMs = 2_000, maxConcurrent = 4, random = Math.random } = options
  const urls = (typeof url === 'string' ? [url] : url).map(heartbeatUrls)
  expect(urls.length > 0, 'at least one url')
  expect(instance === undefined || isComponentId(instance), `an instance like ${componentId}`)
  expect(isPositive(timeoutMs), 'a timeoutMs of more than 0')
  expect(isPositive(maxConcurrent) && Number.isInteger(maxConcurrent), 'a maxConcurrent of 1 or more')
  const workers = urls.map((urlOf): DeliveryOptions['workers'][number] => (id, report, done) => {
    const body = JSON.stringify({ ...report, instance })
    return post(urlOf(id), body, Math.min(timeoutMs, maxTimerMs), done)
  })
  return { workers, maxConcurrent, random }
}

/** Counts failures, and logs when reports begin to fail and when they succeed again. */
function createFailureLog(log: ReporterOptions['log']) {
  /** Components whose last request failed; the worker counts as unavailable until there are none. */
  const failing = new Set<Component>()
  const toldProblems = new Set<string>()

  /** The caller's log must not break a report. */
  function tell(level: 'info' | 'warn', fields: object, message: string): void {
    try {
      log?.[level](fields, message)
    } catch {}
  }

  return {
    total: 0,
    count(component: Component, outcome: ResponseCode): void {
      if (isSuccess(outcome)) {
        if (failing.delete(component) && failing.size === 0) tell('info', {}, 'the status worker accepts reports again')
        return
      }
      this.total++
      if (failing.size === 0)
        tell('warn', { component: component.id, outcome }, 'the status worker did not accept a report')
      failing.add(component)
    },
    countInvalid(component: string, problem: string): void {
      this.total++
      if (!toldProblems.has(problem)) tell('warn', { component }, `not reported: ${problem}`)
      toldProblems.add(problem)
    },
  }
}

function expect(isValid: boolean, what: string): void {
  if (!isValid) throw new TypeError(`expected ${what}`)
}

const isPositive = (value: number) => Number.isFinite(value) && value > 0

/** Why a check failed, with the cause: a fetch itself says only that it failed. */
function failed(why: unknown) {
  const all = [why, (why as Error | null)?.cause].filter((each) => each instanceof Error)
  return { status: 'outage' as const, message: all.map((each) => each.message || codeOf(each)).join(': ') || undefined }
}

function heartbeatUrls(url: string): (id: string) => URL {
  const base = new URL(url)
  expect(/^https?:$/.test(base.protocol), 'an http or https URL')
  const path = base.pathname.replace(/\/+$/, '')
  return (id) => Object.assign(new URL(base), { pathname: `${path}/heartbeat/${id}` })
}
