import { createCipheriv } from 'node:crypto'
import sharp from 'sharp'

const [width, height] = [2048, 1536]
/** How far the photographs are apart in the scene that all of them show. */
const step = 8
/** The sizes of the grains. Colours change less than brightness, and over longer distances. */
const brightness = [512, 128, 32, 8, 2]
const colours = [512, 128]

/**
 * JPEGs of about 1.1 MB, the same in every run: parts of a sum of noises, with as much contrast at every scale, as
 * photographs have (their amplitudes fall as 1/f).
 */
export async function photographs(count: number): Promise<Buffer[]> {
  const scene = { width: width + count * step, height: height + count * step, channels: 3 } as const
  const grey = await sumOfNoises({ ...scene, channels: 1 }, brightness)
  const pixels = Buffer.from(
    Uint8ClampedArray.from(
      await sumOfNoises(scene, colours),
      (colour, at) => 128 + (grey[Math.floor(at / 3)] as number) * 0.15 + colour * 0.2,
    ).buffer,
  )
  const made: Buffer[] = []
  for (let index = 0; index < count; index += 1) {
    const part = { left: index * step, top: index * step, width, height }
    made.push(await sharp(pixels, { raw: scene }).extract(part).jpeg({ quality: 94 }).toBuffer())
  }
  return made
}

interface Field {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3
}

async function sumOfNoises({ width, height, channels }: Field, grains: readonly number[]): Promise<Float32Array> {
  const sum = new Float32Array(width * height * channels)
  for (const grain of grains) {
    const raw = { width: Math.ceil(width / grain), height: Math.ceil(height / grain), channels }
    const layer = await sharp(noise(raw.width * raw.height * channels, grain % 256), { raw })
      .resize({ width, height, fit: 'fill', kernel: 'cubic' })
      .toColourspace(channels === 1 ? 'b-w' : 'srgb')
      .raw()
      .toBuffer()
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + (layer[at] as number) - 128
  }
  return sum
}

/** Uniform bytes. */
function noise(length: number, seed: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16)).update(Buffer.alloc(length))
}
