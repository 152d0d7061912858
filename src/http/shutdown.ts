import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Connections, closeIdle, endGently } from './connections.ts'
import { closeBy } from './node-internals.ts'
import type { Service } from './service.ts'

/** Max connections that the kernel holds before the process accepts them. */
export const backlog = 1_024
const idle = { everyMs: 50, idleMs: 500 }

/**
 * The order of a shutdown: accept what the kernel has, close the listeners, finish every request, close each connection
 * once it is idle; after `graceMs`, close by force.
 */
export async function closeServers(
  servers: readonly Server[],
  connections: Connections,
  service: Service,
  graceMs: number,
): Promise<void> {
  const sockets = connections.open
  const resume = await emptyBacklog(connections)
  const closed = servers.map((server) => new Promise<void>((resolve) => closeListener(server, resolve)))
  resume()
  // Not earlier: a client that is told to close may reconnect, and must not land in a backlog that is never accepted.
  service.stop()
  // Node would destroy the connection after its last response, and so reset it if bytes are unread.
  for (const socket of sockets) closeBy(socket, () => endGently(socket))
  const stopClosing = closeIdle(sockets, { ...idle, idleMs: Math.min(idle.idleMs, graceMs / 20) })
  const force = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), graceMs)
  await Promise.all(closed)
  clearTimeout(force)
  stopClosing()
  // Stops Node's request timeout timer.
  for (const server of servers) server.close()
}

/**
 * Bypasses `http.Server.close`, which also ends connections that it considers idle: they may have unread bytes, or a
 * response that the client has not read. It also looks for them first, while a second address still accepts connections.
 */
const closeListener = (server: Server, onClosed: () => void) => NetServer.prototype.close.call(server, onClosed)

/**
 * When a listening socket closes, the kernel resets the connections that were not accepted; a turn of the event loop
 * accepts one. Open connections are paused meanwhile, to keep the gap between the last turn and the close short.
 * Returns a function that resumes them.
 */
async function emptyBacklog({ open, count }: Connections): Promise<() => void> {
  const paused = new Set<Socket>()
  for (let quietTurns = 0, turns = 0; quietTurns < 2 && turns < backlog; turns++) {
    for (const socket of open) if (!socket.isPaused()) paused.add(socket.pause())
    const before = count()
    await nextTurn()
    quietTurns = count() === before ? quietTurns + 1 : 0
  }
  return () => paused.forEach((socket) => void socket.resume())
}
