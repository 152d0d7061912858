import type { Socket } from 'node:net'
import { withTimeout } from '../../lib/timeout.ts'
import { type Answer, type Exchange, exchange, type HttpRequest } from './exchange.ts'

export interface Client {
  /** Ends in time whatever happens, and never rejects. */
  ask(request: HttpRequest): Promise<Answer>
  /** What is under way ends, and its sockets are gone. */
  close(): Promise<void>
}

export const timeoutMs = 5_000

/** `limitMs` counts from the asking: the name, the connection, and the answer. */
export function openClient(limitMs: number = timeoutMs): Client {
  const underWay = new Set<Exchange>()
  const sockets = new Set<Socket>()
  let isClosed = false

  function onSocket(socket: Socket) {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }

  return {
    async ask(request) {
      if (isClosed) return { kind: 'unsent', code: 'CLOSED' }
      const asking = exchange(request, onSocket)
      underWay.add(asking)
      const answer = await withTimeout(asking.answer, limitMs, () => asking.stop('TIMEOUT'))
      underWay.delete(asking)
      return answer
    },
    async close() {
      isClosed = true
      const closing = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const asking of underWay) asking.stop('CLOSED')
      await Promise.all(closing)
    },
  }
}
