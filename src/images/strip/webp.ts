import type { Window } from './file-bytes.ts'
import { exifWith, maxExifBytes, orientationIn } from './orientation.ts'
import type { Plan } from './plan.ts'
import { type Chunk, chunksIn, headBytes } from './riff.ts'
import { type Frame, keepFrame, readFrame } from './webp-frame.ts'

/** `RIFF`, the size of what follows, `WEBP`. */
const riffBytes = 12
/** The VP8X chunk; its data begins with the flags. */
const extendedBytes = headBytes + 10
const [exifFlag, xmpFlag] = [0x08, 0x04]
const maxRiffSize = 0xfffffffe
const pixels = new Set(['VP8 ', 'VP8L', 'ANMF'])
const shown = new Set([...pixels, 'VP8X', 'ICCP', 'ANIM', 'ALPH'])

/**
 * Keeps what the pixels need, and drops what follows the end of the RIFF. The size and the flags at the beginning
 * depend on all chunks, so it takes two passes. False if there are no pixels.
 */
export async function planWebp(file: Window, plan: Plan): Promise<boolean> {
  const riff = await copyOf(file, 0, riffBytes)
  const riffEnd = Math.min(file.size, 8 + riff.readUInt32LE(4))
  let size = 4
  let hasPixels = false
  let isExtended = false
  let oriented: { readonly at: number; readonly exif: Buffer } | null = null
  const frames = new Map<number, Frame>()
  for await (const each of chunksOf(file, riffEnd)) {
    const { type, at, length, end } = each
    plan.countSegment()
    const frame = type === 'ANMF' ? await readFrame(file, each, riffEnd, plan) : null
    if (frame !== null) frames.set(at, frame)
    if (shown.has(type)) size += frame?.size ?? end - at
    if (pixels.has(type)) hasPixels = true
    if (type === 'VP8X') {
      if (length !== extendedBytes - headBytes) return false
      isExtended = true
    }
    if (type !== 'EXIF' || !isExtended || oriented !== null) continue
    const orientation = orientationIn((await copyOf(file, at, Math.min(end - at, maxExifBytes))).subarray(headBytes))
    if (orientation !== null && orientation > 1) oriented = { at, exif: chunk('EXIF', exifWith(orientation)) }
  }
  if (oriented) size += oriented.exif.length
  if (!hasPixels || size > maxRiffSize) return false

  const newRiff = Buffer.from(riff)
  newRiff.writeUInt32LE(size, 4)
  plan.replace(0, riff, newRiff)
  for await (const { type, at, end } of chunksOf(file, riffEnd)) {
    if (type === 'VP8X') {
      const old = await copyOf(file, at, extendedBytes)
      const extended = Buffer.from(old)
      extended[headBytes] = ((old[headBytes] as number) & ~(exifFlag | xmpFlag)) | (oriented ? exifFlag : 0)
      plan.replace(at, old, extended)
    } else if (frames.has(at)) await keepFrame(file, plan, at, frames.get(at) as Frame)
    else if (shown.has(type)) {
      plan.keep(at, Math.min(end, riffEnd))
      // Some programs omit the last padding byte.
      if (end === riffEnd + 1) plan.replace(riffEnd, Buffer.alloc(0), Buffer.alloc(1))
    } else if (at === oriented?.at)
      plan.replace(at, await copyOf(file, at, Math.min(end - at, maxExifBytes)), oriented.exif)
  }
  return true
}

/** Ends before the first truncated chunk, unless that has pixels. */
const chunksOf = (file: Window, riffEnd: number): AsyncGenerator<Chunk> =>
  chunksIn(file, riffBytes, riffEnd, (type) => pixels.has(type))

const copyOf = async (file: Window, at: number, length: number) =>
  Buffer.from((await file.from(at, length)).subarray(0, length))

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(headBytes)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data])
}
