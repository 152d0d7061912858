import { crc32 } from 'node:zlib'

/* Files in which every piece of metadata says SECRET; their pixels are no real ones. */

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

/** TIFF data with an orientation, between a maker and a position. */
export function exif(orientation: number, order: 'II' | 'MM' = 'II'): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 3 * 12 + 4)
  const write16 = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  const write32 = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
  tiff.write(order)
  write16(42, 2)
  write32(8, 4)
  write16(3, 8)
  for (const [index, [tag, type, count]] of [
    [0x010f, 2, 7],
    [0x0112, 3, 1],
    [0x8825, 4, 1],
  ].entries()) {
    write16(tag as number, 10 + index * 12)
    write16(type as number, 12 + index * 12)
    write32(count as number, 14 + index * 12)
  }
  write32(tiff.length, 18)
  write16(orientation, 30)
  write32(tiff.length, 42)
  return Buffer.concat([tiff, latin1('SECRET\0\0')])
}

/** What is left of it. */
export const orientationOnly = (orientation: number) =>
  hex(`4d4d002a 00000008 0001 0112 0003 00000001 000${orientation} 0000 00000000`)

export function segment(code: number, data: Buffer | string, length = data.length + 2): Buffer {
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(length, 2)
  return Buffer.concat([head, typeof data === 'string' ? latin1(data) : data])
}

export const exifSegment = (tiff: Buffer) => segment(0xe1, Buffer.concat([latin1('Exif\0\0'), tiff]))
const soi = hex('ffd8')
const eoi = hex('ffd9')
const jfif = segment(0xe0, hex('4a46494600 0102 01 0048 0048 00 00'))
const withThumbnail = segment(0xe0, Buffer.concat([hex('4a46494600 0102 01 0048 0048 02 01'), latin1('SECRET')]))
const iccProfile = segment(0xe2, 'ICC_PROFILE\0\x01\x01a profile')
const adobe = segment(0xee, 'Adobe\0\x64\0\0\0\0\x02')
const tables = Buffer.concat([segment(0xdb, 'quantization'), segment(0xc0, 'a frame'), segment(0xc4, 'huffman')])
/** With a stuffed byte, restarts and fill bytes. */
const scan = Buffer.concat([segment(0xda, 'scan'), hex('01 ff00 02 ffd0 03 ffd7 ffff00 04')])

export interface Example {
  readonly sent: Buffer
  readonly stored: Buffer
}

const jpegMetadata = [
  segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>SECRET'),
  segment(0xe1, 'http://ns.adobe.com/xmp/extension/\0SECRET'),
  segment(0xe0, 'JFXX\0\x10SECRET'),
  segment(0xe2, 'MPF\0SECRET'),
  segment(0xeb, 'JP SECRET'),
  segment(0xed, 'Photoshop 3.0\x008BIMSECRET'),
  segment(0xfe, 'SECRET'),
]

export const jpeg = (orientation: number, order?: 'II' | 'MM'): Example => ({
  sent: Buffer.concat([
    ...[soi, withThumbnail, exifSegment(exif(orientation, order)), exifSegment(exif(2)), ...jpegMetadata, iccProfile],
    ...[adobe, hex('ffff'), tables, latin1('SECRET'), scan, segment(0xfe, 'SECRET'), segment(0xc4, 'more'), scan, eoi],
    ...[soi, exifSegment(exif(3)), latin1('SECRET'), eoi],
  ]),
  stored: Buffer.concat([
    ...[soi, jfif, ...(orientation > 1 ? [exifSegment(orientationOnly(orientation))] : []), iccProfile, adobe],
    ...[tables, scan, segment(0xc4, 'more'), scan, eoi],
  ]),
})

export function chunk(type: string, data: Buffer | string = '', length = data.length): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(length)
  const body = Buffer.concat([latin1(type), typeof data === 'string' ? latin1(data) : data])
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, crc])
}

export const pngSignature = latin1('\x89PNG\r\n\x1a\n')
const shownChunks = ['gAMA', 'sRGB', 'iCCP', 'pHYs', 'acTL'].map((type) => chunk(type, 'shown'))
const frames = [chunk('IDAT', 'pixels'), chunk('fcTL', 'frame'), chunk('fdAT', 'pixels'), chunk('IEND')]
const pngMetadata = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'caBX', 'prVW'].map((type) => chunk(type, 'Raw\0SECRET'))

export const png = (orientation: number, order?: 'II' | 'MM'): Example => ({
  sent: Buffer.concat([
    ...[pngSignature, chunk('IHDR', 'header'), ...pngMetadata, ...shownChunks, chunk('eXIf', exif(orientation, order))],
    ...[
      chunk('PLTE', 'colours'),
      chunk('tRNS', 'alpha'),
      ...frames.slice(0, 3),
      chunk('tEXt', 'SECRET'),
      chunk('IEND'),
    ],
    latin1('SECRET'),
  ]),
  stored: Buffer.concat([
    ...[pngSignature, chunk('IHDR', 'header'), ...shownChunks],
    ...(orientation > 1 ? [chunk('eXIf', orientationOnly(orientation))] : []),
    ...[chunk('PLTE', 'colours'), chunk('tRNS', 'alpha'), ...frames],
  ]),
})

export function riffChunk(type: string, data: Buffer | string, length = data.length): Buffer {
  const head = Buffer.alloc(8)
  head.write(type)
  head.writeUInt32LE(length, 4)
  const body = typeof data === 'string' ? latin1(data) : data
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

export function riff(...chunks: readonly Buffer[]): Buffer {
  const head = latin1('RIFF\0\0\0\0WEBP')
  head.writeUInt32LE(4 + Buffer.concat(chunks).length, 4)
  return Buffer.concat([head, ...chunks])
}

const extended = (flags: number) => riffChunk('VP8X', Buffer.from([flags, 0, 0, 0, 1, 0, 0, 1, 0, 0]))
const frame = (...chunks: readonly Buffer[]) =>
  riffChunk('ANMF', Buffer.concat([latin1('at, size, 40 ms.'), ...chunks]))
const [alpha, lossy, secret] = [riffChunk('ALPH', 'alpha'), riffChunk('VP8 ', 'pixel'), riffChunk('EXIF', 'SECRET')]
const riffShown = [riffChunk('ICCP', 'a profile'), riffChunk('ANIM', 'loop')]
const framesSent = [
  frame(secret, alpha, riffChunk('XMP ', '<x:xmpmeta>SECRET'), lossy, riffChunk('SCRT', 'SECRET'), latin1('SECRET')),
  frame(riffChunk('VP8L', 'pixels'), secret),
  frame(riffChunk('VP8L', 'pixels')),
]
const framesStored = [frame(alpha, lossy), frame(riffChunk('VP8L', 'pixels')), frame(riffChunk('VP8L', 'pixels'))]

/** The flags: 0x20 colour profile, 0x08 EXIF, 0x04 XMP, 0x02 animation. */
export const webp = (orientation: number, order?: 'II' | 'MM'): Example => ({
  sent: Buffer.concat([
    riff(
      ...[
        extended(0x2e),
        riffChunk('SCRT', 'SECRET'),
        ...riffShown,
        ...framesSent,
        riffChunk('EXIF', exif(orientation, order)),
      ],
      ...[riffChunk('XMP ', '<x:xmpmeta>SECRET'), riffChunk('SCRT', 'SECRET')],
    ),
    latin1('SECRET'),
  ]),
  stored: riff(
    ...[extended(orientation > 1 ? 0x2a : 0x22), ...riffShown, ...framesStored],
    ...(orientation > 1 ? [riffChunk('EXIF', orientationOnly(orientation))] : []),
  ),
})

export const examples = { jpeg, png, webp }
