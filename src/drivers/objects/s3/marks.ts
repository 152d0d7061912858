import type { Lane } from './connections.ts'
import type { Reply, S3Request } from './exchange.ts'
import { isMarked, NotFromStore } from './responses.ts'

/**
 * Stores send their request id, the mark, with every response, with none, or only for certain requests. Once any
 * response had it, an object without it is not accepted; nor is any other response, once the same kind of request had it.
 * The check throws then: something else has responded, such as a captive portal.
 */
export function createMarks() {
  const shown = new Set<string>()
  return (lane: Lane, { method }: S3Request, reply: Reply): void => {
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
