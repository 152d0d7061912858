import type { Window } from './file-bytes.ts'

/** A chunk's type and length. */
export const headBytes = 8

export interface Chunk {
  readonly type: string
  readonly at: number
  readonly length: number
  /** Includes the byte that pads the chunk to an even length. A truncated chunk may end before it. */
  readonly end: number
}

/** The chunks between these positions. Ends before the first truncated one, unless it `isKept`. */
export async function* chunksIn(
  file: Window,
  from: number,
  to: number,
  isKept: (type: string) => boolean,
): AsyncGenerator<Chunk> {
  for (let at = from; at + headBytes <= to; ) {
    const head = await file.from(at, headBytes)
    const type = head.toString('latin1', 0, 4)
    const length = head.readUInt32LE(4)
    const end = at + headBytes + length + (length % 2)
    if (at + headBytes + length > to && !isKept(type)) return
    yield { type, at, length, end }
    at = end
  }
}
