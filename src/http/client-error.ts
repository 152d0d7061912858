import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Unavailable } from '../lib/unavailable.ts'
import { Call } from './call.ts'
import { envelopeOf, renderError } from './envelopes.ts'
import { protocolErrors } from './errors.ts'
import type { Passage } from './gate.ts'
import { apiHeaders, linesOf, securityHeaders } from './headers.ts'
import { STATUS_CODES } from './node-http.ts'
import { firstPending, isClosing, lastWholePending } from './pending-responses.ts'
import { type Refusal, Refused } from './refusal.ts'
import { refusalOfHead } from './request-head.ts'
import type { ServiceOptions } from './service.ts'
import { isAnsweredEarly } from './unread-body.ts'

const lingerMs = 1_000

/** Responds on the bare socket to what Node refuses before there is a request, and closes the connection. */
export function onClientError(options: ServiceOptions, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return void socket.destroy()
  if (!socket.writable) return void socket.end()
  if (isClosing(socket)) return
  // Pipelined behind requests that are being served: their responses are sent, and are the last.
  const last = lastWholePending(socket)
  if (last?.headersSent) return void last.once('finish', () => (socket as Socket).destroySoon())
  if (last) {
    last.shouldKeepAlive = false
    return
  }
  if (isAnsweredEarly(socket)) return void socket.end()
  if (firstPending(socket)?.headersSent) return void (socket as Socket).destroySoon()
  const refused = options.forbid?.(addressOf(socket), {}, '') ?? new Refused(refusalOf(error.code))
  respond(options, socket, refused, error.code, (options.stacks && error.stack) || 'N/A')
}

/** CONNECT gets the 404 of any unmatched route; Node emits a separate event for it. */
export async function onConnect(options: ServiceOptions, req: IncomingMessage, socket: Duplex): Promise<void> {
  if (isClosing(socket)) return
  const refused = refusalOfHead(options, req)
  if (refused) return respond(options, socket, refused, 'CONNECT', 'N/A')
  // Node creates no ServerResponse for CONNECT, and nothing here needs one.
  const none = null as never
  const call = new Call(req, none, options.newId(), options.addressOf(req), options.clock.monotonic())
  // Unless the socket is read, the end of the connection goes unnoticed.
  socket.on('error', () => socket.destroy()).resume()
  const passage = options.gate.open()
  const refusal = await refusalBefore(options, passage, call)
  if (socket.destroyed) return void passage.leave(null)
  const found = refusal ?? options.notFound('CONNECT', req.url ?? '')
  respond(options, socket, new Refused(found), 'CONNECT', 'N/A', passage.leave(found.status))
}

async function refusalBefore({ unmatched }: ServiceOptions, passage: Passage, call: Call): Promise<Refusal | null> {
  try {
    await passage.enter(call, null)
    if (unmatched) unmatched.permit?.(await unmatched.admit(call, null, null))
    return null
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    return error instanceof Unavailable ? protocolErrors.unavailable : protocolErrors.internal
  }
}

function respond(
  { newId, clock, logs, envelope, secureTransport }: ServiceOptions,
  socket: Duplex,
  { refusal, detail }: Refused,
  code: string | undefined,
  stack: string,
  passed = '',
): void {
  const requestId = newId()
  const { status, message, headers } = refusal
  const body = renderError(envelopeOf(refusal, null, envelope), status, message, stack)
  const lines = linesOf({
    Date: new Date(clock.now()).toUTCString(),
    ...securityHeaders(secureTransport),
    ...apiHeaders,
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  })
  logs.log.info(
    { requestId, address: addressOf(socket), status, code, ...(detail && { detail }) },
    'request refused before it was parsed',
  )
  // Destroying the socket with unread bytes would reset the connection, and the client might lose the response.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket
    .on('error', () => socket.destroy())
    .once('end', () => socket.destroy())
    .once('close', () => clearTimeout(timer))
    .resume()
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${passed}${lines}\r\n${body}`)
}

const addressOf = (socket: Duplex) => (socket as Socket).remoteAddress ?? ''

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return protocolErrors.headTooLarge
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return protocolErrors.timeout
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return protocolErrors.tooLarge
  return protocolErrors.badRequest
}
