import type { IncomingMessage } from 'node:http'
import { withFirstBytes } from '../lib/first-bytes.ts'
import { withTimeout } from '../lib/timeout.ts'
import { bounds } from './bounds.ts'
import type { Call } from './call.ts'
import { protocolErrors } from './errors.ts'
import { ClientGone } from './json-body.ts'
import { Refused, refuse } from './refusal.ts'

/** A request body that is read as it arrives and never buffered whole. */
export interface BodyStream {
  /** The Content-Length; null for a chunked body. */
  readonly length: number | null
  /** With backpressure. Throws if the client disconnects, is too slow, or sends too much. */
  readonly chunks: AsyncIterable<Buffer>
}

/** Null if there is no body. If the head is enough to refuse it, nothing is read. */
export async function openBody(call: Call, maxBytes: number): Promise<BodyStream | null> {
  const { req } = call
  const isChunked = req.headers['transfer-encoding'] !== undefined
  const length = isChunked ? null : Number(req.headers['content-length'] ?? 0)
  if (length === 0) return null
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') refuse(protocolErrors.badEncoding)
  if (length !== null && length > maxBytes) refuse(protocolErrors.tooLarge)
  if (length !== null) return { length, chunks: chunksOf(call, maxBytes) }
  const { first, all } = await withFirstBytes(chunksOf(call, maxBytes), 1)
  return first.length === 0 ? null : { length, chunks: all }
}

/** If the loop ends early, the rest stays on the connection; the response decides what happens to it. */
async function* chunksOf(call: Call, maxBytes: number): AsyncGenerator<Buffer> {
  const { req } = call
  call.sendContinue()
  const pieces = pull(req)
  let size = 0
  try {
    for (let piece = await inTime(pieces.next()); piece; piece = await inTime(pieces.next())) {
      size += piece.length
      if (size > maxBytes) throw new Refused(protocolErrors.tooLarge)
      yield piece
    }
    if (!req.complete) throw new ClientGone()
  } finally {
    pieces.stop()
  }
}

/** Uses events, since the request's own iterator prevents the rest of a body from being discarded. */
function pull(req: IncomingMessage) {
  const waiting: Buffer[] = []
  let isOver = req.readableEnded || req.destroyed
  let wake = () => {}
  const onData = (piece: Buffer) => {
    waiting.push(piece)
    req.pause()
    wake()
  }
  const onOver = () => {
    isOver = true
    wake()
  }
  req.on('data', onData).on('end', onOver).on('close', onOver)
  req.pause()
  return {
    async next(): Promise<Buffer | null> {
      if (waiting.length === 0 && !isOver) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        req.resume()
        await promise
      }
      return waiting.shift() ?? null
    },
    stop() {
      req.off('data', onData).off('end', onOver).off('close', onOver)
      req.pause()
    },
  }
}

const inTime = <T>(piece: Promise<T>) => withTimeout(piece, bounds.bodyMs, () => refuse(protocolErrors.timeout), false)
