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

/** How two pictures differ, in words and as a picture with what differs in red; null if they look the same. */
export async function differenceOf(stored: Buffer | string, taken: Buffer) {
  const [one, other] = await Promise.all([read(stored), read(taken)])
  const { width, height } = one
  if (width !== other.width || height !== other.height) {
    const text = `${other.width} × ${other.height} px instead of ${width} × ${height}`
    return { text, picture: async () => taken }
  }
  if (one.data.equals(other.data)) return null
  const [marked, box] = [Buffer.alloc(one.data.length), { left: width, top: height, right: 0, bottom: 0 }]
  let count = 0
  for (let at = 0; at < one.data.length; at += 3) {
    const farthest = Math.max(
      ...[0, 1, 2].map((channel) => Math.abs(byte(one, at + channel) - byte(other, at + channel))),
    )
    if (farthest <= maxChannelDifference) {
      marked.fill(128 + (byte(other, at + 1) >> 1), at, at + 3)
      continue
    }
    count++
    marked[at] = 255
    const [x, y] = [(at / 3) % width, Math.floor(at / 3 / width)]
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.top = Math.min(box.top, y)
    box.bottom = Math.max(box.bottom, y)
  }
  if (count <= maxPixels) return null
  return {
    text: `${count} pixels differ, from ${box.left}, ${box.top} to ${box.right}, ${box.bottom}`,
    picture: () =>
      sharp(marked, { raw: { width, height, channels: 3 } })
        .png()
        .toBuffer(),
  }
}

const byte = ({ data }: Pixels, at: number) => data[at] as number
