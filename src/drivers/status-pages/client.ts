import type { Socket } from 'node:net'
import { withTimeout } from '../../lib/timeout.ts'
import { exchange, type HttpRequest, type Result } from './exchange.ts'

export const defaultTimeoutMs = 5_000

export type Client = ReturnType<typeof openClient>

/** The timeout covers name resolution, connecting and the response. */
export function openClient(timeoutMs: number = defaultTimeoutMs) {
  const inFlight = new Set<ReturnType<typeof exchange>>()
  const sockets = new Set<Socket>()
  let isClosed = false

  function onSocket(socket: Socket) {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }

  return {
    /** Ends within the timeout and never rejects. */
    async send(request: HttpRequest): Promise<Result> {
      if (isClosed) return { kind: 'not-sent', code: 'CLOSED' }
      const sending = exchange(request, onSocket)
      inFlight.add(sending)
      const result = await withTimeout(sending.result, timeoutMs, () => sending.abort('TIMEOUT'))
      inFlight.delete(sending)
      return result
    },
    /** Aborts what is in flight; resolves when its sockets are closed. */
    async close(): Promise<void> {
      isClosed = true
      const closing = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const sending of inFlight) sending.abort('CLOSED')
      await Promise.all(closing)
    },
  }
}
