import type { Hash } from 'node:crypto'

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
