import type { Socket } from 'node:net'
import { isAnswering } from './pending-responses.ts'

export function createConnections() {
  const open = new Set<Socket>()
  let count = 0
  return {
    open: open as ReadonlySet<Socket>,
    /** All connections so far, including closed ones. */
    count: () => count,
    add(socket: Socket): void {
      count++
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    },
  }
}

export type Connections = ReturnType<typeof createConnections>

const lingerMs = 1_000

/**
 * Closes connections that have been idle for `idleMs`: nothing received, no response pending. Node's own timers, two
 * for each request, take 5 % of a small one; this checks all connections every `everyMs`. It counts checks rather than
 * time, since a process that was suspended has read nothing meanwhile. Returns a function that stops it.
 */
export function closeIdle(
  sockets: ReadonlySet<Socket>,
  { everyMs, idleMs }: { everyMs: number; idleMs: number },
): () => void {
  const known = new WeakMap<Socket, { readonly bytesRead: number; readonly checks: number }>()
  const isDue = (socket: Socket): boolean => {
    const { bytesRead } = socket
    const before = known.get(socket)
    const checks = before?.bytesRead === bytesRead ? before.checks + 1 : 0
    if (socket.writableEnded || isAnswering(socket)) known.delete(socket)
    else known.set(socket, { bytesRead, checks })
    return known.has(socket) && checks * everyMs >= idleMs
  }
  const check = () => {
    const due = [...sockets].filter(isDue)
    // Waits for another poll of the event loop, which reads what the kernel has received by now.
    if (due.length > 0) setImmediate(() => due.filter(isDue).forEach(endGently))
  }
  const timer = setInterval(check, everyMs).unref()
  return () => clearInterval(timer)
}

/**
 * Ends our side, and discards what arrives until the client ends its side or `lingerMs` have passed. Closing with
 * unread bytes would reset the connection, and the client might lose the response. Nothing is parsed from here on: a
 * request that gets no response must not be carried out.
 */
export function endGently(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {})
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
    socket.once('close', () => clearTimeout(timer))
  })
  socket.resume()
}
