import { turnIn } from './exif.ts'
import { type Parser, take, Unreadable } from './parser.ts'
import type { Extent } from './shape.ts'

/** Segments without a length: TEM, RST0 to RST7. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
/** SOF0 to SOF15; DHT, JPG and DAC lie between them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const [endOfImage, startOfScan, app1] = [0xd9, 0xda, 0xe1]
const exifMark = 'Exif\0\0'

export function* parseJpeg(): Parser<Extent> {
  let isTurned: boolean | null = null
  for (let at = 2; ; ) {
    const head = yield* take(at, 2)
    const marker = head.readUInt8(1)
    if (head[0] !== 0xff || marker === endOfImage || marker === startOfScan) throw new Unreadable()
    if (marker === 0xff) at += 1
    else if (isBare(marker)) at += 2
    else {
      const length = (yield* take(at + 2, 2)).readUInt16BE()
      if (isFrame(marker)) return yield* frame(at + 4, isTurned ?? false)
      if (marker === app1) isTurned ??= yield* exifTurn(at + 4, length - 2)
      at += 2 + Math.max(length, 2)
    }
  }
}

function* frame(at: number, isTurned: boolean): Parser<Extent> {
  const sides = yield* take(at + 1, 4)
  const [height, width] = [sides.readUInt16BE(0), sides.readUInt16BE(2)]
  return isTurned ? { width: height, height: width, animated: false } : { width, height, animated: false }
}

/** Null if the segment is not EXIF. */
function* exifTurn(at: number, length: number): Parser<boolean | null> {
  const mark = yield { at, length: exifMark.length }
  return mark.toString('latin1') === exifMark ? yield* turnIn(at, length) : null
}
