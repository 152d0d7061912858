import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connections } from './connections.ts'
import { closeQuiet, endGently } from './idle-connections.ts'
import { closeBy } from './node-internals.ts'
import type { Service } from './service.ts'

/** The most connections that the kernel takes before the process accepts them. */
export const backlog = 1_024
const draining = { everyMs: 50, quietMs: 500 }

/** Resolves when every request that has arrived is answered, and every connection closed; after `graceMs` by force. */
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
  // Not before: a client that is told to close connects again, and must not land in a backlog that nobody empties.
  service.stop()
  // Node would destroy the connection with its last response, over whatever bytes are unread.
  for (const socket of sockets) closeBy(socket, () => endGently(socket))
  const stopLooking = closeQuiet(sockets, { ...draining, quietMs: Math.min(draining.quietMs, graceMs / 20) })
  const force = setTimeout(() => sockets.forEach((socket) => void socket.destroy()), graceMs)
  await Promise.all(closed)
  clearTimeout(force)
  stopLooking()
  // The timer that looks for requests that take too long.
  for (const server of servers) server.close()
}

/**
 * Without what `close` of an HTTP server adds: it ends connections that it calls idle, which may have unread bytes or a
 * response that its client has not taken, and until it has looked at them the next server accepts connections in vain.
 */
const closeListener = (server: Server, onClosed: () => void) => NetServer.prototype.close.call(server, onClosed)

/**
 * The kernel resets connections that were not accepted when the listening socket closes; a turn of the event loop
 * accepts one. Open connections are not read meanwhile, so that next to nothing comes between the last turn, which
 * found none, and the close. Returns what has them read again.
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
