import type { Lane } from './connections.ts'
import type { Reply, S3Request } from './exchange.ts'
import { isMarked, NotFromStore } from './responses.ts'

/** Throws for a successful response that is not the store's, such as a captive portal's. */
export type CheckMarks = (lane: Lane, request: S3Request, reply: Reply) => void

/**
 * Stores send their request id, the mark, with every response, with none, or only for certain requests. Once any
 * response had it, an object without it is not accepted; nor is any other response, once the same kind of request had it.
 */
export function createMarks(): CheckMarks {
  const shown = new Set<string>()
  return (lane, { method }, reply) => {
    if (reply.status < 200 || reply.status > 299) return
    const kind = `${lane} ${method}`
    if (isMarked(reply.headers)) {
      shown.add(kind)
      return
    }
    if (lane === 'reads' ? shown.size === 0 : !shown.has(kind)) return
    reply.discard()
    throw new NotFromStore(`${reply.status} to a ${method} without the x-amz-request-id of earlier responses`)
  }
}
