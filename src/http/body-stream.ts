import type { IncomingMessage } from 'node:http'
import { withTimeout } from '../lib/timeout.ts'
import { bounds } from './bounds.ts'
import type { Call } from './call.ts'
import { protocolErrors } from './errors.ts'
import { ClientGone } from './json-body.ts'
import { Refused, refuse } from './refusal.ts'

/** A body that is taken as it comes, and is never held whole. */
export interface IncomingBody {
  /** As announced; null where the end alone will tell. */
  readonly length: number | null
  /** No faster than they are taken. Throws where the client leaves, is too slow, or sends more than it may. */
  readonly chunks: AsyncIterable<Buffer>
}

/** Null where there is none. Refuses by the head alone where that says enough; up to then nothing is read. */
export async function openBody(call: Call, mostBytes: number): Promise<IncomingBody | null> {
  const { req } = call
  const isChunked = req.headers['transfer-encoding'] !== undefined
  const length = isChunked ? null : Number(req.headers['content-length'] ?? 0)
  if (length === 0) return null
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') refuse(protocolErrors.badEncoding)
  if (length !== null && length > mostBytes) refuse(protocolErrors.tooLarge)
  if (length !== null) return { length, chunks: chunksOf(call, mostBytes) }
  const chunks = chunksOf(call, mostBytes)
  const first = await chunks.next()
  return first.done ? null : { length, chunks: joined(first.value, chunks) }
}

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** What is left when the loop ends early stays on the connection: the answer decides what becomes of it. */
async function* chunksOf(call: Call, mostBytes: number): AsyncGenerator<Buffer> {
  const { req } = call
  call.goOn()
  const pieces = pull(req)
  let size = 0
  try {
    for (let piece = await inTime(pieces.next()); piece; piece = await inTime(pieces.next())) {
      size += piece.length
      if (size > mostBytes) throw new Refused(protocolErrors.tooLarge)
      yield piece
    }
    // Whatever ended the connection, there is nobody to tell.
    if (!req.complete) throw new ClientGone()
  } finally {
    pieces.stop()
  }
}

/** By events: the request's own iterator keeps what is left of a body from being discarded. */
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

const inTime = <T>(piece: Promise<T>) => withTimeout(piece, bounds.bodyMs, () => refuse(protocolErrors.timeout))
