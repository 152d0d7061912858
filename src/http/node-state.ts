import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/* What Node's server knows of a connection and keeps private. test/http/stop.test.ts shows that it still does. */

interface ServerSocket extends Socket {
  /** The response that is being written; those of pipelined requests wait behind it. */
  readonly _httpMessage?: ServerResponse | null
  /** `incoming` is the newest request whose head has been read. */
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
}

/** A response is due, or the client has not taken all of the last one. */
export const isAnswering = (socket: Socket): boolean =>
  ((socket as ServerSocket)._httpMessage ?? null) !== null || socket.writableLength > 0

/** Nothing that has been read waits behind this request, and nothing ahead of it. */
export function isAlone({ socket }: IncomingMessage, res: ServerResponse): boolean {
  const { _httpMessage, parser } = socket as ServerSocket
  return _httpMessage === res && parser?.incoming === res.req && !socket.isPaused()
}

/** What `close` of the server begins with, and alone takes a tenth of its time: connections that come meanwhile are lost. */
export const closeListener = (server: Server): void =>
  (server as Server & { readonly _handle?: { close(): void } | null })._handle?.close()
