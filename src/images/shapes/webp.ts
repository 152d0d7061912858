import { type HeaderFile, Unreadable } from './header-file.ts'
import type { Extent } from './shape.ts'

const firstChunk = 12
const animationFlag = 0x02
const [lossyMark, losslessMark] = ['\x9d\x01\x2a', 0x2f]

/** The first chunk says everything: it is a single lossy or lossless frame, or (VP8X) describes all that follows. */
export async function parseWebp(file: HeaderFile): Promise<Extent> {
  const name = (await file.take(firstChunk, 4)).toString('latin1')
  const at = firstChunk + 8
  if (name === 'VP8X') {
    const bytes = await file.take(at, 10)
    const side = (from: number) => bytes.readUIntLE(from, 3) + 1
    return { width: side(4), height: side(7), animated: (bytes.readUInt8() & animationFlag) !== 0 }
  }
  if (name === 'VP8L') {
    const bytes = await file.take(at, 5)
    if (bytes[0] !== losslessMark) throw new Unreadable()
    const bits = bytes.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, animated: false }
  }
  const bytes = await file.take(at, 10)
  if (name !== 'VP8 ' || bytes.toString('latin1', 3, 6) !== lossyMark) throw new Unreadable()
  return { width: bytes.readUInt16LE(6) & 0x3fff, height: bytes.readUInt16LE(8) & 0x3fff, animated: false }
}
