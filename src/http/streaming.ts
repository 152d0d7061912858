import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Writes the chunks no faster than the client takes them, and lets other requests in between. `begin` is called
 * once the first one is there: up to then a failure can still be answered as one. False if the client left.
 */
export async function writeChunks(
  res: ServerResponse,
  chunks: AsyncIterable<string | Uint8Array>,
  begin: () => void,
): Promise<boolean> {
  let begun = false
  try {
    for await (const chunk of chunks) {
      if (res.destroyed) return false
      if (!begun) begin()
      begun = true
      if (res.req.method === 'HEAD') return true
      if (res.write(chunk)) await nextTurn()
      else await drained(res)
    }
  } catch (error) {
    // Chunks may be let go of when the client leaves: nothing failed then.
    if (res.destroyed) return false
    throw error
  }
  if (!begun && !res.destroyed) throw new Error('a streamed answer has at least one chunk')
  return !res.destroyed
}

const drained = (res: ServerResponse) =>
  new Promise<void>((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle)
      resolve()
    }
    res.on('drain', settle).on('close', settle)
  })
