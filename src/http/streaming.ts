import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { giveBack } from '../lib/give-back.ts'

/**
 * Writes the chunks no faster than the client takes them, and lets other requests in between. `begin` is called
 * once the first one is there: up to then a failure can still be answered as one. False if the client left. Chunks that
 * are given away are nobody else's, and their memory is given back when the kernel has them.
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
      if (isGivenAway && typeof chunk !== 'string' && !res.destroyed) giveBack(chunk)
      await nextTurn()
    }
  } catch (error) {
    // Chunks may be let go of when the client leaves: nothing failed then.
    if (res.destroyed) return false
    throw error
  }
  if (!begun && !res.destroyed) throw new Error('a streamed answer has at least one chunk')
  return !res.destroyed
}

/** Until it is all with the kernel, or the client has left: a thousand slow ones hold no more than a chunk each. */
const handOver = (res: ServerResponse, chunk: string | Uint8Array) =>
  new Promise<void>((resolve) => {
    const settle = () => {
      res.off('close', settle)
      resolve()
    }
    res.on('close', settle)
    res.write(chunk, settle)
  })
