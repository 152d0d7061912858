import type { Connections, Lane } from './connections.ts'
import { BrokenBeforeResponse, type Reply, type S3Request } from './exchange.ts'
import { isMarked, maxErrorBytes, NotFromStore } from './responses.ts'
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
        await reply.body.upTo(maxErrorBytes).catch(() => {})
      } catch (error) {
        if (retry === most || !(error instanceof BrokenBeforeResponse)) throw error
      }
      await sleep(random() * times.retryBaseMs * 2 ** retry, request.signal).catch(() => {})
      request.signal?.throwIfAborted()
    }
  }
}

/**
 * Stores send their request id, the mark, with every response, with none, or only for certain requests. Once any
 * response had it, an object without it is not accepted; other responses need it once the same kind of request had it.
 * Otherwise something else has responded, such as a captive portal, and the check throws.
 */
function createMarks() {
  const shown = new Set<string>()
  return (lane: Lane, { method }: S3Request, reply: Reply): void => {
    if (reply.status < 200 || reply.status > 299) return
    const kind = `${lane} ${method}`
    if (isMarked(reply.headers)) {
      shown.add(kind)
      return
    }
    if (lane === 'reads' ? shown.size === 0 : !shown.has(kind)) return
    reply.body.discard()
    throw new NotFromStore(`${reply.status} to a ${method} without the x-amz-request-id of earlier responses`)
  }
}
