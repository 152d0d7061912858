import type { Window } from './file-bytes.ts'
import { exifWith, orientationIn } from './orientation.ts'
import type { Plan } from './plan.ts'

const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda]
const [app0, app1, app2, app14, app15] = [0xe0, 0xe1, 0xe2, 0xee, 0xef]
/** These lie among the frame codes: tables for Huffman and arithmetic coding, and a reserved code. */
const [huffmanTables, reserved, arithmeticTables] = [0xc4, 0xc8, 0xcc]
const [firstFrame, lastFrame] = [0xc0, 0xcf]
const [firstRestart, lastRestart] = [0xd0, 0xd7]
const [firstTable, lastTable] = [0xdb, 0xdf]
/** A marker and its length. */
const headBytes = 4
const adobeBytes = 12

/**
 * Keeps what the pixels need: tables, frames, scans, the JFIF header without its thumbnail, the colour profile and
 * Adobe's colour transform. What follows the end of the image, such as pictures and videos, is dropped. False without a
 * scan.
 */
export async function planJpeg(file: Window, plan: Plan): Promise<boolean> {
  let hasFrame = false
  let hasPixels = false
  let isOriented = false
  plan.keep(0, 2)
  for (let from = 2; ; ) {
    const marker = await nextMarker(file, from)
    if (marker === null) return hasPixels
    const { at, code } = marker
    plan.countSegment()
    if (code === endOfImage) {
      plan.keep(at, at + 2)
      return hasPixels
    }
    if (code === startOfImage) {
      from = at + 2
      continue
    }
    const head = await file.from(at, headBytes)
    const length = head.length < headBytes ? 0 : head.readUInt16BE(2)
    const end = at + 2 + length
    if (length < 2 || end > file.size) return hasPixels
    from = end
    if (code === startOfScan) {
      if (!hasFrame) return false
      hasPixels = true
      from = (await nextMarker(file, end))?.at ?? file.size
      plan.keep(at, from)
    } else if (code >= app0 && code <= app15) {
      const old = (await file.from(at, end - at)).subarray(0, end - at)
      const isExif = code === app1 && marks(old, 'Exif\0\0')
      const orientation = isExif && !isOriented ? orientationIn(old.subarray(headBytes)) : null
      if (orientation !== null) isOriented = true
      const kept = isExif ? exifSegment(orientation) : applicationData(code, old)
      if (kept !== null) plan.replace(at, old, kept)
    } else if (isFrame(code) || isTable(code)) {
      plan.keep(at, end)
      hasFrame ||= isFrame(code)
    }
  }
}

const exifSegment = (orientation: number | null) =>
  orientation === null || orientation === 1 ? null : segment(app1, Buffer.from('Exif\0\0'), exifWith(orientation))

function applicationData(code: number, old: Buffer): Buffer | null {
  const data = old.subarray(headBytes)
  if (code === app2 && marks(old, 'ICC_PROFILE\0')) return old
  // Identifier, version and density are kept; the thumbnail's width and height become 0.
  if (code === app0 && marks(old, 'JFIF\0') && data.length >= 14)
    return segment(app0, data.subarray(0, 12), Buffer.alloc(2))
  if (code === app14 && marks(old, 'Adobe') && data.length >= adobeBytes)
    return segment(app14, data.subarray(0, adobeBytes))
  return null
}

/**
 * Skips everything that is not a relevant marker: pixels, which a restart does not end, and stray bytes between
 * segments, which decoders skip too.
 */
async function nextMarker(file: Window, from: number): Promise<{ readonly at: number; readonly code: number } | null> {
  for (let start = from; ; ) {
    const bytes = await file.from(start, 2)
    if (bytes.length < 2) return null
    for (let at = bytes.indexOf(0xff); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
      const code = bytes[at + 1] as number
      if (code >= firstFrame && code !== 0xff && !(code >= firstRestart && code <= lastRestart))
        return { at: start + at, code }
    }
    // The last byte may start a marker.
    start += bytes.length - 1
  }
}

const isFrame = (code: number) =>
  code <= lastFrame && code !== huffmanTables && code !== reserved && code !== arithmeticTables

const isTable = (code: number) =>
  code === huffmanTables || code === arithmeticTables || (code >= firstTable && code <= lastTable)

const marks = (old: Buffer, mark: string) => old.toString('latin1', headBytes, headBytes + mark.length) === mark

function segment(code: number, ...data: readonly Buffer[]): Buffer {
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(2 + data.reduce((sum, { length }) => sum + length, 0), 2)
  return Buffer.concat([head, ...data])
}
