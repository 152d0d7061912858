import type { Socket } from 'node:net'

export function createConnections() {
  const open = new Set<Socket>()
  let count = 0
  return {
    open: open as ReadonlySet<Socket>,
    /** All so far, closed ones included. */
    count: () => count,
    add(socket: Socket): void {
      count++
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    },
  }
}

export type Connections = ReturnType<typeof createConnections>
