import type { Socket } from 'node:net'
import { isAnswering } from './pending-responses.ts'

interface Quiet {
  readonly bytesRead: number
  readonly looks: number
}

const lingerMs = 1_000

/**
 * Closes connections that have been quiet for `quietMs`: nothing arrived, nothing is due. Node's own way sets a timer
 * twice for each request, a twentieth of what a small one costs; this looks at all connections every `everyMs`. It
 * counts looks, not time: a process that was held up has read nothing meanwhile.
 */
export function closeQuiet(
  sockets: ReadonlySet<Socket>,
  { everyMs, quietMs }: { everyMs: number; quietMs: number },
): () => void {
  const known = new WeakMap<Socket, Quiet>()
  const isDue = (socket: Socket): boolean => {
    const { bytesRead } = socket
    const before = known.get(socket)
    const looks = before?.bytesRead === bytesRead ? before.looks + 1 : 0
    if (socket.writableEnded || isAnswering(socket)) known.delete(socket)
    else known.set(socket, { bytesRead, looks })
    return known.has(socket) && looks * everyMs >= quietMs
  }
  const look = () => {
    const due = [...sockets].filter(isDue)
    // The event loop polls in between: what the kernel has by now is read first.
    if (due.length > 0) setImmediate(() => due.filter(isDue).forEach(endGently))
  }
  const timer = setInterval(look, everyMs).unref()
  return () => clearInterval(timer)
}

/**
 * Ends our side, and discards what still comes until the client ends its own, for a while at most. Closing over unread
 * bytes would reset the connection, and the client might lose the response. Nothing is parsed any more: a request that
 * cannot be answered must not be carried out.
 */
export function endGently(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {})
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
    socket.once('close', () => clearTimeout(timer))
  })
  socket.resume()
}
