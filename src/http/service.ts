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
import { type Fields, readFields, readQuery } from './fields.ts'
import type { Gate, Passage } from './gate.ts'
import type { Headers } from './headers.ts'
import { ClientGone, fieldNames, fieldReader, readJson } from './json-body.ts'
import { closeBy } from './node-internals.ts'
import { type Envelope, type Refusal, type Refused, refuse } from './refusal.ts'
import { refusalOfHead } from './request-head.ts'
import type { OnResponse } from './request-metrics.ts'
import { createResponder } from './responder.ts'
import { type Access, open, type Route } from './route.ts'
import { createRouter } from './router.ts'

/** The routes, and what their functions get besides the call. */
export interface Served<Needs, P extends Passage> {
  readonly routes: readonly Route<Needs, P>[]
  readonly needs: Needs
  readonly gate: Gate<P>
}

export interface ServiceOptions {
  readonly logs: Logs
  /** One line for each request. By default true. */
  readonly logsRequests?: boolean
  readonly clock: Clock
  readonly newId: NewId
  /** The envelope for errors without a route; with `ok`, the worker's, it applies to all errors. */
  readonly envelope: Envelope
  notFound(method: string, path: string, accept?: string): Refusal
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

/** Takes each request through connection, head, path, gate, access, body and handler. Awaits only what is a promise. */
export function createService<Needs, P extends Passage>(options: ServiceOptions & Served<Needs, P>): Service {
  const { needs } = options
  const router = createRouter(options.routes, options.takesAnySegment)
  const responder = createResponder(options, createAccessLog(options))
  const gate: Gate<P> = options.gate
  const unmatched: Pick<Access<Sender | null>, 'admit' | 'permit'> = options.unmatched ?? open
  let stopping = false

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const call = new Call(req, res, options.newId(), options.addressOf(req), options.clock.monotonic())
    const passage = gate.open()
    try {
      const refused = refusalOfHead(options, req)
      if (refused !== null) {
        res.shouldKeepAlive = false
        // What follows is discarded unparsed.
        closeBy(req.socket, () => endGently(req.socket))
        throw refused
      }
      if (stopping) {
        // Pipelined requests are read first, since only the last response may close the connection.
        await nextTurn()
        await nextTurn()
      }
      const match = router.find(req.method ?? '', call.path)
      const route = match === null || match === 'malformed' ? null : match.route
      if (match !== null && match !== 'malformed') call.params = match.params
      const entering = passage.enter(call, route)
      if (isPromise(entering)) await entering
      if (match === 'malformed') refuse(protocolErrors.badUrl)
      if (route === null && req.method === 'OPTIONS' && responder.preflight(call, passage, router.methodsOf(call.path)))
        return
      call.route = route
      const access = route?.access ?? unmatched
      const admitting = access.admit(call, needs, passage)
      call.actor = isPromise(admitting) ? await admitting : admitting
      access.permit?.(call.actor)
      if (route === null) return refuse(options.notFound(req.method ?? '', call.path, req.headers.accept))
      call.admitted = true
      if (route.query) call.query = readQuery(route.query, call.search)
      if (route.body) await readBody(call, route, route.body)
      const reply = route.handle(call, needs, passage)
      responder.reply(call, passage, route, isPromise(reply) ? await reply : reply)
    } catch (error) {
      if (error instanceof ClientGone) responder.abandoned(call, passage)
      else responder.failure(call, passage, error)
    }
  }

  const stop = () => {
    stopping = true
    responder.stop()
    gate.stop()
  }

  return { options, handle, stop }
}

/** Within the limit of the route, as its fields. */
async function readBody<Needs, P extends Passage>(call: Call, route: Route<Needs, P>, body: Fields<unknown>) {
  const { form, bodyLimitBytes: bytes = bounds.bodyBytes, badJson = protocolErrors.badJson } = route
  const limits = { bytes, badJson, takesForm: form !== undefined, timeoutMs: bounds.bodyMs }
  const parsed = await readJson(call.req, limits, () => call.sendContinue())
  const read = fieldReader(parsed)
  route.preview?.(read, call.actor)
  call.body = readFields(parsed instanceof URLSearchParams && form ? form : body, read, fieldNames(parsed))
}
