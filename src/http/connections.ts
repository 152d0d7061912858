import type { Socket } from 'node:net'

export interface Connections {
  readonly open: ReadonlySet<Socket>
  /** All so far, closed ones included. */
  count(): number
  add(socket: Socket): void
}

export function createConnections(): Connections {
  const open = new Set<Socket>()
  let count = 0
  return {
    open,
    count: () => count,
    add(socket) {
      count++
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    },
  }
}
