import sharp, { type Metadata, type Sharp } from 'sharp'
import type { Look } from '../../../images/sizes/looks.ts'
import type { ResizeJob } from '../../../images/sizes/resizer.ts'
import type { ImageFormat } from '../../../images/sizes/size.ts'
import { lookOf } from './look.ts'

/** In all frames together. */
const maxPixels = 100_000_000
/** Beyond it, the look would cost more than a few milliseconds. */
const maxLookPixels = 8_000_000
/** The longest sides that these types can have. */
const maxSides: Readonly<Partial<Record<ImageFormat, number>>> = { avif: 16_384, webp: 16_383 }

/** The image can be written in none of the wanted types. */
export class WrongFormat extends Error {
  override readonly name = 'WrongFormat'
}

/** Only these decoders work; libvips has others. Each job has a process of its own, so one thread is enough. */
export function prepare(): void {
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  const decoders = ['Heif', 'Jpeg', 'Nsgif', 'Png', 'Webp']
  sharp.unblock({ operation: decoders.map((name) => `VipsForeignLoad${name}Buffer`) })
}

const input = { limitInputPixels: maxPixels, failOn: 'error' } as const

/** The image at most this wide, upright, in sRGB and without metadata, in the smallest of the formats. */
export async function resize(
  image: Buffer,
  { type, width, formats, hasLook }: ResizeJob,
): Promise<{ readonly bytes: Buffer; readonly look: Look | null }> {
  const canMove = type === 'gif' || type === 'webp'
  const metadata = await sharp(image, { ...input, animated: canMove }).metadata()
  checkPixels(metadata, canMove)
  const moving = canMove && (metadata.pages ?? 1) > 1 ? formats.filter(isAnimation) : []
  const wanted = moving.length > 0 ? moving : formats
  const height = reducedHeight(type, metadata, width)
  const possible = wanted.filter((format) => height <= (maxSides[format] ?? Infinity))
  if (possible.length === 0) throw new WrongFormat(`it is too tall for ${wanted.join(' and ')}`)
  const source = () => reduced(image, type, width, moving.length > 0)
  const wantsLook = hasLook && height * Math.min(width, metadata.width) <= maxLookPixels
  // Decoding an AVIF again would take a sixth of the time of making it.
  const isReused = possible.length > 1 || (wantsLook && possible[0] === 'avif')
  const decoded = isReused && moving.length === 0 ? await decodedOnce(source()) : null
  let smallest: Buffer | null = null
  for (const format of possible) {
    const made = await encoders[format]((decoded ?? source)(), metadata).toBuffer()
    if (smallest === null || made.length < smallest.length) smallest = made
  }
  const bytes = smallest as Buffer
  if (!wantsLook) return { bytes, look: null }
  // The result is cheaper to decode than the image, but a JPEG has no transparency.
  const isFlat = metadata.hasAlpha && bytes[0] === 0xff
  const shown = decoded?.() ?? (isFlat ? reduced(image, type, width, false) : sharp(bytes, input))
  // Whatever happens here, the image has been made.
  return { bytes, look: await lookOf(shown).catch(() => null) }
}

const isAnimation = (format: ImageFormat) => format === 'gif' || format === 'webp'

/** sharp applies its limit to what it decodes; this one counts the frames that are not shown, too. */
function checkPixels({ width, height, pages = 1 }: Metadata, isRoll: boolean): void {
  const pixels = width * height * (isRoll ? 1 : pages)
  if (pixels > maxPixels) throw new Error(`it has ${pixels} pixels`)
}

/** Of a frame. */
function reducedHeight(type: ImageFormat, metadata: Metadata, maxWidth: number): number {
  const { width, height } = isTurned(type) ? metadata.autoOrient : metadata
  return Math.round((metadata.pageHeight ?? height) * Math.min(1, maxWidth / width))
}

/** By EXIF data, as in browsers; the decoder of AVIF turns by itself. */
const isTurned = (type: ImageFormat) => type === 'jpeg' || type === 'png'

function reduced(image: Buffer, type: ImageFormat, width: number, animated: boolean): Sharp {
  const source = sharp(image, { ...input, animated })
  const upright = isTurned(type) ? source.autoOrient() : source
  return upright.resize({ width, withoutEnlargement: true })
}

async function decodedOnce(source: Sharp): Promise<() => Sharp> {
  const { data, info } = await source.raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return () => sharp(data, { raw: { width, height, channels } })
}

/** Chosen for speed: more effort takes twice the time for a twentieth of the bytes. */
const encoders: Readonly<Record<ImageFormat, (source: Sharp, of: Metadata) => Sharp>> = {
  avif: (source) => source.avif({ quality: 50, effort: 1, chromaSubsampling: '4:2:0' }),
  gif: (source) => source.gif({ effort: 3 }),
  jpeg: (source) => source.flatten({ background: 'white' }).jpeg({ quality: 80 }),
  // Few colours stay few, or the smaller image would have more bytes.
  png: (source, { isPalette = false }) => source.png({ palette: isPalette, dither: 0, effort: 3 }),
  webp: (source) => source.webp({ quality: 75, effort: 2 }),
}
