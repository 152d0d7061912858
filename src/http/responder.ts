import type { ServerResponse } from 'node:http'
import type { AccessLog } from './access-log.ts'
import { bounds } from './bounds.ts'
import type { Call } from './call.ts'
import { isHeld } from './conditional-requests.ts'
import {
  type Coding,
  chooseCoding,
  codedTag,
  codingHeaders,
  compress,
  compressChunks,
  tagOf,
} from './content-coding.ts'
import { envelopeOf, fillIn, renderError } from './envelopes.ts'
import { createFailures } from './failures.ts'
import type { Passage } from './gate.ts'
import { createHeaderLines } from './header-lines.ts'
import { linesOf } from './headers.ts'
import { isAlone } from './pending-responses.ts'
import { type Refusal, Refused } from './refusal.ts'
import { createWriteHead } from './response-head.ts'
import { BytesResponse, JsonResponse, JsonStreamResponse, JsonTextResponse, TextResponse } from './responses.ts'
import { firstReplyOf, type Route } from './route.ts'
import type { ServiceOptions } from './service.ts'
import { writeChunks } from './streaming.ts'
import { checkedChunks, checkJson, checkStatus, checkType } from './strict.ts'
import { discardRest, isTooLongToDiscard, isUnread } from './unread-body.ts'

/** Sends every response of the service: replies, refusals and failures. */
export function createResponder(options: ServiceOptions, logAccess: AccessLog) {
  const { strict } = options
  const headerLines = createHeaderLines(options)
  const failures = createFailures(options)
  const setHead = createWriteHead(options.clock, bounds.idleMs)
  let stopping = false

  function writeHead(call: Call, passage: Passage, status: number, lines: string, length: number | null): void {
    const { req, res } = call
    const unread = isUnread(req)
    // The rest of a late or oversized body may still arrive: the connection cannot be reused.
    if (unread && (status === 408 || status === 413 || isTooLongToDiscard(req))) res.shouldKeepAlive = false
    // Otherwise pipelined requests behind it would be lost; the shutdown closes their connection.
    else if (stopping && isAlone(res)) res.shouldKeepAlive = false
    // A client that got no 100 Continue may still send its body.
    if (req.headers.expect !== undefined && !call.isContinueSent) res.shouldKeepAlive = false
    setHead(res, status, `${lines}${passage.leave(status)}X-Request-Id: ${call.requestId}\r\n`, length)
    if (unread) discardRest(req)
  }

  function send(
    call: Call,
    passage: Passage,
    status: number,
    lines: string,
    body: string | Buffer,
    error: string | null = null,
    length = status === 204 || status === 304 ? null : typeof body === 'string' ? Buffer.byteLength(body) : body.length,
  ): void {
    const { res } = call
    if (call.answered) return abandoned(call, passage)
    writeHead(call, passage, status, lines, length)
    res.end(body)
    if (res.writableLength > 0) boundStall(call)
    logAccess(call, status, error)
  }

  /** A failure after the first chunk breaks the connection: a short response must never look complete. */
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
      writeHead(call, passage, status, lines, length)
      boundStall(call)
    }
    try {
      const isComplete = await writeChunks(res, chunks, begin, isGivenAway)
      if (!isComplete) return abandoned(call, passage)
      res.end()
      logAccess(call, status, null)
    } catch (error) {
      if (!res.headersSent) return failure(call, passage, error)
      failures.log(call, error)
      // An HTTP/1.0 client takes the end of the connection for the end of the response, unless it is a reset.
      if (req.httpVersion === '1.0') res.socket?.resetAndDestroy()
      else res.destroy()
      logAccess(call, status, 'the response broke off')
    }
  }

  /** Sends what the route's handler returned. */
  function reply(call: Call, passage: Passage, route: Route, value: unknown): void {
    if (value instanceof BytesResponse) return sendBytes(call, passage, route, value)
    if (value instanceof TextResponse) {
      if (strict) checkType(route, value.status, value.type)
      return send(call, passage, value.status, headerLines.text(call, route, value), value.body)
    }
    const { status } = value instanceof JsonResponse ? value : firstReplyOf(route)
    if (value instanceof JsonStreamResponse) {
      const chunks = strict ? checkedChunks(route, status, value.chunks) : value.chunks
      const { lines, coding } = coded(call, route)
      // HEAD needs no more than the first chunk.
      const isPlain = coding === 'identity' || call.req.method === 'HEAD'
      return void stream(call, passage, status, lines, null, isPlain ? chunks : compressChunks(chunks, coding))
    }
    const text =
      value instanceof JsonTextResponse
        ? value.text
        : JSON.stringify(value instanceof JsonResponse ? value.value : value)
    if (strict) checkJson(route, status, text)
    const ownLines = ownLinesOf(value)
    if (!route.isCompressed) return send(call, passage, status, headerLines.json(call) + ownLines, text)
    const { lines, coding } = coded(call, route, text.length)
    const tag = codedTag(tagOf(text), coding)
    const listLines = `${lines}${ownLines}ETag: "${tag}"\r\n`
    if (isHeld(call.req.headers, tag)) return send(call, passage, 304, listLines, '')
    if (coding === 'identity') return send(call, passage, status, listLines, text)
    compress(text, coding)
      .then((body) => send(call, passage, status, listLines, body))
      .catch((error) => failure(call, passage, error))
  }

  function coded(call: Call, route: Route, length = Number.POSITIVE_INFINITY): { lines: string; coding: Coding } {
    const lines = headerLines.json(call)
    if (!route.isCompressed) return { lines, coding: 'identity' }
    const accepted = call.req.headers['accept-encoding'] as string | undefined
    const coding = length < minCompressed ? 'identity' : chooseCoding(accepted)
    return { lines: lines + linesOf(codingHeaders(coding)), coding }
  }

  function sendBytes(call: Call, passage: Passage, route: Route, response: BytesResponse): void {
    const { status, body, length, sending } = response
    if (strict) checkStatus(route, status)
    const lines = headerLines.bytes(call, route, response)
    if (body !== null && !Buffer.isBuffer(body))
      return void stream(call, passage, status, lines, length, body, sending.isGivenAway)
    send(call, passage, status, lines, body ?? '', null, length)
    if (sending.onOver) whenSent(call.res, sending.onOver)
  }

  function failure(call: Call, passage: Passage, error: unknown): void {
    const refusal = failures.refusalOf(call, error)
    if (call.answered) return abandoned(call, passage, isVerdict(refusal) ? refusal.status : null)
    const own = error instanceof Refused ? error : null
    // Without a route the message may contain the request's own path, which stays as it was sent.
    const message = call.route ? fillIn(refusal.message, { ...options.texts, ...own?.texts }) : refusal.message
    const stack = options.stacks && error instanceof Error && error.stack ? error.stack : 'N/A'
    const body = renderError(envelopeOf(refusal, call.route, options.envelope), refusal.status, message, stack)
    const lines = headerLines.json(call) + linesOf({ ...refusal.headers, ...own?.headers })
    send(call, passage, refusal.status, lines, body, message)
    options.onRefusal?.(call, refusal, message)
  }

  function preflight(call: Call, passage: Passage, methods: readonly string[]): boolean {
    const lines = headerLines.preflight(call.req, methods)
    if (lines !== null) send(call, passage, 204, lines, '')
    return lines !== null
  }

  function abandoned(call: Call, passage: Passage, status: number | null = null): void {
    passage.leave(status)
    logAccess(call, 499, 'the client left before the response')
  }

  /** From now on each response closes its connection, unless pipelined requests stand behind it. */
  function stop(): void {
    stopping = true
  }

  return { reply, failure, preflight, abandoned, stop }
}

function ownLinesOf(value: unknown): string {
  if (value instanceof JsonTextResponse) return value.lines
  return value instanceof JsonResponse ? linesOf(value.headers) : ''
}

/** In characters: below, compressing costs more than it saves. */
const minCompressed = 1024

/** Only a verdict counts against a client that has left; a request that was never received whole does not. */
const isVerdict = ({ status }: Refusal) => status === 401 || status === 403

/** Destroys a response that the client does not read. Lifted first thing on `finish`, before Node turns to the next. */
function boundStall({ req: { socket }, res }: Call): void {
  res.setTimeout(bounds.stallMs, () => res.destroy())
  res.prependOnceListener('finish', () => socket.setTimeout(0))
}

/** Calls `act` when the kernel has taken all bytes, or the socket is closed: until then they are still read. */
function whenSent(res: ServerResponse, act: () => void): void {
  if (res.writableLength === 0) act()
  else res.once('close', act)
}
