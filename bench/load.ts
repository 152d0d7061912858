import { openConnection } from './connection.ts'

export interface Exchange {
  readonly request: string
  /** Any other answer counts as failed. What is left of the limits is another number each time, of the same length. */
  readonly expected: { readonly start: string; readonly length: number }
}

export const expectedOf = (body: string): Exchange['expected'] => ({
  start: body.slice(0, body.includes('"limits":') ? body.indexOf('"limits":') : body.length),
  length: body.length,
})

export interface Load {
  readonly port: number
  /** Sent in rotation. */
  readonly exchanges: readonly Exchange[]
  readonly sockets: number
  readonly maxRequests: number
  readonly maxMs: number
}

export interface Loaded {
  readonly requests: number
  readonly failed: number
  readonly elapsedMs: number
}

/** Closed loop: each socket sends the next request when it has its answer, until the count or the time is over. */
export async function load({ port, exchanges, sockets, maxRequests, maxMs }: Load): Promise<Loaded> {
  const connections = await Promise.all(Array.from({ length: sockets }, () => openConnection(port)))
  let requests = 0
  let failed = 0
  const startedAt = performance.now()
  const drive = async ({ send }: (typeof connections)[number]) => {
    while (requests < maxRequests && performance.now() - startedAt < maxMs) {
      const { request, expected } = exchanges[requests % exchanges.length] as Exchange
      requests += 1
      const { status, body } = await send(request)
      if (status !== 200 || body.length !== expected.length || !body.startsWith(expected.start)) failed += 1
    }
  }
  try {
    await Promise.all(connections.map(drive))
  } finally {
    for (const connection of connections) connection.close()
  }
  return { requests, failed, elapsedMs: performance.now() - startedAt }
}
