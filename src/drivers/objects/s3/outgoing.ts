import type { Hash } from 'node:crypto'
import { giveBack } from '../../../lib/give-back.ts'

/** Passes exactly `size` bytes on, and hashes them. */
export async function* checkedAndHashed(
  pieces: AsyncIterable<Uint8Array>,
  size: number,
  md5: Hash,
): AsyncGenerator<Uint8Array, void, void> {
  let sent = 0
  let last: Uint8Array | null = null
  for await (const piece of pieces) {
    if (piece.length === 0) continue
    sent += piece.length
    if (sent > size) throw new Error(`the upload exceeds its announced length of ${size} bytes`)
    md5.update(piece)
    // The store stores the object at its last byte, which is held back until there are no more.
    if (sent === size) last = piece
    else yield piece
  }
  if (sent !== size) throw new Error(`the upload ended after ${sent} of ${size} announced bytes`)
  if (last !== null) yield last
}

/** Twice what the stream and the socket may buffer. */
const maxUnsentBytes = 262_144

/**
 * Frees each piece once so many bytes were requested after it that it must have been sent. If it was not, length and MD5
 * of the object would differ, and the upload fail.
 */
export async function* freedOnceSent(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const sent: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    yield piece
    sent.push(piece)
    bytes += piece.length
    for (let [first] = sent; first && bytes - first.length >= maxUnsentBytes; [first] = sent) {
      bytes -= first.length
      giveBack(first)
      sent.shift()
    }
  }
}
