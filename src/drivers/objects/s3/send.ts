import type { Connections, Lane } from './connections.ts'
import { BrokenBeforeAnswer, type Reply, type S3Request } from './exchange.ts'
import { createMarks } from './marks.ts'
import { maxErrorBytes } from './responses.ts'
import type { S3Times } from './times.ts'

export interface Pauses {
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
}

/** Sends a request, and retries it if it is idempotent. */
export type Send = (lane: Lane, request: S3Request) => Promise<Reply>

const maxRetries = 2
const passes = (status: number) => status === 429 || status === 500 || status === 503

export function createSend(connections: Connections, times: S3Times, { random, sleep }: Pauses): Send {
  const checkMarks = createMarks()

  return async (lane, request) => {
    const most = request.method === 'GET' || request.method === 'HEAD' ? maxRetries : 0
    for (let retry = 0; ; retry++) {
      try {
        const reply = await connections.send(lane, request)
        checkMarks(lane, request, reply)
        if (retry === most || !passes(reply.status)) return reply
        // Read to its end, so that the connection can be reused.
        await reply.upTo(maxErrorBytes).catch(() => {})
      } catch (error) {
        if (retry === most || !(error instanceof BrokenBeforeAnswer)) throw error
      }
      await sleep(random() * times.retryBaseMs * 2 ** retry, request.signal).catch(() => {})
      request.signal?.throwIfAborted()
    }
  }
}
