import type { ClientRequest } from 'node:http'

/* Reports component statuses to a status worker. Imports nothing from the service: other programs use it alone. */

export const statuses = ['operational', 'degraded', 'partial', 'outage', 'maintenance'] as const
export type Status = (typeof statuses)[number]

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

export interface ReportOptions {
  /** When the next report is due, 10 to 2,678,400. The worker keeps it until a report has another value. */
  readonly expectWithinSeconds?: number | undefined
  /** When reports are due: a cron expression of five fields, instead of `expectWithinSeconds`. Kept in the same way. */
  readonly schedule?: string | undefined
  /** The time zone of `schedule`, such as `Europe/Berlin`; UTC by default. */
  readonly tz?: string | undefined
  /** How late the next report may be before an incident opens. Kept in the same way. */
  readonly graceSeconds?: number | undefined
  /** Shown beside the status; the first 500 characters are sent. */
  readonly message?: string | undefined
  /** How long the component took to respond, up to a day; the status page shows the mean of each day. */
  readonly durationMs?: number | undefined
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

type Report = ReportOptions & { readonly status: Status }

interface Component {
  readonly id: string
  wanted: Report
  state: 'idle' | 'queued' | 'sending' | 'waiting'
  /** Consecutive failures. */
  failures: number
  isRefused: boolean
  retry: NodeJS.Timeout | undefined
}

/** The response's status, or an error code. */
type ResponseCode = number | string

const componentId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const maxComponents = 1_000
const maxResponseBytes = 4 * 1024
const maxBackoffMs = 30_000
const maxTimerMs = 2 ** 31 - 1
const maxSeconds = 31 * 86_400

/** Throws a TypeError if an option is invalid. */
export function createReporter(options: ReporterOptions): Reporter {
  const { workers, instance, timeoutMs, maxConcurrent, random } = checked(options)
  const failures = createFailureLog(options.log)
  const components = new Map<string, Component>()
  const queue: Component[] = []
  const aborts = new Set<() => void>()
  const waiters = new Set<() => void>()
  const checks = new Set<NodeJS.Timeout>()
  /** Components whose newest report was invalid. */
  const invalid = new Set<string>()
  /** The worker that accepted the last report. */
  let leader = 0
  let isClosed = false

  const isIdle = () => [...components.values()].every(({ state }) => state === 'idle')
  const isDelivered = () => isIdle() && invalid.size === 0 && ![...components.values()].some((each) => each.isRefused)

  function enqueue(component: Component): void {
    clearTimeout(component.retry)
    component.state = 'queued'
    queue.push(component)
  }

  function sendNext(): void {
    while (!isClosed && aborts.size < maxConcurrent) {
      const component = queue.shift()
      if (component === undefined) break
      component.state = 'sending'
      send(component, leader, workers.length - 1)
    }
    if (isIdle()) endFlushes()
  }

  function endFlushes(): void {
    for (const done of waiters) done()
    waiters.clear()
  }

  /** A worker that is a stand-by or cannot save responds with 503; the next one is then tried. */
  function send(component: Component, index: number, othersLeft: number): void {
    const { id, wanted } = component
    const body = JSON.stringify({ ...wanted, instance })
    const target = (workers[index] as (id: string) => URL)(id)
    const abort = post(target, body, Math.min(timeoutMs, maxTimerMs), (outcome) => {
      aborts.delete(abort)
      if (isClosed) return
      const isFinal = isSuccess(outcome) || isRefusal(outcome)
      if (!isFinal && othersLeft > 0) return send(component, (index + 1) % workers.length, othersLeft - 1)
      if (isFinal) leader = index
      settle(component, wanted, outcome)
      sendNext()
    })
    aborts.add(abort)
  }

  function settle(component: Component, sent: Report, outcome: ResponseCode): void {
    component.isRefused = isRefusal(outcome)
    failures.count(component, outcome)
    const isFinal = isSuccess(outcome) || component.isRefused
    const backoffMs = Math.min(1_000 * 2 ** component.failures, maxBackoffMs)
    component.failures = isFinal ? 0 : component.failures + 1
    component.state = isFinal ? 'idle' : 'waiting'
    // A newer status has not failed yet, so it is sent without waiting.
    if (!isSame(component.wanted, sent)) return enqueue(component)
    if (isFinal) return
    component.retry = setTimeout(tryAgain, Math.round(backoffMs * (0.8 + 0.4 * random())), component).unref()
  }

  function tryAgain(component: Component): void {
    enqueue(component)
    sendNext()
  }

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
    if (component.state === 'idle' || (component.state === 'waiting' && isNew)) tryAgain(component)
  }

  return {
    get failures() {
      return failures.total
    },
    report,
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
        if (checks.has(timer)) report(id, found.status, { ...terms, ...found, durationMs })
      }
      const timer = setInterval(run, Math.min(intervalMs, maxTimerMs)).unref()
      const stop = () => {
        clearInterval(timer)
        checks.delete(timer)
      }
      checks.add(timer)
      if (isClosed) stop()
      else void run()
      return stop
    },
    async flush(withinMs = 5_000) {
      for (const component of components.values()) if (component.state === 'waiting') enqueue(component)
      sendNext()
      if (isIdle() || isClosed) return isDelivered()
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        waiters.add(resolve)
        // Referenced: it keeps the process alive until the flush has ended.
        timer = setTimeout(resolve, Math.min(withinMs, maxTimerMs))
      })
      clearTimeout(timer)
      return isDelivered()
    },
    close() {
      isClosed = true
      for (const timer of checks) clearInterval(timer)
      checks.clear()
      for (const { retry } of components.values()) clearTimeout(retry)
      for (const abort of aborts) abort()
      endFlushes()
    },
  }
}

function checked({ url, instance, timeoutMs = 2_000, maxConcurrent = 4, random = Math.random }: ReporterOptions) {
  const workers = (typeof url === 'string' ? [url] : url).map(heartbeatUrls)
  expect(workers.length > 0, 'at least one url')
  expect(instance === undefined || isComponentId(instance), `an instance like ${componentId}`)
  expect(isPositive(timeoutMs), 'a timeoutMs of more than 0')
  expect(isPositive(maxConcurrent) && Number.isInteger(maxConcurrent), 'a maxConcurrent of 1 or more')
  return { workers, instance, timeoutMs, maxConcurrent, random }
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

/** Null if it is invalid. Has the terms of the report that it replaces undelivered, unless it has its own. */
function reportOf(status: Status, options: ReportOptions | null, replaced: Report | undefined): Report | null {
  const kept = (replaced?.status === 'maintenance') === (status === 'maintenance') ? replaced : undefined
  const own = options ?? {}
  const isDueAnew = own.expectWithinSeconds !== undefined || own.schedule !== undefined || own.tz !== undefined
  const { expectWithinSeconds, schedule, tz } = isDueAnew ? own : (kept ?? {})
  const { graceSeconds = kept?.graceSeconds, message, durationMs } = own
  const areValid =
    isSeconds(expectWithinSeconds ?? 10, 10) &&
    isSeconds(graceSeconds ?? 0, 0) &&
    isDuration(durationMs ?? 0) &&
    [message, schedule, tz].every((text) => typeof (text ?? '') === 'string') &&
    (schedule === undefined ? tz === undefined : expectWithinSeconds === undefined)
  if (!areValid || !statuses.includes(status)) return null
  return { status, expectWithinSeconds, schedule, tz, graceSeconds, message: message?.slice(0, 500), durationMs }
}

/** Why a check failed, with the cause: a fetch itself says only that it failed. */
function failed(why: unknown) {
  const all = [why, (why as Error | null)?.cause].filter((each) => each instanceof Error)
  return { status: 'outage' as const, message: all.map((each) => each.message || codeOf(each)).join(': ') || undefined }
}

/** The worker refuses the whole report otherwise. */
const isSeconds = (value: number, min: number) => Number.isInteger(value) && value >= min && value <= maxSeconds
const isDuration = (value: number) => typeof value === 'number' && value >= 0 && value <= 86_400_000

const isSame = (a: Report, b: Report) => JSON.stringify(a) === JSON.stringify(b)
const isComponentId = (id: unknown) => typeof id === 'string' && componentId.test(id)
const isSuccess = (outcome: ResponseCode) => typeof outcome === 'number' && outcome >= 200 && outcome < 300

/** Refused for good: a retry would be refused as well. */
const isRefusal = (outcome: ResponseCode) =>
  typeof outcome === 'number' && outcome >= 400 && outcome < 500 && outcome !== 408 && outcome !== 429

function heartbeatUrls(url: string): (id: string) => URL {
  const base = new URL(url)
  expect(/^https?:$/.test(base.protocol), 'an http or https URL')
  const path = base.pathname.replace(/\/+$/, '')
  return (id) => Object.assign(new URL(base), { pathname: `${path}/heartbeat/${id}` })
}

/**
 * Opens its own connection: a restarting worker may close a kept-alive one just as it is reused. Follows no redirects.
 * Not global fetch, which takes 30 MB. Calls `done` once, and never before it has returned.
 */
function post(url: URL, body: string, timeoutMs: number, done: (outcome: ResponseCode) => void): () => void {
  let call: ClientRequest | undefined
  let status: number | undefined
  let isOver = false
  const end = (code: string) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    call?.destroy()
    setImmediate(() => done(status ?? code))
  }
  const timer = setTimeout(end, timeoutMs, 'ETIMEDOUT').unref()
  const start = ({ request }: typeof import('node:http')) => {
    if (isOver) return
    const headers = { 'Content-Length': Buffer.byteLength(body), 'User-Agent': 'menagerie' }
    call = request(url, { method: 'POST', agent: false, headers: { 'Content-Type': 'application/json', ...headers } })
    call.on('response', (response) => {
      status = response.statusCode
      let bytes = 0
      response
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > maxResponseBytes) end('TRUNCATED')
        })
    })
    call.on('error', (error) => end(codeOf(error)))
    call.on('close', () => end('ECONNRESET'))
    call.end(body)
  }
  // TLS is loaded only when needed.
  const module = url.protocol === 'https:' ? import('node:https') : import('node:http')
  module.then(start as (loaded: unknown) => void).catch((error) => end(codeOf(error)))
  return () => end('CLOSED')
}

/** Node's own error code, never the message, which may quote the URL. */
function codeOf(error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code)
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'ERROR'
}
