const orientationTag = 0x0112
const shortType = 3
const entryBytes = 12
/** The directory with the orientation is at the beginning, before any thumbnail. */
export const maxExifBytes = 8_192

/** The orientation in EXIF data, from 1 to 8; 1 (upright) if there is none. `tiff` begins with the byte order. */
export function orientationOf(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 4)
  if (order !== 'II*\0' && order !== 'MM\0*') return 1
  const u16 = (at: number) => (order === 'II*\0' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const u32 = (at: number) => (order === 'II*\0' ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const has = (at: number, bytes: number) => at + bytes <= tiff.length
  const directory = has(4, 4) ? u32(4) : tiff.length
  const count = has(directory, 2) ? u16(directory) : 0
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * entryBytes
    if (!has(entry, entryBytes)) return 1
    if (u16(entry) !== orientationTag || u16(entry + 2) !== shortType) continue
    const value = u16(entry + 8)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** Whether width and height change places when the image is shown. */
export const isTurned = (orientation: number) => orientation >= 5
