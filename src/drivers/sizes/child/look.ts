import type { Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import type { Look } from '../../../images/sizes/looks.ts'

/** More pixels change neither. */
const maxSide = 64
const minAlpha = 16

/** Of the first frame. Null if nothing of it can be seen. */
export async function lookOf(image: Sharp): Promise<Look | null> {
  const small = image.resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
  const { data, info } = await small.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const color = mainColor(data)
  if (color === null) return null
  return { color, thumbhash: Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64') }
}

/** The mean of the most frequent colours, of 4 bits for each of red, green and blue. Transparent pixels do not count. */
export function mainColor(rgba: Uint8Array): string | null {
  const binOf = (at: number) =>
    (((rgba[at] as number) >> 4) << 8) | (((rgba[at + 1] as number) >> 4) << 4) | ((rgba[at + 2] as number) >> 4)
  const counts = new Uint32Array(4_096)
  let fullest = -1
  for (let at = 0; at < rgba.length; at += 4) {
    if ((rgba[at + 3] as number) < minAlpha) continue
    const bin = binOf(at)
    counts[bin] = (counts[bin] as number) + 1
    if (fullest < 0 || (counts[bin] as number) > (counts[fullest] as number)) fullest = bin
  }
  if (fullest < 0) return null
  const sums = [0, 0, 0]
  for (let at = 0; at < rgba.length; at += 4) {
    if ((rgba[at + 3] as number) < minAlpha || binOf(at) !== fullest) continue
    for (const channel of [0, 1, 2]) sums[channel] = (sums[channel] as number) + (rgba[at + channel] as number)
  }
  const hex = sums.map((sum) =>
    Math.round(sum / (counts[fullest] as number))
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${hex.join('')}`
}
