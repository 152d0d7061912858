import type { Socket } from 'node:net'
import { withTimeout } from '../../lib/timeout.ts'
import { type Exchange, exchange, type HttpRequest, type Result } from './exchange.ts'

export interface Client {
  /** Ends within the timeout and never rejects. */
  send(request: HttpRequest): Promise<Result>
  /** Aborts what is in flight; resolves when its sockets are closed. */
  close(): Promise<void>
}

export const defaultTimeoutMs = 5_000

/** The timeout covers name resolution, connecting and the response. */
export function openClient(timeoutMs: number = defaultTimeoutMs): Client {
  const inFlight = new Set<Exchange>()
  const sockets = new Set<Socket>()
  let isClosed = false

  function onSocket(socket: Socket) {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }

  return {
    async send(request) {
      if (isClosed) return { kind: 'not-sent', code: 'CLOSED' }
      const sending = exchange(request, onSocket)
      inFlight.add(sending)
      const result = await withTimeout(sending.result, timeoutMs, () => sending.abort('TIMEOUT'))
      inFlight.delete(sending)
      return result
    },
    async close() {
      isClosed = true
      const closing = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const sending of inFlight) sending.abort('CLOSED')
      await Promise.all(closing)
    },
  }
}
