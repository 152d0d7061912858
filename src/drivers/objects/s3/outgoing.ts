import type { Hash } from 'node:crypto'

/** Takes from a source that may never come to its next piece; how long that may take is for the source to say. */
export async function* pull(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const pieces = source[Symbol.asyncIterator]()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  stopped.catch(() => {})
  let isDone = false
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), stopped])
      isDone = next.done === true
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!isDone) void pieces.return?.().catch(() => {})
  }
}

/** Exactly so many bytes, hashed on their way. */
export async function* measured(
  pieces: AsyncIterable<Uint8Array>,
  size: number,
  md5: Hash,
): AsyncGenerator<Uint8Array, void, void> {
  let sent = 0
  let last: Uint8Array | null = null
  for await (const piece of pieces) {
    if (piece.length === 0) continue
    sent += piece.length
    if (sent > size) throw new Error(`The upload has more than the ${size} bytes that it said`)
    md5.update(piece)
    // The store takes the object with its last byte: that one waits until there is surely no more.
    if (sent === size) last = piece
    else yield piece
  }
  if (sent !== size) throw new Error(`The upload ended after ${sent} of ${size} bytes`)
  if (last !== null) yield last
}
