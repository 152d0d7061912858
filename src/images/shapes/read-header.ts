import { isImage, looksLike } from '../signatures.ts'
import { parseAvif } from './avif.ts'
import { parseGif } from './gif.ts'
import { HeaderFile, type HeaderSource, Unreadable, windowBytes } from './header-file.ts'
import { parseJpeg } from './jpeg.ts'
import { parsePng } from './png.ts'
import { type Extent, maxSide, type Shape, type ShapeType } from './shape.ts'
import { parseWebp } from './webp.ts'

/** Null: it is an image, but its header does not give a shape, or not a credible one. */
export type Header = Shape | 'no image' | null

const parsers: Readonly<Record<ShapeType, (file: HeaderFile) => Promise<Extent>>> = {
  'image/png': parsePng,
  'image/jpeg': parseJpeg,
  'image/gif': parseGif,
  'image/webp': parseWebp,
  'image/avif': parseAvif,
}
const types = Object.keys(parsers) as ShapeType[]

/** Reads the header of a file. Rejects only if a read does. */
export async function readHeader(source: HeaderSource): Promise<Header> {
  const file = new HeaderFile(source)
  const first = await file.read(0, windowBytes[0])
  if (!isImage(first)) return 'no image'
  const mime = types.find((type) => looksLike(type, first))
  if (mime === undefined) return null
  try {
    const extent = await parsers[mime](file)
    return isBelievable(extent) ? { ...extent, mime } : null
  } catch (error) {
    // Fields outside of what was read cause RangeErrors.
    if (error instanceof Unreadable || error instanceof RangeError) return null
    throw error
  }
}

const isBelievable = ({ width, height }: Extent) => Math.min(width, height) >= 1 && Math.max(width, height) <= maxSide
