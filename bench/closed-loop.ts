import { openConnection } from './connection.ts'

export const sockets = 32

export interface Load {
  readonly name: string
  readonly port: number
  /** Sent in rotation. */
  readonly requests: readonly string[]
  /** Of every response's body; null where they differ. */
  readonly bytes: number | null
}

/**
 * Each socket sends the next request when it has its response. Returns how many were sent; throws on an unexpected one.
 */
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
 * Keeps the driver from sleeping until `rest` is called. A driver that is quicker than the server sleeps after each
 * response, and waking it is a system call's worth of work in the server, which a slower contestant then pays and a
 * quicker one does not.
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
