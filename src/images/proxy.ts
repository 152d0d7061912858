import { withoutSecrets } from '../accounts/secrets-in-paths.ts'
import type { Call } from '../http/call.ts'
import {
  evaluate,
  isConditional,
  type RequestHeaders,
  type Verdict,
  withoutDates,
} from '../http/conditional-requests.ts'
import { ClientGone } from '../http/json-body.ts'
import { Refused, refuse } from '../http/refusal.ts'
import { BytesResponse } from '../http/responses.ts'
import { withFirstBytes } from '../lib/first-bytes.ts'
import { httpDate } from '../lib/http-date.ts'
import { chain, isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Logger } from '../process/logger.ts'
import type { Random } from './choose.ts'
import { errors } from './errors.ts'
import { CachedImage } from './image-cache.ts'
import type { ImageSource, OpenedImage, Want } from './image-source.ts'
import type { Kind } from './kinds.ts'
import type { ByteRange, ObjectHead } from './object-store.ts'
import { type Audience, everybody, headerLines, sending, validatorLines } from './served.ts'
import type { Size } from './sizes/size.ts'
import { type Sizes, variantKey } from './sizes/sizes.ts'

/** An image that cannot be served. */
export class Miss {
  /** Null: the store has no such image. */
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

/** Logs why an image gets a 404. */
export function logMiss(log: Logger, call: Call, key: string, { reason }: Miss): void {
  if (reason === null) return
  log.warn({ requestId: call.requestId, key: withoutSecrets(key), err: reason }, 'an image could not be served')
}

interface ProxyDeps {
  readonly source: ImageSource
  /** Null: every request gets the image as stored. */
  readonly sizes: Sizes | null
  readonly log: Logger
}

export function createProxy({ source, sizes, log }: ProxyDeps) {
  /** Serves an image by its key. Any failure is `Image not found`; the reason is logged. */
  const serve = (call: Call, key: string, size: Size | null): MaybePromise<BytesResponse> => {
    const outcome = attempt(call, key, everybody, size)
    if (!isPromise(outcome)) return outcome
    return outcome.then((found) => {
      if (!(found instanceof Miss)) return found
      logMiss(log, call, key, found)
      return refuse(errors.imageNotFound)
    })
  }

  /** The image, or why it cannot be served. Logs nothing. `signal`, or the call's, aborts it until the response begins. */
  const attempt = (
    call: Call,
    key: string,
    audience: Audience,
    size: Size | null,
    signal: AbortSignal | null = null,
  ): BytesResponse | Promise<BytesResponse | Miss> => {
    const sent = sending(audience, key, size)
    return isPromise(sent)
      ? sent.then((audience) => attemptFor(call, { key, audience, signal }, size))
      : attemptFor(call, { key, audience: sent, signal }, size)
  }

  const attemptFor = (call: Call, target: Target, size: Size | null): BytesResponse | Promise<BytesResponse | Miss> => {
    const { key } = target
    const asked = askedBy(call, target.audience)
    if (size === null || sizes === null) return asStored(call, asked, target)
    const variant = sizes.variantOf(size, asked.headers.accept as string | undefined)
    const image = source.fresh(key, variantKey(key, variant))
    if (image) return fromMemory(asked, image, target.audience)
    return orMiss(call, target, async (signal) => {
      const found = await sizes.find(key, variant, call.address, signal)
      if (found === 'not resizable') return refuse(errors.notResizable)
      if (found === 'as stored') return asStored(call, asked, target)
      return found === null ? new Miss(null) : fromMemory(asked, found, target.audience)
    })
  }

  const asStored = (call: Call, asked: Asked, target: Target) => {
    const { key, audience } = target
    const image = source.fresh(key)
    if (image) return fromMemory(asked, image, audience)
    return orMiss(call, target, async (signal) => {
      const found = await source.find(key, wantOf(asked), signal)
      if (found === null) return new Miss(null)
      return found instanceof CachedImage
        ? fromMemory(asked, found, audience)
        : await fromReading(asked, found, audience, signal)
    })
  }

  /** Any image of these kinds in memory, however old; null if there is none. */
  const serveCached = (call: Call, of: readonly Kind[], random: Random, audience: Audience) => {
    const found = source.any(of, random)
    const answer = (sent: Audience) => found && fromMemory(askedBy(call, sent), found.image, sent)
    return found && chain(sending(audience, found.key, null), answer)
  }

  return { serve, attempt, serveCached }
}

interface Target {
  readonly key: string
  readonly audience: Audience
  /** Null: the call's, which is created only if something is waited for. */
  readonly signal: AbortSignal | null
}

async function orMiss(
  call: Call,
  { signal }: Target,
  act: (signal: AbortSignal) => Promise<BytesResponse | Miss>,
): Promise<BytesResponse | Miss> {
  try {
    return await act(signal ?? call.signal)
  } catch (error) {
    if (call.res.destroyed) throw new ClientGone()
    if (error instanceof Refused) throw error
    return new Miss(error)
  }
}

export type ImageProxy = ReturnType<typeof createProxy>

/** What decides on the response beside the image. */
interface Asked {
  readonly method?: string | undefined
  readonly headers: RequestHeaders
}

/** A date says nothing about an image that was drawn at random. */
const askedBy = ({ req }: Call, audience: Audience): Asked =>
  audience.about ? { method: req.method, headers: withoutDates(req.headers) } : req

/** What HEAD, conditional and range requests need; null for a plain GET, which gets everything whatever the head is. */
function wantOf({ method, headers }: Asked): Want | null {
  if (method === 'GET' && !isConditional(headers)) return null
  return (head) => {
    const verdict = evaluate(method, headers, head)
    if (verdict.status === 206) return verdict
    return verdict.status === 200 && method === 'GET' ? 'whole' : 'head'
  }
}

function fromMemory(req: Asked, image: CachedImage, audience: Audience): BytesResponse {
  const { head, bytes, release } = image
  const lines = audience === everybody ? image.lines : headerLines(head, audience)
  const verdict = isConditional(req.headers) ? evaluate(req.method, req.headers, head) : whole
  if (verdict.status === 200) return new BytesResponse(200, lines, bytes, bytes.length, { onOver: release })
  if (verdict.status === 206) {
    const part = bytes.subarray(verdict.first, verdict.last + 1)
    return new BytesResponse(206, lines + contentRange(verdict, head), part, part.length, { onOver: release })
  }
  release()
  return withoutBody(verdict, head, audience)
}

const whole: Verdict = { status: 200 }

async function fromReading(
  req: Asked,
  { head, reading }: OpenedImage,
  audience: Audience,
  signal: AbortSignal,
): Promise<BytesResponse> {
  const verdict = evaluate(req.method, req.headers, head)
  if (reading === null) return withoutBody(verdict, head, audience)
  // A stalled store must not keep open what a disconnected client has asked for.
  if (signal.aborted) reading.discard()
  else signal.addEventListener('abort', () => reading.discard(), { once: true })
  // Until the first chunk has arrived, the store may still turn out not to have the object.
  const { all: chunks } = await withFirstBytes(reading.chunks(), 1)
  const lines = headerLines(head, audience)
  if (verdict.status !== 206) return new BytesResponse(200, lines, chunks, head.size, reading)
  const length = verdict.last - verdict.first + 1
  return new BytesResponse(206, lines + contentRange(verdict, head), chunks, length, reading)
}

function withoutBody(verdict: Verdict, head: ObjectHead, audience: Audience): BytesResponse {
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
