import { crc32 } from 'node:zlib'
import type { Window } from './file-bytes.ts'
import { exifWith, maxExifBytes, orientationIn } from './orientation.ts'
import type { Plan } from './plan.ts'

const signatureBytes = 8
/** A chunk has its length and type before its data, a CRC after it. */
const [headBytes, crcBytes] = [8, 4]
/** Ancillary chunks that affect how the pixels are shown: colours, transparency, density, frames of an animation. */
const shown = new Set('tRNS gAMA cHRM sRGB iCCP cICP mDCV mDCv cLLI cLLi sBIT bKGD hIST pHYs acTL fcTL fdAT'.split(' '))

/** Keeps critical chunks and those above, and drops what follows the end of the image. False if there are no pixels. */
export async function planPng(file: Window, plan: Plan): Promise<boolean> {
  let hasPixels = false
  let isOriented = false
  plan.keep(0, signatureBytes)
  for (let at = signatureBytes; ; ) {
    const head = await file.from(at, headBytes)
    const type = head.toString('latin1', 4, headBytes)
    if (!/^[A-Za-z]{4}$/.test(type)) return hasPixels
    plan.countSegment()
    const length = head.readUInt32BE(0)
    const end = at + headBytes + length + crcBytes
    if (type === 'IDAT') hasPixels = true
    if (end > file.size) {
      if (type === 'IDAT') plan.keep(at, file.size)
      return hasPixels
    }
    if (type === 'eXIf' && !isOriented) {
      const wanted = Math.min(end - at, maxExifBytes)
      const old = (await file.from(at, wanted)).subarray(0, wanted)
      const orientation = orientationIn(old.subarray(headBytes))
      isOriented = orientation !== null
      if (orientation !== null && orientation > 1) plan.replace(at, old, chunk('eXIf', exifWith(orientation)))
    } else if (isCritical(type) || shown.has(type)) plan.keep(at, end)
    if (type === 'IEND') return hasPixels
    at = end
  }
}

const isCritical = (type: string) => /^[A-Z]/.test(type)

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(headBytes + data.length + crcBytes)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, headBytes)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, headBytes + data.length)), headBytes + data.length)
  return bytes
}
