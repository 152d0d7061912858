import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { freeBuffer } from '../lib/free-buffer.ts'

/**
 * Writes the chunks with backpressure, yielding to other requests in between. `begin` is called before the first chunk:
 * until then, a failure still gets an error response. False if the client disconnected. With `isGivenAway`, the memory
 * of each chunk is freed once the kernel has it.
 */
export async function writeChunks(
  res: ServerResponse,
  chunks: AsyncIterable<string | Uint8Array>,
  begin: () => void,
  isGivenAway = false,
): Promise<boolean> {
  let begun = false
  try {
    for await (const chunk of chunks) {
      if (res.destroyed) return false
      if (!begun) begin()
      begun = true
      if (res.req.method === 'HEAD') return true
      await handOver(res, chunk)
      if (isGivenAway && typeof chunk !== 'string' && !res.destroyed) freeBuffer(chunk)
      await nextTurn()
    }
  } catch (error) {
    // The source may throw because the client disconnected.
    if (res.destroyed) return false
    throw error
  }
  if (!begun && !res.destroyed) throw new Error('a streamed response needs at least one chunk')
  return !res.destroyed
}

/** Resolves when the kernel has the chunk or the client is gone: a thousand slow clients hold one chunk each. */
const handOver = (res: ServerResponse, chunk: string | Uint8Array) =>
  new Promise<void>((resolve) => {
    const settle = () => {
      res.off('close', settle)
      resolve()
    }
    res.on('close', settle)
    res.write(chunk, settle)
  })
