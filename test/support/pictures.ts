/* Image files without pixels: only what headers contain. */

const u16be = (value: number) => Buffer.from([value >> 8, value & 0xff])
const u16le = (value: number) => Buffer.from([value & 0xff, value >> 8])
const u32be = (value: number) => Buffer.from([value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff])
const u32le = (value: number) => u32be(value).reverse()
const text = (value: string) => Buffer.from(value, 'latin1')
const joined = (...parts: readonly (Buffer | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? text(part) : part)))

/** EXIF data with an orientation, after another tag. */
export const exif = (orientation: number, isLittle = true) => {
  const [u16, u32] = isLittle ? [u16le, u32le] : [u16be, u32be]
  const width = joined(u16(0x0100), u16(4), u32(1), u32(7))
  const tag = joined(u16(0x0112), u16(3), u32(1), u16(orientation), u16(0))
  return joined(isLittle ? 'II' : 'MM', u16(42), u32(8), u16(2), width, tag, u32(0))
}

export const pngChunk = (name: string, content: Buffer | string = '') =>
  joined(u32be(content.length), name, content, u32be(0))

export const png = (width: number, height: number, ...chunks: readonly Buffer[]) => {
  const header = pngChunk('IHDR', joined(u32be(width), u32be(height), Buffer.from([8, 2, 0, 0, 0])))
  return joined('\x89PNG\r\n\x1a\n', header, ...chunks, pngChunk('IDAT'), pngChunk('IEND'))
}
export const frames = (count: number) => pngChunk('acTL', joined(u32be(count), u32be(0)))

export const segment = (marker: number, content: Buffer | string) =>
  joined(Buffer.from([0xff, marker]), u16be(content.length + 2), content)
export const exifSegment = (orientation: number) => segment(0xe1, joined('Exif\0\0', exif(orientation)))

export const jpeg = (width: number, height: number, ...segments: readonly Buffer[]) => {
  const frame = segment(0xc2, joined(Buffer.from([8]), u16be(height), u16be(width), Buffer.from([1, 1, 0x11, 0])))
  return joined('\xff\xd8', ...segments, frame, '\xff\xda')
}

export const loop = joined('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0')
/** A GIF frame with this many blocks of pixels. */
export const gifFrame = (blocks = 1) => {
  const pixels = Array.from({ length: blocks }, () => joined('\xff', Buffer.alloc(255, 0x2c)))
  return joined('\x2c', Buffer.alloc(8), '\x80', Buffer.alloc(6), '\x02', ...pixels, '\0')
}
export const gif = (width: number, height: number, ...parts: readonly Buffer[]) =>
  joined('GIF89a', u16le(width), u16le(height), '\x91\0\0', Buffer.alloc(12), ...parts, ';')

const webp = (name: string, content: Buffer) =>
  joined('RIFF', u32le(content.length + 12), 'WEBP', name, u32le(content.length), content)
const u24le = (value: number) => u32le(value).subarray(0, 3)
export const lossyWebp = (width: number, height: number) =>
  webp('VP8 ', joined('\0\0\0\x9d\x01\x2a', u16le(width), u16le(height)))
export const losslessWebp = (width: number, height: number) =>
  webp('VP8L', joined('\x2f', u32le((width - 1) | ((height - 1) << 14))))
export const extendedWebp = (width: number, height: number, animated: boolean) =>
  webp('VP8X', joined(animated ? '\x02' : '\0', '\0\0\0', u24le(width - 1), u24le(height - 1)))

const version0 = '\0\0\0\0'

/** The head of a box of this length, with version and flags. */
export const boxHead = (type: string, length: number) => joined(u32be(length), type, version0)

export const box = (type: string, ...content: readonly (Buffer | string)[]) => {
  const all = joined(...content)
  return joined(u32be(all.length + 8), type, all)
}

/** The second item is the primary one; the first is smaller and not turned. */
export const avif = (width: number, height: number, { brand = 'avif', turns = 0, before = Buffer.alloc(0) } = {}) => {
  const size = (w: number, h: number) => box('ispe', version0, u32be(w), u32be(h))
  const all = box('ipco', size(1, 2), size(width, height), box('irot', Buffer.from([turns])))
  const table = box('ipma', version0, u32be(2), u16be(1), '\x01\x01', u16be(2), '\x02\x02\x83')
  const meta = box('meta', version0, box('pitm', version0, u16be(2)), box('iprp', all, table))
  return joined(box('ftyp', brand, '\0\0\0\0', 'mif1', 'avif'), before, meta)
}
