import { type Connection, openConnection, type Reply } from '../connection.ts'

export interface Timed {
  /** 0: the connection broke; -1: given up before a connection was free. */
  readonly status: number
  /** Since the request was due. */
  readonly ms: number
  readonly reply: Reply | null
}

export interface PoolOptions {
  readonly maxConnections: number
  /** A request that has waited this long for a connection is not sent. */
  readonly giveUpMs?: number
  readonly keepsBodies?: boolean
}

export interface Pool {
  /** Opens all connections that there may be. */
  fill(): Promise<void>
  send(request: string, dueAt: number): Promise<Timed>
  close(): void
}

/**
 * Keep-alive connections for an open loop: opened when none is idle, up to a maximum; then requests wait here. In
 * rotation, so that the service closes none for being idle while there is some load.
 */
export function createPool(port: number, { maxConnections, giveUpMs = 10_000, keepsBodies = true }: PoolOptions): Pool {
  const idle: Connection[] = []
  let waiting: ((connection: Connection | null) => void)[] = []
  /** Where the first of them is: `shift` would move ten thousands. */
  let first = 0
  let open = 0

  const take = async (): Promise<Connection | null> => {
    const free = idle.shift()
    // One that was closed meanwhile keeps its place, and is opened again.
    if (free !== undefined) return free.isOpen ? free : null
    if (open >= maxConnections) return new Promise((resolve) => waiting.push(resolve))
    open += 1
    return null
  }
  /** Without a connection, its place is free. */
  const giveBack = (connection: Connection | null) => {
    const next = waiting[first]
    if (next !== undefined) {
      first += 1
      if (first > 1000 && first * 2 > waiting.length) [waiting, first] = [waiting.slice(first), 0]
      next(connection)
    } else if (connection !== null) idle.push(connection)
    else open -= 1
  }

  return {
    async send(request, dueAt) {
      let connection = await take()
      const sinceDue = () => performance.now() - dueAt
      if (sinceDue() > giveUpMs) {
        giveBack(connection)
        return { status: -1, ms: sinceDue(), reply: null }
      }
      try {
        connection ??= await openConnection(port, { keepsBodies })
        const reply = await connection.send(request)
        const timed = { status: reply.status, ms: sinceDue(), reply }
        giveBack(connection)
        return timed
      } catch {
        connection?.close()
        giveBack(null)
        return { status: 0, ms: sinceDue(), reply: null }
      }
    },
    async fill() {
      for (; open < maxConnections; open += 1) idle.push(await openConnection(port, { keepsBodies }))
    },
    close() {
      for (const connection of idle) connection.close()
    },
  }
}
