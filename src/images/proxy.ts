import type { Call } from '../http/call.ts'
import { isConditional, judge, type Verdict } from '../http/conditional-requests.ts'
import { ClientGone } from '../http/json-body.ts'
import { Refused, refuse } from '../http/refusal.ts'
import { BytesResponse } from '../http/responses.ts'
import { httpDate } from '../lib/http-date.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Logger } from '../process/logger.ts'
import type { Random } from './choose.ts'
import { errors } from './errors.ts'
import { type HeldImage, type ImageCache, mostHeldBytes } from './image-cache.ts'
import type { Kind } from './kinds.ts'
import type { ByteRange, ObjectHead, ObjectReading, ObjectStore } from './object-store.ts'
import type { Pool } from './pool.ts'
import { type Audience, everybody, headerLines, isEtag, validatorLines } from './served.ts'

export interface ImageProxy {
  /** The image, by its key. Whatever stops the look-up is `Image not found`; the reason goes to the log. */
  serve(call: Call, key: string, audience?: Audience): MaybePromise<BytesResponse>
  /** The image, or why there is none; nothing is logged. Until the answer begins, the signal ends it. */
  attempt(
    call: Call,
    key: string,
    audience: Audience,
    signal?: AbortSignal,
  ): BytesResponse | Promise<BytesResponse | Miss>
  /** Any image of these kinds that is in memory, however old; null where none is. */
  serveHeld(call: Call, of: readonly Kind[], random: Random, audience: Audience): BytesResponse | null
}

/** An image that cannot be served. */
export class Miss {
  /** Null: the store has no such image. */
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

/** For the log: why an image is answered with 404. */
export function logMiss(log: Logger, call: Call, key: string, { reason }: Miss): void {
  if (reason !== null) log.warn({ requestId: call.requestId, key, err: reason }, 'an image could not be served')
}

interface ProxyDeps {
  readonly cache: ImageCache
  readonly store: ObjectStore
  readonly bucket: string
  readonly log: Logger
  readonly pool: Pick<Pool, 'gone' | 'mark'>
}

type Part = Extract<Verdict, ByteRange>

/** An overwrite between two looks at the store is followed so often. */
const mostTries = 3

export function createProxy({ cache, store, bucket, log, pool }: ProxyDeps): ImageProxy {
  const serve = (call: Call, key: string, audience = everybody): MaybePromise<BytesResponse> => {
    const outcome = attempt(call, key, audience)
    if (!isPromise(outcome)) return outcome
    return outcome.then((found) => {
      if (!(found instanceof Miss)) return found
      logMiss(log, call, key, found)
      return refuse(errors.imageNotFound)
    })
  }

  const attempt: ImageProxy['attempt'] = (call, key, audience, signal = call.signal) => {
    const isPlain = call.req.method === 'GET' && !isConditional(call.req.headers)
    // Where perhaps not all of it is wanted, nothing is read for it.
    const held = cache.fresh(key) ?? (isPlain ? cache.now(key) : null)
    return held ? fromMemory(call, held, audience) : fromStore(call, key, audience, signal)
  }

  const fromStore = async (call: Call, key: string, audience: Audience, signal: AbortSignal) => {
    try {
      for (let tries = 0; tries < mostTries; tries++) {
        const answer = await lookUp(call, key, audience, signal)
        if (answer !== 'changed') return answer ?? new Miss(null)
      }
      throw new Error('the object was overwritten again and again')
    } catch (error) {
      if (call.res.destroyed) throw new ClientGone()
      if (error instanceof Refused) throw error
      return new Miss(error)
    }
  }

  const lookUp = async (call: Call, key: string, audience: Audience, signal: AbortSignal) => {
    const { req } = call
    const place = { bucket, name: key }
    // Where perhaps not all of it is wanted, the head is looked at before anything is fetched.
    if (!cache.has(key) && (req.method === 'HEAD' || isConditional(req.headers))) {
      const before = pool.mark()
      const head = await store.head(place, signal)
      if (head === null) pool.gone(key, before)
      if (head === null || head.size === 0 || !isEtag(head.etag)) return null
      const verdict = judge(req.method, req.headers, head)
      if (verdict.status === 206 && head.size > mostHeldBytes) {
        return partOf(key, head, verdict, audience, signal)
      }
      if (req.method === 'HEAD' || (verdict.status !== 200 && verdict.status !== 206))
        return bodiless(verdict, head, audience)
    }
    const found = await cache.load(key, signal)
    if (found === null) return null
    if ('bytes' in found) return fromMemory(call, found, audience)
    const verdict = judge(req.method, req.headers, found.head)
    if (verdict.status === 200) return fromReading(found, verdict, audience, signal)
    found.discard()
    if (verdict.status !== 206) return bodiless(verdict, found.head, audience)
    return partOf(key, found.head, verdict, audience, signal)
  }

  const partOf = async (key: string, head: ObjectHead, verdict: Part, audience: Audience, signal: AbortSignal) => {
    const part = await store.readRange({ bucket, name: key }, head, verdict, signal)
    return part === null ? 'changed' : fromReading(part, verdict, audience, signal, head)
  }

  const serveHeld: ImageProxy['serveHeld'] = (call, of, random, audience) => {
    const held = cache.any(of, random)
    return held && fromMemory(call, held, audience)
  }

  return { serve, attempt, serveHeld }
}

function fromMemory(call: Call, held: HeldImage, audience: Audience): BytesResponse {
  const { req } = call
  const { head, bytes, letGo } = held
  const lines = audience === everybody ? held.lines : headerLines(head, audience)
  const verdict = isConditional(req.headers) ? judge(req.method, req.headers, head) : whole
  if (verdict.status === 200) return new BytesResponse(200, lines, bytes, bytes.length, { onOver: letGo })
  if (verdict.status === 206) {
    const part = bytes.subarray(verdict.first, verdict.last + 1)
    return new BytesResponse(206, lines + contentRange(verdict, head), part, part.length, { onOver: letGo })
  }
  letGo()
  return bodiless(verdict, head, audience)
}

const whole: Verdict = { status: 200 }

async function fromReading(
  reading: ObjectReading,
  verdict: Verdict,
  audience: Audience,
  signal: AbortSignal,
  head = reading.head,
): Promise<BytesResponse> {
  // A stalled store does not keep what a client that left had opened.
  if (signal.aborted) reading.discard()
  else signal.addEventListener('abort', () => reading.discard(), { once: true })
  const chunks = await begun(reading.chunks())
  const lines = headerLines(head, audience)
  if (verdict.status !== 206) return new BytesResponse(200, lines, chunks, head.size, reading)
  const length = verdict.last - verdict.first + 1
  return new BytesResponse(206, lines + contentRange(verdict, head), chunks, length, reading)
}

/** The same chunks, the first of which is there: up to then the store may still turn out not to have it. */
async function begun(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterableIterator<Uint8Array>> {
  const rest = chunks[Symbol.asyncIterator]()
  let first: Promise<IteratorResult<Uint8Array>> | null = rest.next()
  await first
  const all: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => all,
    next() {
      const next = first ?? rest.next()
      first = null
      return next
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  }
  return all
}

/** Everything that is answered by the head of an image alone. */
function bodiless(verdict: Verdict, head: ObjectHead, audience: Audience): BytesResponse {
  switch (verdict.status) {
    case 304:
      return new BytesResponse(304, validatorLines(head, audience), null, null)
    case 412:
      return refuse(errors.preconditionFailed)
    case 416:
      return refuse(errors.rangeNotSatisfiable, {
        ETag: `"${head.etag}"`,
        'Last-Modified': httpDate(head.modified),
        'Content-Range': `bytes */${head.size}`,
      })
    default:
      return new BytesResponse(200, headerLines(head, audience), null, head.size)
  }
}

const contentRange = ({ first, last }: ByteRange, { size }: ObjectHead) =>
  `Content-Range: bytes ${first}-${last}/${size}\r\n`
