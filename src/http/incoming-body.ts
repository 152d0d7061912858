import { ClientGone } from './body.ts'
import type { Call } from './call.ts'
import { limits } from './limits.ts'
import { protocol, Refused, refuse } from './refusal.ts'

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
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') refuse(protocol.badEncoding)
  if (length !== null && length > mostBytes) refuse(protocol.tooLarge)
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
  const pieces = req.iterator({ destroyOnReturn: false })
  let size = 0
  try {
    for (;;) {
      const { value, done } = await nextInTime(pieces)
      if (done) break
      size += value.length
      if (size > mostBytes) throw new Refused(protocol.tooLarge)
      yield value
    }
    if (!req.complete) throw new ClientGone()
  } finally {
    // Not waited for: after a time-out it ends only with the next piece.
    void pieces.return?.(undefined)
  }
}

async function nextInTime(pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Refused(protocol.timeout)), limits.bodyMs)
  try {
    return await Promise.race([pieces.next().catch(leave), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Whatever ended the connection, there is nobody to tell. */
function leave(): never {
  throw new ClientGone()
}
