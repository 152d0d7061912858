import type { Lane } from './connections.ts'
import type { Reply, S3Request } from './exchange.ts'
import { isMarked, NotFromStore } from './responses.ts'

/** Throws for a success that something between us and the store answered, such as a captive portal. */
export type CheckMarks = (lane: Lane, request: S3Request, reply: Reply) => void

/**
 * Most stores mark every answer, some none and some only those to certain requests. An object is believed only with the
 * mark once any answer had it; any other request once an answer to the same kind of request had it.
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
    throw new NotFromStore(`${reply.status} to a ${method} without the x-amz-request-id of earlier answers`)
  }
}
