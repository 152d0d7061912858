import type { Server } from 'node:http'
import { type AddressInfo, connect, Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connections } from './connections.ts'
import { isConnected, setBacklog } from './node-internals.ts'

/** Max connections that the kernel queues until the process accepts them. */
export const backlog = 1_024
/** With 0, some kernels log every connection as a SYN flood; with 1, only one that arrives during another handshake. */
const closingBacklog = 1
/** Linux queues one connection more than the backlog, and drops the packets of any others. */
const places = closingBacklog + 1
/** Turns after which a busy backlog is shortened too, and quiet turns after which the socket closes though it is not full. */
const patience = 16
/** Enough to accept a full backlog, one connection a turn. */
const maxTurns = 2 * backlog

/**
 * Closes listening sockets without losing a connection: the kernel resets those that were not accepted. Each turn of
 * the event loop accepts one, and more may arrive meanwhile. So the backlog is shortened and filled with our own
 * connections: once it holds nothing else, no other connection gets in before the socket closes. On other kernels, two
 * turns without a connection must suffice. Open connections are paused to keep the turns short.
 */
export async function closeListeners(servers: readonly Server[], { open, count }: Connections): Promise<void> {
  const paused = new Set<Socket>()
  let fillers: readonly ReturnType<typeof createFiller>[] = []
  for (let turns = 0, quietTurns = 0; servers.some(isListening) && turns < maxTurns; turns++) {
    for (const socket of open) if (!socket.isPaused()) paused.add(socket.pause())
    const before = count()
    await nextTurn()
    quietTurns = count() === before ? quietTurns + 1 : 0
    const isQuiet = quietTurns >= 2
    if (fillers.length === 0 && (isQuiet || turns >= patience)) fillers = servers.filter(isListening).map(createFiller)
    for (const { server, fill } of fillers)
      if ((!(await fill()) && isQuiet) || quietTurns >= patience) closeListener(server)
  }
  for (const server of servers.filter(isListening)) closeListener(server)
  for (const socket of paused) socket.resume()
}

const isListening = ({ listening }: Server) => listening

function createFiller(server: Server) {
  const { address: host, port } = server.address() as AddressInfo
  const own = new Set<Socket>()
  let canFill = process.platform === 'linux' && setBacklog(server, closingBacklog)

  /** Closes the server if the backlog is full of our own connections. Resolves to whether that is possible. */
  const fill = async () => {
    if (!canFill || !server.listening) return canFill
    let isFull = false
    while (!isFull && own.size <= places) {
      const socket = connect({ host, port }).on('error', () => {})
      // `connect` calls the kernel in the next tick; the code below runs before the process accepts another connection.
      await new Promise<void>((resolve) => process.nextTick(resolve))
      isFull = !isConnected(socket)
      if (isFull) socket.destroy()
      else own.add(socket)
    }
    // Otherwise this kernel counts differently.
    canFill = isFull
    if (isFull && own.size === places) closeListener(server)
    if (!canFill || !server.listening) for (const socket of own) socket.destroy()
    return canFill
  }

  server.on('connection', ({ remotePort }) => {
    for (const socket of own) if (socket.localPort === remotePort) own.delete(socket.destroy())
    void fill()
  })
  return { server, fill }
}

/**
 * Bypasses `http.Server.close`, which also ends connections that it considers idle: these may have unread bytes, or a
 * response that the client has not read. It also searches for them first, while a second address still accepts.
 */
export const closeListener = (server: Server, onEnd?: () => void) => NetServer.prototype.close.call(server, onEnd)
