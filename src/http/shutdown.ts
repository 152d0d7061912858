import type { Server } from 'node:http'
import { closeListener, closeListeners } from './backlog.ts'
import { type Connections, closeIdle, endGently } from './connections.ts'
import { closeBy } from './node-internals.ts'
import type { Service } from './service.ts'

const idle = { everyMs: 50, idleMs: 500 }

/**
 * The order of a shutdown: accept what the kernel has queued, close the listeners, finish every request, close each
 * connection once it is idle. After `graceMs`, close by force.
 */
export async function closeServers(
  servers: readonly Server[],
  connections: Connections,
  service: Service,
  graceMs: number,
): Promise<void> {
  const sockets = connections.open
  await closeListeners(servers, connections)
  // Closed already; resolves when the last connection has ended.
  const closed = servers.map((server) => new Promise<void>((resolve) => closeListener(server, () => resolve())))
  // Not earlier: a client that is told to close may reconnect, and must not land in a backlog that nobody accepts.
  service.stop()
  // Node would destroy the connection after its last response, which resets it if bytes are unread.
  for (const socket of sockets) closeBy(socket, () => endGently(socket))
  const stopClosing = closeIdle(sockets, { ...idle, idleMs: Math.min(idle.idleMs, graceMs / 20) })
  const force = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), graceMs)
  await Promise.all(closed)
  clearTimeout(force)
  stopClosing()
  // Stops Node's request timeout timer.
  for (const server of servers) server.close()
}
