import { commonNameOf } from '../../images/image-types.ts'

/** Leading bytes that determine the type. */
export const signatureBytes = 64

const starts = (bytes: Buffer, hex: string) => bytes.subarray(0, hex.length / 2).toString('hex') === hex
const says = (bytes: Buffer, at: number, text: string) => bytes.toString('latin1', at, at + text.length) === text

/** Text may start with BM, too: checks the size of the second header. */
const isBmp = (bytes: Buffer) =>
  says(bytes, 0, 'BM') && bytes.length >= 18 && [12, 40, 52, 56, 64, 108, 124].includes(bytes.readUInt32LE(14))
const isIcon = (bytes: Buffer) =>
  starts(bytes, '00000100') && bytes.length >= 22 && bytes.readUInt16LE(4) > 0 && bytes[9] === 0

/** The brands of an ISO media file: HEIF has a generic one first, followed by the specific one. */
function brandsOf(bytes: Buffer): string[] {
  if (bytes.length < 16 || !says(bytes, 4, 'ftyp')) return []
  const text = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), bytes.length))
  return text.match(/.{4}/gs) ?? []
}

const hasBrand = (bytes: Buffer, ...wanted: string[]) => brandsOf(bytes).some((brand) => wanted.includes(brand))

/** The first match wins. */
const signs: readonly (readonly [type: string, fits: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => starts(bytes, '89504e470d0a1a0a')],
  ['image/jpeg', (bytes) => starts(bytes, 'ffd8ff')],
  ['image/gif', (bytes) => says(bytes, 0, 'GIF87a') || says(bytes, 0, 'GIF89a')],
  ['image/webp', (bytes) => says(bytes, 0, 'RIFF') && says(bytes, 8, 'WEBP')],
  ['image/avif', (bytes) => hasBrand(bytes, 'avif', 'avis')],
  ['image/heic', (bytes) => hasBrand(bytes, 'heic', 'heix', 'hevc', 'hevx')],
  ['image/heif', (bytes) => hasBrand(bytes, 'mif1', 'msf1')],
  ['image/bmp', isBmp],
  ['image/tiff', (bytes) => starts(bytes, '49492a00') || starts(bytes, '4d4d002a')],
  ['image/jxl', (bytes) => starts(bytes, 'ff0a') || starts(bytes, '0000000c4a584c200d0a870a')],
  ['image/jp2', (bytes) => starts(bytes, '0000000c6a5020200d0a870a')],
  ['image/vnd.microsoft.icon', isIcon],
  ['image/qoi', (bytes) => says(bytes, 0, 'qoif')],
]

/** The type by the leading bytes; null if they are not of a known raster image. */
export const typeOfBytes = (bytes: Buffer): string | null => signs.find(([, fits]) => fits(bytes))?.[0] ?? null

/** HEIF has a generic type and a specific one. */
const oneName = (type: string) => (commonNameOf(type) === 'image/heif' ? 'image/heic' : commonNameOf(type))

export const isSameType = (one: string, other: string) => oneName(one) === oneName(other)

/** Whether `typeOfBytes` can detect this type. */
export const isKnownType = (type: string) => signs.some(([known]) => isSameType(known, type))
