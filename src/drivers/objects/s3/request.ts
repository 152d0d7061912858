import type { ObjectRef } from '../../../images/object-store.ts'
import { encodeQuery, type S3Address } from './address.ts'
import type { Connections, Lane } from './connections.ts'
import { BrokenBeforeResponse, type Reply, type S3Request } from './exchange.ts'
import { isMarked, maxErrorBytes, NotFromStore } from './responses.ts'
import type { Sign } from './sign.ts'
import type { S3Times } from './times.ts'

/** What a request has beside its method and address. */
export interface RequestParts {
  readonly query?: Readonly<Record<string, string>>
  /** Names and values alternately; not signed. */
  readonly headers?: readonly string[]
  readonly body?: S3Request['body']
  readonly signal?: AbortSignal | undefined
}

/** Sends a signed request for a bucket (with an empty name) or an object. Retries it if it is idempotent. */
export type SignedRequest = (lane: Lane, method: string, ref: ObjectRef, parts?: RequestParts) => Promise<Reply>

export interface Pauses {
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
}

interface RequestOptions extends Pauses {
  readonly connections: Connections
  readonly addressOf: (bucket: string, key: string) => S3Address
  readonly sign: Sign
  readonly times: S3Times
}

const maxRetries = 2
const passes = (status: number) => status === 429 || status === 500 || status === 503

export function createRequest({ connections, addressOf, sign, times, random, sleep }: RequestOptions): SignedRequest {
  const checkMarks = createMarks()

  return async (lane, method, { bucket, name }, { query, headers = [], body, signal } = {}) => {
    const address = addressOf(bucket, name)
    const search = query ? encodeQuery(query) : ''
    const path = search === '' ? address.path : `${address.path}?${search}`
    const most = method === 'GET' || method === 'HEAD' ? maxRetries : 0
    for (let retry = 0; ; retry++) {
      const signed = sign(method, address, search, body !== undefined)
      signed.push(...headers)
      try {
        const reply = await connections.send(lane, {
          origin: address.origin,
          method,
          path,
          headers: signed,
          body,
          signal,
        })
        checkMarks(lane, method, reply)
        if (retry === most || !passes(reply.status)) return reply
        // Read to its end, so that the connection can be reused.
        await reply.body.upTo(maxErrorBytes).catch(() => {})
      } catch (error) {
        if (retry === most || !(error instanceof BrokenBeforeResponse)) throw error
      }
      await sleep(random() * times.retryBaseMs * 2 ** retry, signal).catch(() => {})
      signal?.throwIfAborted()
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
  return (lane: Lane, method: string, reply: Reply): void => {
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
