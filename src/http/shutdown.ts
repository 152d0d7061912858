import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Connections, closeIdle, endGently } from './connections.ts'
import { closeBy } from './node-internals.ts'
import type { Service } from './service.ts'

const idle = { everyMs: 50, idleMs: 500 }
const quiet = { turns: 2, maxTurns: 2_048 }

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

/**
 * Closes the listening sockets once two turns of the event loop have brought no connection: the kernel resets what it
 * holds and the process has not accepted. Open connections are paused to keep the turns short. A connection that
 * arrives in the last turn can still be reset; `SHUTDOWN_DELAY_SECONDS` spares load balancers that.
 */
async function closeListeners(servers: readonly Server[], { open, count }: Connections): Promise<void> {
  const paused = new Set<Socket>()
  // A busy machine may need longer than a head may take: what is not read meanwhile is not late.
  for (const server of servers) server.headersTimeout = 0
  for (let turns = 0, quietTurns = 0; quietTurns < quiet.turns && turns < quiet.maxTurns; turns++) {
    for (const socket of open) if (!socket.isPaused()) paused.add(socket.pause())
    const before = count()
    await nextTurn()
    quietTurns = count() === before ? quietTurns + 1 : 0
  }
  for (const server of servers) closeListener(server)
  for (const socket of paused) socket.resume()
}

/**
 * Bypasses `http.Server.close`, which also ends connections that it considers idle: these may have unread bytes, or a
 * response that the client has not read.
 */
const closeListener = (server: Server, onEnd?: () => void) => NetServer.prototype.close.call(server, onEnd)
