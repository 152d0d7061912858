import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import { isPromise } from '../lib/maybe-promise.ts'
import type { Logs } from '../process/logger.ts'
import { createAccessLog } from './access-log.ts'
import { bounds } from './bounds.ts'
import { Call, type Sender } from './call.ts'
import { endGently } from './connections.ts'
import type { Cors } from './cors.ts'
import { protocolErrors } from './errors.ts'
import { readFields, readQuery } from './fields.ts'
import type { Gate, Passage } from './gate.ts'
import type { Headers } from './headers.ts'
import { ClientGone, fieldNames, fieldReader, readJson } from './json-body.ts'
import { closeBy } from './node-internals.ts'
import { type Envelope, type Refusal, type Refused, refuse } from './refusal.ts'
import { refusalOfHead } from './request-head.ts'
import type { OnResponse } from './request-metrics.ts'
import { createResponder } from './responder.ts'
import { type Access, open, type Route } from './route.ts'
import { createRouter, type Match } from './router.ts'

/** The routes, and what their functions get besides the call. */
export interface Served<Needs, P extends Passage> {
  readonly routes: readonly Route<Needs, P>[]
  readonly needs: Needs
  readonly gate: Gate<P>
}

export interface ServiceOptions {
  readonly logs: Logs
  readonly clock: Clock
  readonly newId: NewId
  /** The envelope for errors without a route; with `ok`, the worker's, it applies to all errors. */
  readonly envelope: Envelope
  notFound(method: string, path: string): Refusal
  /** Who may request a path that no route matches, before the 404. */
  readonly unmatched?: Pick<Access<Sender | null>, 'admit' | 'permit'>
  /** Checks the connection and the head before anything else. */
  readonly forbid?: (socketAddress: string, headers: IncomingMessage['headers'], target: string) => Refused | null
  addressOf(req: IncomingMessage): string
  /** Values of settings that messages contain as `<NAME>`. */
  readonly texts: Readonly<Record<string, string>>
  /** Include stacks in errors: for development. */
  readonly stacks: boolean
  /** For development and tests: a reply or refusal that its route does not declare is a failure. */
  readonly strict: boolean
  readonly secureTransport: boolean
  readonly cors?: Cors | null
  /** The `headers` for unmatched paths with one of these prefixes. */
  readonly headersUnder?: { readonly prefixes: readonly string[]; readonly headers: Headers }
  /** What the log shows of a path. */
  readonly withoutSecrets?: (path: string) => string
  readonly gate: Gate
  /** Pass parameters with an invalid percent-encoding on to the routes. */
  readonly takesAnySegment?: boolean
  /** Errors that any route may return in addition to its own. */
  readonly everywhere?: readonly Refusal[]
  /** Called for every refusal and failure, with the message as sent. */
  readonly onRefusal?: (call: Call, refusal: Refusal, message: string) => void
  readonly onResponse?: OnResponse
}

export interface Service {
  readonly options: ServiceOptions
  handle(req: IncomingMessage, res: ServerResponse): void
  /** From now on each response closes its connection, unless pipelined requests stand behind it. */
  stop(): void
}

/** Takes each request through connection, head, path, gate, access, body and handler. No promise if nothing waits. */
export function createService<Needs, P extends Passage>(options: ServiceOptions & Served<Needs, P>): Service {
  const { needs } = options
  const router = createRouter(options.routes, options.takesAnySegment)
  const responder = createResponder(options, createAccessLog(options))
  const gate: Gate<P> = options.gate
  const unmatched: Pick<Access<Sender | null>, 'admit' | 'permit'> = options.unmatched ?? open
  let stopping = false

  const handle = (req: IncomingMessage, res: ServerResponse) => {
    const call = new Call(req, res, options.newId(), options.addressOf(req), options.clock.monotonic())
    const passage = gate.open()
    const refused = refusalOfHead(options, req)
    if (refused !== null) {
      res.shouldKeepAlive = false
      // What follows is discarded unparsed.
      closeBy(req.socket, () => endGently(req.socket))
      responder.failure(call, passage, refused)
    } else if (stopping)
      // Waits for pipelined requests to be read, since only the last response may close the connection.
      void nextTurn()
        .then(nextTurn)
        .then(() => take(call, passage))
    else take(call, passage)
  }

  const take = (call: Call, passage: P) => {
    const { req } = call
    try {
      const match = router.find(req.method ?? '', call.path)
      const route = match === null || match === 'malformed' ? null : match.route
      if (match !== null && match !== 'malformed') call.params = match.params
      const entering = passage.enter(call, route)
      if (isPromise(entering))
        entering.then(() => begin(call, passage, match)).catch((error) => fail(call, passage, error))
      else begin(call, passage, match)
    } catch (error) {
      fail(call, passage, error)
    }
  }

  const begin = (call: Call, passage: P, match: Match<Route<Needs, P>> | 'malformed' | null) => {
    const { req } = call
    try {
      if (match === 'malformed') refuse(protocolErrors.badUrl)
      if (!match) {
        if (req.method === 'OPTIONS' && responder.preflight(call, passage, router.methodsOf(call.path))) return
      } else {
        call.route = match.route
      }
      const route = match?.route ?? null
      const actor = (route?.access ?? unmatched).admit(call, needs, passage)
      if (isPromise(actor))
        actor.then((found) => admitted(call, passage, route, found)).catch((error) => fail(call, passage, error))
      else admitted(call, passage, route, actor)
    } catch (error) {
      fail(call, passage, error)
    }
  }

  const admitted = (call: Call, passage: P, route: Route<Needs, P> | null, actor: Sender | null) => {
    call.actor = actor
    const access = route?.access ?? unmatched
    access.permit?.(actor)
    if (route === null) return refuse(options.notFound(call.req.method ?? '', call.path))
    call.admitted = true
    if (route.query) call.query = readQuery(route.query, call.search)
    if (!route.body) return run(call, passage, route)
    const { body, form, bodyLimitBytes: bytes = bounds.bodyBytes, badJson = protocolErrors.badJson } = route
    readJson(call.req, { bytes, badJson, takesForm: form !== undefined, timeoutMs: bounds.bodyMs }, () =>
      call.sendContinue(),
    )
      .then((parsed) => {
        const read = fieldReader(parsed)
        route.preview?.(read, actor)
        call.body = readFields(parsed instanceof URLSearchParams && form ? form : body, read, fieldNames(parsed))
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
