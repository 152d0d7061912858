import { openConnection } from './connection.ts'

export const sockets = 32

export interface Load {
  readonly name: string
  readonly port: number
  /** Sent in rotation. */
  readonly requests: readonly string[]
  /** Length of every response's body; null if they differ. */
  readonly bytes: number | null
}

/** Each socket sends its next request after each response. Returns the number sent; throws on an unexpected one. */
export async function closedLoop({ name, port, requests, bytes }: Load, maxMs: number): Promise<number> {
  const opening = Array.from({ length: sockets }, () => openConnection(port, { keepsBodies: false }))
  const connections = await Promise.all(opening)
  const rest = stayAwake()
  const until = performance.now() + maxMs
  let sent = 0
  const drive = async ({ send }: (typeof connections)[number]) => {
    while (performance.now() < until) {
      const reply = await send(requests[sent++ % requests.length] ?? '')
      if (reply.status !== 200 || (bytes !== null && reply.bytes !== bytes))
        throw new Error(`${name} answered ${reply.status} with ${reply.bytes} bytes`)
    }
  }
  try {
    await Promise.all(connections.map(drive))
    return sent
  } finally {
    rest()
    for (const connection of connections) connection.close()
  }
}

/**
 * Keeps the driver from sleeping until `rest` is called. A driver that is faster than the server sleeps after each
 * response, and waking it costs the server a system call, which a slower contestant would pay and a faster one would
 * not.
 */
function stayAwake(): () => void {
  let isOver = false
  const turn = () => {
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
  }
}
