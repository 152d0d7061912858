import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { renderError } from './envelopes.ts'
import { apiHeaders, securityHeaders } from './headers.ts'
import { STATUS_CODES } from './node-http.ts'
import { protocol, type Refusal } from './refusal.ts'
import type { ServiceOptions } from './service.ts'

/** What Node refuses before there is a request: answered on the bare socket, in our words, and closed. */
export function onClientError(options: ServiceOptions, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) return void socket.destroy()
  const address = (socket as Socket).remoteAddress ?? ''
  const refusal = options.forbid?.(address, {}) ?? refusalOf(error.code)
  const body = renderError(options.envelope, refusal.status, refusal.message, 'N/A')
  const headers = [
    ...securityHeaders(options.secureTransport),
    ...apiHeaders,
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'close',
  ]
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : []))
  options.logs.log.info({ address, status: refusal.status, code: error.code }, 'request refused before it was read')
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () =>
    socket.destroy(),
  )
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return protocol.headTooLarge
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return protocol.timeout
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return protocol.tooLarge
  return protocol.badRequest
}

/** Bytes of ours in the middle of an answer would corrupt it (pipelining). */
function isAnswering(socket: Duplex): boolean {
  const current = (socket as Duplex & { _httpMessage?: { headersSent: boolean } | null })._httpMessage
  return current?.headersSent === true
}
