import { turnIn } from './exif.ts'
import type { HeaderFile } from './header-file.ts'
import type { Extent } from './shape.ts'

const signatureBytes = 8
/** A chunk has its length and name before its data, a checksum after it. */
const [headBytes, sumBytes] = [8, 4]

/** Chunks before the pixels announce several frames (APNG) and how to turn the image. */
export async function parsePng(file: HeaderFile): Promise<Extent> {
  const header = await file.take(signatureBytes + headBytes, 8)
  const sides = [header.readUInt32BE(0), header.readUInt32BE(4)] as const
  let animated = false
  let isTurned = false
  for (let at = signatureBytes; ; ) {
    const head = await file.read(at, headBytes)
    const name = head.toString('latin1', 4)
    if (head.length < headBytes || name === 'IDAT' || name === 'IEND') break
    const length = head.readUInt32BE()
    if (name === 'acTL') animated = (await file.take(at + headBytes, 4)).readUInt32BE() > 1
    if (name === 'eXIf') isTurned = (await turnIn(file, at + headBytes, length)) ?? false
    at += headBytes + length + sumBytes
  }
  const [width, height] = isTurned ? sides.toReversed() : sides
  return { width: width as number, height: height as number, animated }
}
