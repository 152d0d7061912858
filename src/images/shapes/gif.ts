import { type HeaderFile, Unreadable } from './header-file.ts'
import type { Extent } from './shape.ts'

const [extension, image, trailer] = [0x21, 0x2c, 0x3b]
const [applicationLabel, loop] = [0xff, /^(?:NETSCAPE2\.0|ANIMEXTS1\.0)$/]
const screenEnd = 13

/** Size of the colour table that these flags announce. */
const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/**
 * Animated if there is a second frame. The first may be too long to look past it; then a loop extension decides, and
 * without one the answer is unknown.
 */
export async function parseGif(file: HeaderFile): Promise<Extent> {
  const screen = await file.take(6, 5)
  const extent = { width: screen.readUInt16LE(0), height: screen.readUInt16LE(2) }
  let frames = 0
  let loops = false
  try {
    for (let at = screenEnd + tableBytes(screen.readUInt8(4)); ; ) {
      const [kind, label] = await file.read(at, 2)
      if (kind === trailer && frames === 1) return { ...extent, animated: false }
      if (kind === image) {
        frames++
        if (frames > 1) return { ...extent, animated: true }
        const flags = (await file.take(at + 9, 1)).readUInt8()
        // The table is followed by one byte, the code size.
        at = await skipBlocks(file, at + 10 + tableBytes(flags) + 1)
      } else if (kind === extension) {
        if (label === applicationLabel) loops ||= loop.test((await file.take(at + 3, 11)).toString('latin1'))
        at = await skipBlocks(file, at + 2)
      } else throw new Unreadable()
    }
  } catch (error) {
    if (loops && error instanceof Unreadable) return { ...extent, animated: true }
    throw error
  }
}

/** Returns where the blocks end: after an empty one. */
async function skipBlocks(file: HeaderFile, from: number): Promise<number> {
  for (let at = from; ; ) {
    const length = (await file.take(at, 1)).readUInt8()
    at += 1 + length
    if (length === 0) return at
  }
}
