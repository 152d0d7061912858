import type { Hash } from 'node:crypto'
import { giveBack } from '../../../lib/give-back.ts'

/** Exactly so many bytes, hashed on their way. */
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
    if (sent > size) throw new Error(`The upload has more than the ${size} bytes that it said`)
    md5.update(piece)
    // The store takes the object with its last byte: that one waits until there is surely no more.
    if (sent === size) last = piece
    else yield piece
  }
  if (sent !== size) throw new Error(`The upload ended after ${sent} of ${size} bytes`)
  if (last !== null) yield last
}

/** What the stream and the socket behind it may hold at a time, and as much again. */
const maxUnsentBytes = 262_144

/**
 * The same pieces, whose memory is given back when so many bytes were asked for after them that they must be out: one
 * that was not would make an object of which neither length nor MD5 fits, and which is refused.
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
