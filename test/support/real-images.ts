import { readFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import type { ImageFormat } from '../../src/images/sizes/size.ts'

/* Images with pixels, made and read by sharp itself. */

sharp.concurrency(1)

export const allFormats: readonly ImageFormat[] = ['avif', 'gif', 'jpeg', 'png', 'webp']

/** Colours that differ from pixel to pixel, so that nothing compresses to almost nothing. */
export function painted(width: number, height: number, seed = 1): Sharp {
  const pixels = Buffer.alloc(width * height * 3)
  const waves = Float64Array.from({ length: width * 3 }, (_, at) =>
    Math.sin((Math.floor(at / 3) * (1 + (at % 3)) + seed * 7) / 17),
  )
  for (let y = 0, at = 0; y < height; y++) {
    const strength = 90 * Math.cos(y / (9 + seed))
    for (const [place, wave] of waves.entries())
      pixels[at++] = 128 + strength * wave + ((Math.floor(place / 3) * y) % 23)
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

export const picture = (format: ImageFormat, width: number, height: number, seed = 1): Promise<Buffer> =>
  painted(width, height, seed)
    .toFormat(format, format === 'avif' ? { effort: 0 } : {})
    .toBuffer()

/** An animation of frames in different colours. */
export async function animation(format: 'gif' | 'webp', width: number, height: number, frames = 3): Promise<Buffer> {
  const images = Array.from({ length: frames }, (_, index) => ({
    input: {
      create: { width, height, channels: 3, background: { r: index * 60, g: 90, b: 200 - index * 40 } },
    } as const,
  }))
  const pages = await Promise.all(images.map(({ input }) => sharp(input).png().toBuffer()))
  return sharp(pages, { join: { animated: true } })
    .toFormat(format)
    .toBuffer()
}

export const described = (bytes: Buffer) => sharp(bytes, { animated: true, limitInputPixels: false }).metadata()

/** The colour at this place of the first frame, rounded to 25. */
export async function colourAt(bytes: Buffer, left: number, top: number): Promise<readonly number[]> {
  const pixel = await sharp(bytes).removeAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer()
  return [...pixel].map((value) => Math.round(value / 25) * 25)
}

const u32 = (value: number) => Buffer.from([value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff])
function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  return Buffer.concat([u32(content.length), body, u32(crc32(body))])
}

/** A PNG of one colour with these dimensions; `rows` of its pixels are there. */
export function plainPng(width: number, height: number, rows = height): Buffer {
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 0, 0, 0, 0])])
  const pixels = deflateSync(Buffer.alloc(rows * (width + 1)))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

/** A GIF whose first frame is repeated this often. */
export async function longGif(width: number, height: number, frames: number): Promise<Buffer> {
  const one = await sharp({ create: { width, height, channels: 3, background: 'red' } })
    .gif()
    .toBuffer()
  const colours = 13 + 3 * 2 ** ((one.readUInt8(10) & 7) + 1)
  const frame = one.subarray(one.indexOf(0x2c, colours), -1)
  const control = Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0])
  const repeated = Array.from({ length: frames }, () => [control, frame]).flat()
  return Buffer.concat([one.subarray(0, colours), ...repeated, Buffer.from(';')])
}

export const entitySvg = Buffer.from(
  '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>' +
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&b;&f;</text></svg>',
)

/** The processes that resize images for this one. */
export function resizeProcesses(parent = process.pid): number[] {
  const listed = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim()
  const children = listed === '' ? [] : listed.split(' ').map(Number)
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sizes/child/main'))
}
