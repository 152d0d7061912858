import { turnIn } from './exif.ts'
import { type HeaderFile, Unreadable } from './header-file.ts'
import type { Extent } from './shape.ts'

/** Segments without a length: TEM, RST0 to RST7. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
/** SOF0 to SOF15; DHT, JPG and DAC lie between them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const [endOfImage, startOfScan, app1] = [0xd9, 0xda, 0xe1]
const exifMark = 'Exif\0\0'

export async function parseJpeg(file: HeaderFile): Promise<Extent> {
  let isTurned: boolean | null = null
  for (let at = 2; ; ) {
    const head = await file.take(at, 2)
    const marker = head.readUInt8(1)
    if (head[0] !== 0xff || marker === endOfImage || marker === startOfScan) throw new Unreadable()
    if (marker === 0xff) at += 1
    else if (isBare(marker)) at += 2
    else {
      const length = (await file.take(at + 2, 2)).readUInt16BE()
      if (isFrame(marker)) return frame(file, at + 4, isTurned ?? false)
      if (marker === app1) isTurned ??= await exifTurn(file, at + 4, length - 2)
      at += 2 + Math.max(length, 2)
    }
  }
}

async function frame(file: HeaderFile, at: number, isTurned: boolean): Promise<Extent> {
  const sides = await file.take(at + 1, 4)
  const [height, width] = [sides.readUInt16BE(0), sides.readUInt16BE(2)]
  return isTurned ? { width: height, height: width, animated: false } : { width, height, animated: false }
}

/** Null if the segment is not EXIF. */
async function exifTurn(file: HeaderFile, at: number, length: number): Promise<boolean | null> {
  const mark = await file.read(at, exifMark.length)
  return mark.toString('latin1') === exifMark ? turnIn(file, at, length) : null
}
