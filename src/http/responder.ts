import type { ServerResponse } from 'node:http'
import { Unavailable } from '../lib/unavailable.ts'
import type { AccessLog } from './access-log.ts'
import { bounds } from './bounds.ts'
import type { Call } from './call.ts'
import { type Cors, createCorsLines, preflightHeaders } from './cors.ts'
import { envelopeOf, fillIn, renderError } from './envelopes.ts'
import { protocolErrors } from './errors.ts'
import type { Passage } from './gate.ts'
import { apiHeaders, type Headers, linesOf, securityHeaders } from './headers.ts'
import { STATUS_CODES } from './node-http.ts'
import { isAlone } from './pending-responses.ts'
import { type Refusal, Refused } from './refusal.ts'
import { createWriteHead } from './response-head.ts'
import { BytesResponse, JsonResponse, JsonStreamResponse, JsonTextResponse, TextResponse } from './responses.ts'
import { errorsOf, firstReplyOf, type ReplySpec, type Route, repliesOf } from './route.ts'
import { mismatch } from './schema.ts'
import type { ServiceOptions } from './service.ts'
import { writeChunks } from './streaming.ts'
import { discardRest, isTooLongToDiscard, isUnread } from './unread-body.ts'

const jsonType = 'application/json; charset=utf-8'

/** Everything that leaves the service leaves here: replies, refusals and failures. */
export function createResponder(options: ServiceOptions, logAccess: AccessLog) {
  const { logs, cors = null, everywhere = [] } = options
  const secureLines = linesOf(securityHeaders(options.secureTransport))
  const linesFor = (type: string, headers: Headers = {}) =>
    secureLines + linesOf({ ...apiHeaders, ...headers, 'Content-Type': type })
  const jsonLines = linesFor(jsonType)
  const ownJsonLines = new WeakMap<Headers, string>()
  const corsLines = createCorsLines(cors)
  const writeNodeHead = createWriteHead(options.clock, bounds.idleMs)
  let lastOutageLogged = -Infinity
  let stopping = false

  function send(
    call: Call,
    passage: Passage,
    status: number,
    lines: string,
    body: string | Buffer,
    error: string | null,
    length = status === 204 ? null : typeof body === 'string' ? Buffer.byteLength(body) : body.length,
  ): void {
    const { res } = call
    if (call.answered) return abandoned(call, passage)
    const unread = isUnread(call.req)
    writeHead(call, passage, status, lines, length, unread)
    res.end(body)
    if (res.writableLength > 0) boundStall(call)
    if (unread) discardRest(call.req)
    logAccess(call, status, error)
  }

  function writeHead(
    call: Call,
    passage: Passage,
    status: number,
    lines: string,
    length: number | null,
    unread: boolean,
  ): void {
    const { req, res } = call
    // What was refused for coming late or being too much may go on coming: the connection is of no further use.
    if (unread && (status === 408 || status === 413 || isTooLongToDiscard(req))) res.shouldKeepAlive = false
    // Pipelined requests behind it would be lost. Where there are some, closeQuiet closes the connection.
    else if (stopping && isAlone(res)) res.shouldKeepAlive = false
    // A client that was not told to go on may send its body all the same.
    if (req.headers.expect !== undefined && !call.isToldToGoOn) res.shouldKeepAlive = false
    const passed = passage.leave(status)
    writeNodeHead(res, status, `${lines}${passed}X-Request-Id: ${call.requestId}\r\n`, length)
  }

  /** What breaks off is a connection that breaks off: never a short answer that looks whole. */
  async function stream(
    call: Call,
    passage: Passage,
    status: number,
    lines: string,
    length: number | null,
    chunks: AsyncIterable<string | Uint8Array>,
    isGivenAway = false,
  ): Promise<void> {
    const { req, res } = call
    const begin = () => {
      const unread = isUnread(call.req)
      writeHead(call, passage, status, lines, length, unread)
      boundStall(call)
      if (unread) discardRest(req)
    }
    try {
      const isWhole = await writeChunks(res, chunks, begin, isGivenAway)
      if (!isWhole) return abandoned(call, passage)
      res.end()
      logAccess(call, status, null)
    } catch (error) {
      if (!res.headersSent) return failure(call, passage, error)
      logFailure(call, error)
      // To HTTP/1.0 the end of the connection is the end of the answer, unless it is an error too.
      if (req.httpVersion === '1.0') res.socket?.resetAndDestroy()
      else res.destroy()
      logAccess(call, status, 'the answer broke off')
    }
  }

  function reply(call: Call, passage: Passage, route: Route, value: unknown): void {
    if (value instanceof BytesResponse) return sendBytes(call, passage, route, value)
    if (value instanceof JsonTextResponse) {
      const { status } = firstReplyOf(route)
      if (options.strict) checkReply(route, status, JSON.parse(value.text))
      return send(call, passage, status, jsonLinesFor(call), value.text, null)
    }
    if (value instanceof JsonStreamResponse) {
      const { status } = firstReplyOf(route)
      const chunks = options.strict ? checked(route, status, value.chunks) : value.chunks
      return void stream(call, passage, status, jsonLinesFor(call), null, chunks)
    }
    if (value instanceof TextResponse) {
      if (options.strict) checkAnswer(route, value.status, value.type)
      return send(call, passage, value.status, linesOfAnswer(call, value), value.body, null)
    }
    const answer = value instanceof JsonResponse ? value : { status: firstReplyOf(route).status, value }
    if (options.strict) checkReply(route, answer.status, answer.value)
    send(call, passage, answer.status, jsonLinesFor(call), JSON.stringify(answer.value), null)
  }

  function sendBytes(call: Call, passage: Passage, route: Route, answer: BytesResponse): void {
    const { status, lines, body, length, sending } = answer
    if (options.strict) replySpec(route, status)
    const whole = secureLines + lines + (isForPrograms(route) ? corsLines(call.req) : '')
    if (body !== null && !Buffer.isBuffer(body))
      return void stream(call, passage, status, whole, length, body, sending.isGivenAway)
    send(call, passage, status, whole, body ?? '', null, length)
    if (sending.onOver) whenOver(call.res, sending.onOver)
  }

  /** A route that has headers of its own says by them what pages of other origins may do, too. */
  const jsonLinesFor = ({ route, path, req }: Call): string => {
    if (route?.headers) return ownLines(route.headers)
    const { headersUnder } = options
    if (route === null && headersUnder && path.startsWith(headersUnder.prefix)) return ownLines(headersUnder.headers)
    return jsonLines + corsLines(req)
  }

  function ownLines(headers: Headers): string {
    const lines = ownJsonLines.get(headers) ?? linesFor(jsonType, headers)
    ownJsonLines.set(headers, lines)
    return lines
  }

  function linesOfAnswer({ route, req }: Call, { type, headers }: TextResponse): string {
    const isData = type.startsWith('application/json') || (route !== null && isForPrograms(route))
    return linesFor(type, headers) + (isData ? corsLines(req) : '')
  }

  function failure(call: Call, passage: Passage, error: unknown): void {
    const { refusal, expected } = refusalOf(call, error)
    if (!expected) logFailure(call, error)
    if (call.answered) return abandoned(call, passage, isVerdict(refusal) ? refusal.status : null)
    const envelope = envelopeOf(refusal, call.route, options.envelope)
    // Without a route the message may be made of the request itself, and that stays as it was sent.
    const own = error instanceof Refused ? error : null
    const message = call.route ? fillIn(refusal.message, { ...options.texts, ...own?.texts }) : refusal.message
    const stack = options.stacks && error instanceof Error && error.stack ? error.stack : 'N/A'
    const lines = jsonLinesFor(call) + linesOf({ ...refusal.headers, ...own?.headers })
    send(call, passage, refusal.status, lines, renderError(envelope, refusal.status, message, stack), message)
    options.onRefusal?.(call, refusal, message)
  }

  /** A refusal as it stands; a part that is away as 503; the contract's text for the route; or a plain 500. */
  function refusalOf(call: Call, error: unknown): { refusal: Refusal; expected: boolean } {
    const named = call.admitted ? call.route?.onFailure : undefined
    if (error instanceof Refused) {
      if (!options.strict || everywhere.includes(error.refusal) || isDeclared(call.route, error.refusal))
        return { refusal: error.refusal, expected: true }
      return {
        refusal: { status: 500, message: `undeclared refusal: ${error.message}`, envelope: 'message' },
        expected: false,
      }
    }
    if (named !== undefined) return { refusal: { status: 500, message: named }, expected: false }
    return {
      refusal: error instanceof Unavailable ? protocolErrors.unavailable : protocolErrors.internal,
      expected: false,
    }
  }

  /** A part that stays away would fill the log: one line a second tells as much. */
  function logFailure(call: Call, error: unknown): void {
    if (error instanceof Unavailable) {
      if (options.clock.monotonic() - lastOutageLogged < 1000) return
      lastOutageLogged = options.clock.monotonic()
      logs.log.error({ requestId: call.requestId, part: error.part, err: error.cause ?? error }, error.message)
    } else {
      logs.log.error(
        { requestId: call.requestId, method: call.req.method, path: call.path.slice(0, 256), err: error },
        'request failed',
      )
    }
  }

  function preflight(call: Call, passage: Passage, rules: Cors, methods: readonly string[]): boolean {
    const headers = preflightHeaders(rules, call.req, methods)
    if (headers === null) return false
    send(call, passage, 204, secureLines + linesOf({ ...apiHeaders, ...headers }), '', null)
    return true
  }

  function abandoned(call: Call, passage: Passage, status: number | null = null): void {
    passage.leave(status)
    logAccess(call, 499, 'client left before the answer')
  }

  /** From now on a response is the last on its connection, unless a request stands behind it. */
  function stop(): void {
    stopping = true
  }

  return { reply, failure, preflight, abandoned, stop }
}

/** Of one that has left, only what was judged counts, and not what was never received. */
const isVerdict = ({ status }: Refusal) => status === 401 || status === 403

/** A client that takes nothing of its answer for a while is let go. At its end first, before Node turns to the next. */
function boundStall({ req: { socket }, res }: Call): void {
  res.setTimeout(bounds.stallMs, () => res.destroy())
  res.prependOnceListener('finish', () => socket.setTimeout(0))
}

/** Bytes that the kernel has not taken yet are still read; those of a client that has left, until its socket is closed. */
function whenOver(res: ServerResponse, act: () => void): void {
  if (res.writableLength === 0) act()
  else res.once('close', act)
}

/** Not a page, and not for everybody: whose pages may read it is set. */
const isForPrograms = ({ access }: Route) => access.errors.length > 0

/** The same chunks; throws at their end where they do not make what the route describes. */
async function* checked(route: Route, status: number, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of chunks) {
    text += chunk
    yield chunk
  }
  checkReply(route, status, JSON.parse(text))
}

function checkReply(route: Route, status: number, value: unknown): void {
  const { schema } = replySpec(route, status)
  const found = schema ? mismatch(schema, value, 'reply') : 'it is described as no JSON'
  if (found) throw new Error(`${route.method} ${route.path}: ${found}`)
}

function checkAnswer(route: Route, status: number, type: string): void {
  const { type: described, also = [] } = replySpec(route, status)
  if (type !== described && !also.includes(type))
    throw new Error(`${route.method} ${route.path}: ${type} is not the described ${described}`)
}

function replySpec(route: Route, status: number): ReplySpec {
  const spec = repliesOf(route).find((candidate) => candidate.status === status)
  if (spec) return spec
  throw new Error(
    `${route.method} ${route.path} answered ${status} ${STATUS_CODES[status]}, which it does not describe`,
  )
}

const isDeclared = (route: Route | null, refusal: Refusal) => route === null || errorsOf(route).includes(refusal)
