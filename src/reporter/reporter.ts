import type { ClientRequest } from 'node:http'

/* Tells a status worker how components are. This file imports nothing of ours: other services use it as it is. */

export const statuses = ['operational', 'degraded', 'partial', 'outage', 'maintenance'] as const
export type Status = (typeof statuses)[number]

export interface ReporterOptions {
  /** Of the worker, http or https; a path is kept. */
  readonly url: string
  /** What one exchange may take, from the look-up of the name to the end of the answer; more than 0. */
  readonly timeoutMs?: number
  /** Exchanges under way at a time, over all components; a whole number from 1. */
  readonly mostAtOnce?: number
  /** One line when reports stop being taken, one when they are again, and one when there are too many components. */
  readonly log?: Record<'info' | 'warn', (fields: object, message: string) => void>
  /** From 0 to 1, for the jitter. */
  readonly random?: () => number
}

export interface Reporter {
  /** Exchanges that failed or were refused, and reports that could not be made. */
  readonly failures: number
  /** Returns at once and never throws. What was to be told of the component before is forgotten. */
  report(componentId: string, status: Status): void
  /** Tries again now what waits; true when the worker has taken the newest report of every component. */
  flush(withinMs?: number): Promise<boolean>
  /** Ends what is under way, and reports nothing any more. */
  close(): void
}

interface Component {
  readonly id: string
  wanted: Status
  state: 'quiet' | 'queued' | 'under way' | 'waiting'
  /** In a row. */
  failures: number
  isRefused: boolean
  retry: NodeJS.Timeout | undefined
}

/** The status of the answer, or a code where there was none. */
type Outcome = number | string

const componentId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const mostComponents = 1_000
const mostAnswerBytes = 4 * 1024
const longestBackoffMs = 30_000
const mostTimerMs = 2 ** 31 - 1

/** Throws a TypeError where `url` is none of a worker or a number is none that can be; after that nothing throws. */
export function createReporter(options: ReporterOptions): Reporter {
  const { url, timeoutMs = 2_000, mostAtOnce = 4, log, random = Math.random } = options
  const heartbeat = heartbeatsUnder(url)
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0)) throw new TypeError('expected a timeoutMs of more than 0')
  if (!(Number.isInteger(mostAtOnce) && mostAtOnce > 0)) throw new TypeError('expected a mostAtOnce of 1 or more')
  const components = new Map<string, Component>()
  const queue: Component[] = []
  const stops = new Set<() => void>()
  const waiters = new Set<() => void>()
  /** Whose last exchange failed: the worker counts as away as long as there is one. */
  const failing = new Set<Component>()
  let failures = 0
  let isClosed = false
  let hasToldOfTooMany = false

  const isQuiet = () => [...components.values()].every(({ state }) => state === 'quiet')
  const isTaken = () => isQuiet() && ![...components.values()].some(({ isRefused }) => isRefused)

  /** What it does wrong is no business of whoever reports. */
  function tell(level: 'info' | 'warn', fields: object, message: string): void {
    try {
      log?.[level](fields, message)
    } catch {}
  }

  function enqueue(component: Component): void {
    clearTimeout(component.retry)
    component.state = 'queued'
    queue.push(component)
  }

  function sendNext(): void {
    while (!isClosed && stops.size < mostAtOnce) {
      const component = queue.shift()
      if (component === undefined) break
      send(component)
    }
    if (waiters.size > 0 && isQuiet()) for (const done of [...waiters]) done()
  }

  function send(component: Component): void {
    const { id, wanted } = component
    component.state = 'under way'
    const stop = post(
      heartbeat(id),
      JSON.stringify({ status: wanted }),
      Math.min(timeoutMs, mostTimerMs),
      (outcome) => {
        stops.delete(stop)
        if (isClosed) return
        settle(component, wanted, outcome)
        sendNext()
      },
    )
    stops.add(stop)
  }

  function settle(component: Component, sent: Status, outcome: Outcome): void {
    const isOk = typeof outcome === 'number' && outcome >= 200 && outcome < 300
    component.isRefused = isRefusal(outcome)
    note(component, outcome, isOk)
    const isOver = isOk || component.isRefused
    const backoffMs = Math.min(1_000 * 2 ** component.failures, longestBackoffMs)
    component.failures = isOver ? 0 : component.failures + 1
    component.state = isOver ? 'quiet' : 'waiting'
    // It became another one while this was told, and that one has not failed yet.
    if (component.wanted !== sent) return enqueue(component)
    if (isOver) return
    component.retry = setTimeout(tryAgain, Math.round(backoffMs * (0.8 + 0.4 * random())), component).unref()
  }

  function tryAgain(component: Component): void {
    enqueue(component)
    sendNext()
  }

  /** A line at the first that fails and one when none does any more, however they take turns. */
  function note(component: Component, outcome: Outcome, isOk: boolean): void {
    const were = failing.size
    if (isOk) {
      failing.delete(component)
      if (were > 0 && failing.size === 0) tell('info', {}, 'the status worker takes reports again')
      return
    }
    failures++
    failing.add(component)
    if (were === 0) tell('warn', { component: component.id, outcome }, 'the status worker does not take reports')
  }

  function tellOfTooMany(id: string): void {
    if (!hasToldOfTooMany) tell('warn', { component: id }, `no more than ${mostComponents} components are reported`)
    hasToldOfTooMany = true
  }

  return {
    get failures() {
      return failures
    },
    report(id, status) {
      if (isClosed) return
      const known = components.get(id)
      const isReport = (known !== undefined || isComponentId(id)) && statuses.includes(status)
      const isTooMany = known === undefined && components.size >= mostComponents
      if (!isReport || isTooMany) {
        failures++
        if (isReport) tellOfTooMany(id)
        return
      }
      const component = known ?? { id, wanted: status, state: 'quiet', failures: 0, isRefused: false, retry: undefined }
      components.set(id, component)
      const isNew = component.wanted !== status
      component.wanted = status
      if (component.state === 'quiet' || (component.state === 'waiting' && isNew)) tryAgain(component)
    },
    flush(withinMs = 5_000) {
      for (const component of components.values()) if (component.state === 'waiting') enqueue(component)
      sendNext()
      if (isQuiet() || isClosed) return Promise.resolve(isTaken())
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          waiters.delete(done)
          resolve(isTaken())
        }
        // This one holds the process: a script that waits for it would otherwise end in the middle.
        const timer = setTimeout(done, Math.min(withinMs, mostTimerMs))
        waiters.add(done)
      })
    },
    close() {
      isClosed = true
      for (const { retry } of components.values()) clearTimeout(retry)
      for (const stop of stops) stop()
      for (const done of [...waiters]) done()
    },
  }
}

const isComponentId = (id: unknown) => typeof id === 'string' && componentId.test(id)

/** What would be answered the same however often it is said. */
const isRefusal = (outcome: Outcome) =>
  typeof outcome === 'number' && outcome >= 400 && outcome < 500 && outcome !== 408 && outcome !== 429

function heartbeatsUnder(url: string): (id: string) => URL {
  const base = new URL(url)
  if (base.protocol !== 'http:' && base.protocol !== 'https:') throw new TypeError('expected an http or https URL')
  const path = base.pathname.replace(/\/+$/, '')
  return (id) => Object.assign(new URL(base), { pathname: `${path}/heartbeat/${id}` })
}

/**
 * Over a connection of its own, which a worker that restarts cannot close in the moment it is used again. Follows no
 * redirect. Not global fetch: that costs 30 MB. `over` is called once, and never before this has answered.
 */
function post(url: URL, body: string, timeoutMs: number, over: (outcome: Outcome) => void): () => void {
  let call: ClientRequest | undefined
  let status: number | undefined
  let isOver = false
  const end = (code: string) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    call?.destroy()
    setImmediate(() => over(status ?? code))
  }
  const timer = setTimeout(end, timeoutMs, 'ETIMEDOUT').unref()
  try {
    const length = Buffer.byteLength(body)
    const headers = { 'Content-Type': 'application/json', 'Content-Length': length, 'User-Agent': 'menagerie' }
    const request = { method: 'POST', agent: false, headers } as const
    call =
      url.protocol === 'https:'
        ? process.getBuiltinModule('node:https').request(url, request)
        : process.getBuiltinModule('node:http').request(url, request)
    call.on('response', (answer) => {
      status = answer.statusCode
      let bytes = 0
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length
        if (bytes > mostAnswerBytes) end('CUT')
      })
      answer.on('error', () => {})
    })
    call.on('error', (error) => end(codeOf(error)))
    call.on('close', () => end('ECONNRESET'))
    call.end(body)
  } catch (error) {
    end(codeOf(error))
  }
  return () => end('CLOSED')
}

/** Only words that Node makes: a message may hold the address. */
function codeOf(error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code)
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'ERROR'
}
