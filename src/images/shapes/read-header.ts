import { isImage, looksLike } from '../signatures.ts'
import { parseAvif } from './avif.ts'
import { parseGif } from './gif.ts'
import { parseJpeg } from './jpeg.ts'
import { type FilePart, type Parser, Unreadable } from './parser.ts'
import { parsePng } from './png.ts'
import { type Extent, maxSide, type Shape, type ShapeType } from './shape.ts'
import { parseWebp } from './webp.ts'

/** Null: it is an image, but its header does not give a shape, or not a credible one. */
export type Header = Shape | 'no image' | null

export interface HeaderSource {
  readonly size: number
  /** The part lies inside the file. May return only its beginning. */
  read(part: FilePart): Promise<Buffer>
}

/** The reads of a file, at most: this many bytes each, wherever they are needed. */
export const windowBytes = [16_384, 65_536, 262_144, 1_048_576] as const
/** Limit per parser: no real header has more segments, chunks, blocks or boxes. */
const maxSteps = 8_192

const parsers: Readonly<Record<ShapeType, (size: number) => Parser<Extent>>> = {
  'image/png': parsePng,
  'image/jpeg': parseJpeg,
  'image/gif': parseGif,
  'image/webp': parseWebp,
  'image/avif': parseAvif,
}
const types = Object.keys(parsers) as ShapeType[]

/** Reads the header of a file, within hard limits on bytes, reads and steps. Rejects only if a read does. */
export async function readHeader(source: HeaderSource): Promise<Header> {
  const windows = createWindows(source)
  const first = (await windows.get({ at: 0, length: Math.min(windowBytes[0], source.size) })) as Buffer
  if (!isImage(first)) return 'no image'
  const mime = types.find((type) => looksLike(type, first))
  if (mime === undefined) return null
  const extent = await run(parsers[mime](source.size), windows.get)
  return extent && isBelievable(extent) ? { ...extent, mime } : null
}

const isBelievable = ({ width, height }: Extent) => Math.min(width, height) >= 1 && Math.max(width, height) <= maxSide

async function run(parser: Parser<Extent>, get: Windows['get']): Promise<Extent | null> {
  try {
    let next = parser.next()
    for (let step = 0; !next.done; step++) {
      const found = step < maxSteps ? get(next.value) : null
      const bytes = found instanceof Promise ? await found : found
      next = bytes === null ? parser.throw(new Unreadable()) : parser.next(bytes)
    }
    return next.value
  } catch (error) {
    // Fields outside of what was read cause RangeErrors.
    if (error instanceof Unreadable || error instanceof RangeError) return null
    throw error
  }
}

type Windows = ReturnType<typeof createWindows>

/** The part of the file that is in memory. */
function createWindows({ size, read }: HeaderSource) {
  const lengths = windowBytes.values()
  let window: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) }

  async function move(at: number, length: number): Promise<Buffer | null> {
    const { value: most } = lengths.next()
    if (most === undefined || length > most) return null
    window = { at, bytes: await read({ at, length: Math.min(most, size - at) }) }
    if (window.bytes.length < length) throw new Error('a part of the file is missing')
    return window.bytes.subarray(0, length)
  }

  return {
    /** Null beyond the limits. Synchronous while the part is in memory. */
    get(part: FilePart): Buffer | null | Promise<Buffer | null> {
      const length = Math.max(Math.min(part.length, size - part.at), 0)
      if (length === 0) return Buffer.alloc(0)
      const from = part.at - window.at
      return from >= 0 && from + length <= window.bytes.length
        ? window.bytes.subarray(from, from + length)
        : move(part.at, length)
    },
  }
}
