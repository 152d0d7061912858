import sharp from 'sharp'

/** Of red, green or blue. Less is not seen, and rounding may differ. */
const maxChannelDifference = 6
/** An edge of one letter. */
const maxPixels = 3

interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

async function read(picture: Buffer | string): Promise<Pixels> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** The pixels that are seen to differ, in order. */
function differing(one: Buffer, other: Buffer): readonly number[] {
  const pixels: number[] = []
  for (let at = 0; at < one.length; at++) {
    if (Math.abs((one[at] as number) - (other[at] as number)) <= maxChannelDifference) continue
    const pixel = Math.floor(at / 3)
    if (pixels.at(-1) !== pixel) pixels.push(pixel)
  }
  return pixels
}

/** How two pictures differ, in words and as a picture with what differs in red; null if they look the same. */
export async function differenceOf(stored: Buffer | string, taken: Buffer) {
  const [one, other] = await Promise.all([read(stored), read(taken)])
  const { width, height } = one
  if (width !== other.width || height !== other.height) {
    const text = `${other.width} × ${other.height} px instead of ${width} × ${height}`
    return { text, picture: async () => taken }
  }
  const pixels = differing(one.data, other.data)
  if (pixels.length <= maxPixels) return null
  const columns = pixels.map((pixel) => pixel % width).sort((one, other) => one - other)
  const rows = pixels.map((pixel) => Math.floor(pixel / width))
  const picture = () => {
    const marked = other.data.map((value) => 128 + (value >> 1))
    for (const pixel of pixels) marked.set([255, 0, 0], 3 * pixel)
    const raw = { width, height, channels: 3 } as const
    return sharp(marked, { raw }).png().toBuffer()
  }
  return {
    text: `${pixels.length} pixels differ, from ${columns[0]}, ${rows[0]} to ${columns.at(-1)}, ${rows.at(-1)}`,
    picture,
  }
}
