import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Logs } from '../process/logger.ts'
import { createAccessLog } from './access-log.ts'
import { bounds } from './bounds.ts'
import { Call } from './call.ts'
import type { Cors } from './cors.ts'
import { protocolErrors } from './errors.ts'
import { readFields, readQuery } from './fields.ts'
import type { Gate, Passage } from './gate.ts'
import type { Headers } from './headers.ts'
import { ClientGone, fieldNames, fieldReader, readJson } from './json-body.ts'
import { type Envelope, type Refusal, refuse } from './refusal.ts'
import type { OnResponse } from './request-metrics.ts'
import { createResponder } from './responder.ts'
import type { Route } from './route.ts'
import { createRouter, type Router } from './router.ts'

/** The routes, and what their functions are given besides the call. */
export interface Served<Needs, P extends Passage> {
  readonly routes: readonly Route<Needs, P>[]
  readonly needs: Needs
  readonly gate: Gate<P>
}

export interface ServiceOptions {
  readonly logs: Logs
  readonly clock: Clock
  readonly newId: NewId
  /** The envelope of what no route claims; `ok` is the worker's, and then that of every error. */
  readonly envelope: Envelope
  notFound(method: string, path: string): Refusal
  /** Looks at who asks for a path that no route has, before that is answered. */
  admitUnmatched?(call: Call): MaybePromise<unknown>
  /** Looks at the connection and the head, before anything else of a request. */
  readonly forbid?: (socketAddress: string, headers: IncomingMessage['headers'], target: string) => Refusal | null
  addressOf(req: IncomingMessage): string
  /** Values of the settings that messages name. */
  readonly texts: Readonly<Record<string, string>>
  /** Development: stacks in errors. */
  readonly stacks: boolean
  /** Development and tests: a reply or a refusal that its route does not describe is a failure. */
  readonly strict: boolean
  readonly secureTransport: boolean
  readonly cors?: Cors | null
  /** Of paths that begin so, also where no route matches: as `headers` of a route. */
  readonly headersUnder?: { readonly prefix: string; readonly headers: Headers }
  readonly gate: Gate
  /** Its routes judge parameters that are not validly encoded, too. */
  readonly takesAnySegment?: boolean
  /** What any route may answer beside its own errors. */
  readonly everywhere?: readonly Refusal[]
  /** Told of every refusal and failure, with the message as it is answered. */
  readonly onRefusal?: (call: Call, refusal: Refusal, message: string) => void
  readonly onResponse?: OnResponse
}

export interface Service {
  readonly options: ServiceOptions
  handle(req: IncomingMessage, res: ServerResponse): void
  /** From now on a response closes its connection, unless a request stands behind it. */
  stop(): void
}

/** The way of a request: connection, gate, path, guard, body, route, answer. Without a promise where nothing waits. */
export function createService<Needs, P extends Passage>(options: ServiceOptions & Served<Needs, P>): Service {
  const { needs } = options
  const router = createRouter(options.routes, options.takesAnySegment)
  const responder = createResponder(options, createAccessLog(options.logs, options.clock, options.onResponse))
  const { cors = null } = options
  const gate: Gate<P> = options.gate
  let stopping = false

  const handle = (req: IncomingMessage, res: ServerResponse) => {
    // What stands behind it on its connection is read first: only the last response closes the connection.
    if (stopping)
      void nextTurn()
        .then(nextTurn)
        .then(() => take(req, res))
    else take(req, res)
  }

  const take = (req: IncomingMessage, res: ServerResponse) => {
    const call = new Call(req, res, options.newId(), options.addressOf(req), options.clock.monotonic())
    const passage = gate.open()
    try {
      checkConnection(options, req, res)
      const match = router.find(req.method ?? '', call.path)
      const route = match === null || match === 'malformed' ? null : match.route
      const entering = passage.enter(call, route)
      if (isPromise(entering))
        entering.then(() => begin(call, passage, match)).catch((error) => fail(call, passage, error))
      else begin(call, passage, match)
    } catch (error) {
      fail(call, passage, error)
    }
  }

  const begin = (call: Call, passage: P, match: ReturnType<Router<Route<Needs, P>>['find']>) => {
    const { req, res } = call
    try {
      checkHead(req, res)
      if (match === 'malformed') refuse(protocolErrors.badUrl)
      if (!match) {
        if (cors && req.method === 'OPTIONS' && responder.preflight(call, passage, cors, router.methodsOf(call.path)))
          return
        const deny = () => refuse(options.notFound(req.method ?? '', call.path))
        const actor = options.admitUnmatched?.(call)
        return isPromise(actor) ? void actor.then(deny).catch((error) => fail(call, passage, error)) : deny()
      }
      call.route = match.route
      call.params = match.params
      const actor = match.route.access.admit(call, needs)
      if (isPromise(actor))
        actor.then((found) => admitted(call, passage, match.route, found)).catch((error) => fail(call, passage, error))
      else admitted(call, passage, match.route, actor)
    } catch (error) {
      fail(call, passage, error)
    }
  }

  const admitted = (call: Call, passage: P, route: Route<Needs, P>, actor: unknown) => {
    call.actor = actor
    call.admitted = true
    if (route.query) call.query = readQuery(route.query, call.search)
    if (!route.body) return run(call, passage, route)
    const { body } = route
    const { bodyLimitBytes: bytes = bounds.bodyBytes, badJson = protocolErrors.badJson } = route
    readJson(call.req, { bytes, badJson, timeoutMs: bounds.bodyMs }, () => call.goOn())
      .then((parsed) => {
        const read = fieldReader(parsed)
        call.about = route.about?.(read) ?? null
        call.body = readFields(body, read, fieldNames(parsed))
        return run(call, passage, route)
      })
      .catch((error) => fail(call, passage, error))
  }

  const run = (call: Call, passage: P, route: Route<Needs, P>): void | Promise<void> => {
    const reply = route.handle(call, needs, passage)
    if (isPromise(reply))
      return reply
        .then((value) => responder.reply(call, passage, route, value))
        .catch((error) => fail(call, passage, error))
    responder.reply(call, passage, route, reply)
  }

  const fail = (call: Call, passage: P, error: unknown) => {
    if (error instanceof ClientGone) responder.abandoned(call, passage)
    else responder.failure(call, passage, error)
  }

  const stop = () => {
    stopping = true
    responder.stop()
    gate.stop()
  }

  return { options, handle, stop }
}

/** Who may not be here keeps no connection either. */
function checkConnection({ forbid }: ServiceOptions, req: IncomingMessage, res: ServerResponse): void {
  const refusal = forbid?.(req.socket.remoteAddress ?? '', req.headers, req.url ?? '')
  if (!refusal) return
  res.shouldKeepAlive = false
  refuse(refusal)
}

/** A head that another server on the way may have read differently is refused, and its connection closed. */
function checkHead(req: IncomingMessage, res: ServerResponse): void {
  const refusal = wrongHead(req)
  if (refusal === null) return
  res.shouldKeepAlive = false
  refuse(refusal)
}

function wrongHead({ rawHeaders, headers, httpVersion }: IncomingMessage): Refusal | null {
  if (rawHeaders.length > 2 * bounds.headLines) return protocolErrors.headTooLarge
  const isOld = httpVersion === '1.0'
  const coding = headers['transfer-encoding']
  if (!isOld && httpVersion !== '1.1') return protocolErrors.badRequest
  // HTTP/1.0 knows no chunks (RFC 9112 §6.1), and a coding inside the chunks would reach us undecoded.
  if (coding !== undefined && (isOld || coding.toLowerCase() !== 'chunked')) return protocolErrors.badRequest
  const hosts = countHosts(rawHeaders)
  if (hosts !== 1 && !(hosts === 0 && isOld)) return protocolErrors.badHost
  const { expect } = headers
  return expect === undefined || isOld || expect.toLowerCase() === '100-continue' ? null : protocolErrors.expectation
}

/** Two Host headers may mean two things to two servers; Node itself would take the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
