/** Limit for EXIF data that nothing else bounds: the first directory is near the beginning. */
export const maxExifBytes = 65_536

const orientationTag = 0x0112
const [short, long] = [3, 4]
const entryBytes = 12

/** The orientation, 1 to 8, in the first directory of EXIF data, with or without `Exif` in front; null if none. */
export function orientationIn(exif: Buffer): number | null {
  const tiff = exif.toString('latin1', 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif
  const order = tiff.toString('latin1', 0, 4)
  if (order !== 'II*\0' && order !== 'MM\0*') return null
  const [read16, read32] =
    order === 'II*\0'
      ? ([(at: number) => tiff.readUInt16LE(at), (at: number) => tiff.readUInt32LE(at)] as const)
      : ([(at: number) => tiff.readUInt16BE(at), (at: number) => tiff.readUInt32BE(at)] as const)
  if (tiff.length < 8 || read32(4) + 2 > tiff.length) return null
  const first = read32(4) + 2
  for (let left = read16(first - 2), at = first; left > 0 && at + entryBytes <= tiff.length; left--, at += entryBytes) {
    if (read16(at) !== orientationTag) continue
    const type = read16(at + 2)
    const value = type === short ? read16(at + 8) : type === long ? read32(at + 8) : 0
    return value >= 1 && value <= 8 ? value : null
  }
  return null
}

/** EXIF data with nothing but an orientation. */
export function exifWith(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008 0001 0112000300000001 00000000 00000000'.replaceAll(' ', ''), 'hex')
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}
