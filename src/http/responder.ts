import type { ServerResponse } from 'node:http'
import type { AccessLog } from './access-log.ts'
import type { Call } from './call.ts'
import { matchesIfNoneMatch } from './conditional-requests.ts'
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
import { createHeaderLines, type HeaderLines } from './header-lines.ts'
import { linesOf } from './headers.ts'
import { type Refusal, Refused } from './refusal.ts'
import { createResponseWriter, type ResponseWriter } from './response-writer.ts'
import { BytesResponse, JsonResponse, JsonStreamResponse, JsonTextResponse, TextResponse } from './responses.ts'
import { firstReplyOf, type Route } from './route.ts'
import type { ServiceOptions } from './service.ts'
import { checkedChunks, checkJson, checkStatus, checkType } from './strict.ts'

/** Sends every response of the service: replies, refusals and failures. */
export function createResponder(options: ServiceOptions, logAccess: AccessLog) {
  const headerLines = createHeaderLines(options)
  const failures = createFailures(options)
  const writer = createResponseWriter(options, { logAccess, failures, failure })
  const { send, abandoned } = writer

  function failure(call: Call, passage: Passage, error: unknown): void {
    const refusal = failures.refusalOf(call, error)
    if (call.answered) return abandoned(call, passage, isVerdict(refusal) ? refusal.status : null)
    const own = error instanceof Refused ? error : null
    // Without a route, the message may contain the request's own path, which stays as sent.
    const message = call.route ? fillIn(refusal.message, { ...options.texts, ...own?.texts }) : refusal.message
    const stack = options.stacks && error instanceof Error && error.stack ? error.stack : 'N/A'
    const body = renderError(envelopeOf(refusal, call.route, options.envelope), refusal.status, message, stack)
    const lines = headerLines.json(call) + linesOf({ ...refusal.headers, ...own?.headers })
    send(call, passage, refusal.status, lines, body, own?.detail ?? message)
    options.onRefusal?.(call, refusal, message)
  }

  function preflight(call: Call, passage: Passage, methods: readonly string[]): boolean {
    const lines = headerLines.preflight(call.req, methods)
    if (lines !== null) send(call, passage, 204, lines, '')
    return lines !== null
  }

  return { reply: createReply(options, headerLines, writer, failure), failure, preflight, abandoned, stop: writer.stop }
}

/** Sends what the route's handler returned. */
function createReply(
  { strict }: ServiceOptions,
  headerLines: HeaderLines,
  { send, stream }: ResponseWriter,
  failure: (call: Call, passage: Passage, error: unknown) => void,
) {
  function json(call: Call, passage: Passage, route: Route, value: unknown): void {
    const { status } = value instanceof JsonResponse ? value : firstReplyOf(route)
    if (value instanceof JsonStreamResponse) return jsonStream(call, passage, route, status, value)
    const text =
      value instanceof JsonTextResponse
        ? value.text
        : JSON.stringify(value instanceof JsonResponse ? value.value : value)
    if (strict) checkJson(route, status, text)
    const lines = headerLines.json(call) + ownLinesOf(value)
    if (!route.isCompressed) return send(call, passage, status, lines, text)
    const coding = codingFor(call, text.length)
    const tag = codedTag(tagOf(text), coding)
    const listLines = `${lines}${linesOf(codingHeaders(coding))}ETag: "${tag}"\r\n`
    if (matchesIfNoneMatch(call.req.headers, tag)) return send(call, passage, 304, listLines, '')
    if (coding === 'identity') return send(call, passage, status, listLines, text)
    compress(text, coding)
      .then((body) => send(call, passage, status, listLines, body))
      .catch((error) => failure(call, passage, error))
  }

  function jsonStream(call: Call, passage: Passage, route: Route, status: number, value: JsonStreamResponse): void {
    const chunks = strict ? checkedChunks(route, status, value.chunks) : value.chunks
    const coding = route.isCompressed ? codingFor(call) : 'identity'
    const lines = headerLines.json(call) + (route.isCompressed ? linesOf(codingHeaders(coding)) : '')
    // HEAD needs only the first chunk.
    const isPlain = coding === 'identity' || call.req.method === 'HEAD'
    void stream(call, passage, status, lines, null, isPlain ? chunks : compressChunks(chunks, coding))
  }

  function bytes(call: Call, passage: Passage, route: Route, response: BytesResponse): void {
    const { status, body, length, sending } = response
    if (strict) checkStatus(route, status)
    const lines = headerLines.bytes(call, route, response)
    if (body !== null && !Buffer.isBuffer(body))
      return void stream(call, passage, status, lines, length, body, sending.isGivenAway)
    send(call, passage, status, lines, body ?? '', null, length)
    if (sending.onOver) whenSent(call.res, sending.onOver)
  }

  return (call: Call, passage: Passage, route: Route, value: unknown): void => {
    if (value instanceof BytesResponse) return bytes(call, passage, route, value)
    if (!(value instanceof TextResponse)) return json(call, passage, route, value)
    if (strict) checkType(route, value.status, value.type)
    send(call, passage, value.status, headerLines.text(call, route, value), value.body)
  }
}

function codingFor({ req }: Call, length = Number.POSITIVE_INFINITY): Coding {
  const accepted = req.headers['accept-encoding'] as string | undefined
  return length < minCompressed ? 'identity' : chooseCoding(accepted)
}

function ownLinesOf(value: unknown): string {
  if (value instanceof JsonTextResponse) return value.lines
  return value instanceof JsonResponse ? linesOf(value.headers) : ''
}

/** In characters. Below this, compressing costs more than it saves. */
const minCompressed = 1024

/** Only a verdict counts against a client that has disconnected; a request that was never received whole does not. */
const isVerdict = ({ status }: Refusal) => status === 401 || status === 403

/** Calls `act` when the kernel has taken all bytes or the socket is closed: until then the bytes are still in use. */
function whenSent(res: ServerResponse, act: () => void): void {
  if (res.writableLength === 0) act()
  else res.once('close', act)
}
