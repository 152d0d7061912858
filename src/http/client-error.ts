import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { renderError } from './envelopes.ts'
import { apiHeaders, linesOf, securityHeaders } from './headers.ts'
import { STATUS_CODES } from './node-http.ts'
import { protocol, type Refusal } from './refusal.ts'
import type { ServiceOptions } from './service.ts'
import { isAnsweredEarly } from './unread.ts'

const lingerMs = 1_000

/** What Node refuses before there is a request: answered on the bare socket, in our words, and closed. */
export function onClientError(options: ServiceOptions, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return void socket.destroy()
  if (isAnsweredEarly(socket) || !socket.writable) return void socket.end()
  const current = (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage
  // Pipelined behind a request that is being answered: that answer goes out whole, and is the last.
  if (current?.headersSent) return void (socket as Socket).destroySoon()
  if (current?.req.complete) {
    current.shouldKeepAlive = false
    return
  }
  const refusal = options.forbid?.(addressOf(socket), {}) ?? refusalOf(error.code)
  answer(options, socket, refusal, error.code, (options.stacks && error.stack) || 'N/A')
}

/** CONNECT is a method like any other that no route has; Node gives it a way of its own, past the routes. */
export function onConnect(options: ServiceOptions, req: IncomingMessage, socket: Duplex): void {
  const refusal = options.forbid?.(addressOf(socket), req.headers) ?? options.notFound('CONNECT', req.url ?? '')
  answer(options, socket, refusal, 'CONNECT', 'N/A')
}

function answer(
  { newId, clock, logs, envelope, secureTransport }: ServiceOptions,
  socket: Duplex,
  { status, message }: Refusal,
  code: string | undefined,
  stack: string,
): void {
  const requestId = newId()
  const body = renderError(envelope, status, message, stack)
  const lines = linesOf({
    Date: new Date(clock.now()).toUTCString(),
    ...securityHeaders(secureTransport),
    ...apiHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  })
  logs.log.info({ requestId, address: addressOf(socket), status, code }, 'request refused before it was read')
  // Not destroyed at once: over bytes not read yet that would be a reset, and the answer might be lost.
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket
    .on('error', () => socket.destroy())
    .once('end', () => socket.destroy())
    .once('close', () => clearTimeout(timer))
    .resume()
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`)
}

const addressOf = (socket: Duplex) => (socket as Socket).remoteAddress ?? ''

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return protocol.headTooLarge
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return protocol.timeout
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return protocol.tooLarge
  return protocol.badRequest
}
