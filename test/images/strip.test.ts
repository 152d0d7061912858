import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isStrippable, strip } from '../../src/images/strip/strip.ts'
import { assertProperty } from '../support/seed.ts'
import {
  chunk,
  examples,
  exif,
  exifSegment,
  jpeg,
  orientationOnly,
  png,
  pngSignature,
  riff,
  riffChunk,
  segment,
  webp,
} from './metadata-files.ts'

/** Null if it is refused. */
async function stripped(bytes: Buffer): Promise<{ bytes: Buffer; isChanged: boolean; reads: number } | null> {
  let reads = 0
  const read = async (from: number, length: number) => {
    reads++
    return Buffer.from(bytes.subarray(from, from + length))
  }
  const found = await strip({ size: bytes.length, read })
  if (found === null) return null
  const whole = Buffer.concat(await Array.fromAsync(found.chunks()))
  assert.equal(whole.length, found.size)
  return { bytes: whole, isChanged: found.isChanged, reads }
}

const bytesOf = async (bytes: Buffer) => (await stripped(bytes))?.bytes ?? null

for (const [type, example] of Object.entries(examples))
  describe(`A ${type} file without its metadata`, () => {
    it('has its pixels, profile and every orientation but the default, in either byte order', async () => {
      for (const order of ['II', 'MM'] as const)
        for (let orientation = 1; orientation <= 8; orientation++) {
          const { sent, stored } = example(orientation, order)
          assert.deepEqual(await bytesOf(sent), stored, `${orientation} ${order}`)
        }
      assert.deepEqual(await bytesOf(example(9).sent), example(type === 'jpeg' ? 2 : 1).stored)
    })

    it('is left alone when it is stripped again, and is then known to be unchanged', async () => {
      for (const orientation of [1, 6]) {
        const { sent, stored } = example(orientation)
        assert.equal((await stripped(sent))?.isChanged, true)
        const { bytes, isChanged } = (await stripped(stored)) ?? assert.fail()
        assert.deepEqual([bytes, isChanged], [stored, false])
      }
    })

    it('is refused or without secrets, and never larger, wherever it is cut off or damaged', async () => {
      const { sent } = example(6)
      for (let length = 12; length < sent.length; length++) {
        const cut = await bytesOf(sent.subarray(0, length))
        assert.ok(cut === null || !cut.includes('SECRET'), `cut at ${length}`)
      }
      const damage = fc.array(fc.tuple(fc.nat(sent.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
      await assertProperty(
        fc.asyncProperty(damage, async (places) => {
          const damaged = Buffer.from(sent)
          for (const [at, byte] of places) damaged[at] = byte
          if (!isStrippable(damaged)) return
          const once = await bytesOf(damaged)
          assert.ok(once === null || once.length <= sent.length)
          if (once !== null) assert.deepEqual(await bytesOf(once), once)
        }),
        { numRuns: 2_000 },
      )
    })
  })

describe('A damaged file', () => {
  it('is kept as far as it goes once its pixels have begun, without anything that follows them', async () => {
    const whole = jpeg(1).stored
    assert.deepEqual(await bytesOf(whole.subarray(0, -2)), whole.subarray(0, -2))
    const cutComment = Buffer.concat([whole.subarray(0, -2), segment(0xfe, 'SECRET', 500)])
    assert.deepEqual(await bytesOf(cutComment), whole.subarray(0, -2))
    const header = Buffer.concat([pngSignature, chunk('IHDR', 'header')])
    const cutPixels = chunk('IDAT', 'pixels', 500).subarray(0, -4)
    assert.deepEqual(await bytesOf(Buffer.concat([header, cutPixels])), Buffer.concat([header, cutPixels]))
    const cutFrame = riff(riffChunk('VP8 ', 'pixels', 500))
    assert.deepEqual(
      (await bytesOf(cutFrame))?.subarray(12).toString('latin1'),
      cutFrame.subarray(12).toString('latin1'),
    )
  })

  it('is refused if its structure ends, or its lengths lead nowhere, before the first pixels', async () => {
    const scan = segment(0xda, 'pixels')
    for (const parts of [
      ['\xff\xd8\xff'],
      ['\xff\xd8', segment(0xe1, 'Exif\0\0', 1), scan],
      ['\xff\xd8', segment(0xe1, 'Exif\0\0', 60_000), segment(0xc0, 'frame'), scan],
      ['\xff\xd8', scan, '\xff\xd9'],
      ['\xff\xd8', segment(0xf7, 'JPEG-LS'), scan, '\xff\xd9'],
      [pngSignature, 'no chunk at all'],
      [pngSignature, chunk('IHDR'), chunk('tEXt', 'x', 0xffffffff), chunk('IDAT')],
      [pngSignature, chunk('IHDR'), chunk('IEND'), chunk('IDAT')],
      ['RIFF\0\0\0\0WEBP', riffChunk('VP8 ', 'pixels')],
      [riff(riffChunk('EXIF', exif(6)))],
      [riff(riffChunk('VP8X', 'short'), riffChunk('VP8 ', 'pixels'))],
      [riff(riffChunk('VP8 ', 'pixels', 0xffffffff))],
    ]) {
      const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
      assert.equal(await stripped(bytes), null, bytes.toString('latin1'))
    }
  })

  it('takes as many reads as it has windows, whatever it is made of', async () => {
    const many = (part: Buffer) => Buffer.alloc(part.length * 9_900, part)
    const { stored } = jpeg(1)
    for (const [sent, expected] of [
      [Buffer.concat([stored.subarray(0, 2), many(segment(0xe1, 'XMP')), stored.subarray(2)]), stored],
      [Buffer.concat([stored.subarray(0, 2), many(exifSegment(exif(6))), stored.subarray(2)]), null],
      [Buffer.concat([png(1).stored.subarray(0, 26), many(chunk('tEXt')), png(1).stored.subarray(26)]), png(1).stored],
      [riff(...webpWith(many(riffChunk('NONE', '')))), webp(1).stored],
    ] as const) {
      const found = (await stripped(sent)) ?? assert.fail()
      if (expected) assert.deepEqual(found.bytes, expected)
      assert.ok(found.reads < 10 + (3 * sent.length) / 60_000 + found.bytes.length / 60_000, `${found.reads}`)
    }
  })

  it('is refused if it has more than 10,000 segments, before the rest of it is read', async () => {
    const filler = Buffer.alloc(5_000_000)
    const many = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part)
    const { stored } = jpeg(1)
    const frame = riffChunk('ANMF', Buffer.concat([Buffer.alloc(16), many(riffChunk('EXIF', ''), 10_000), filler]))
    for (const [name, make] of [
      ['jpeg', (count: number) => [stored.subarray(0, 2), many(segment(0xdb, ''), count), stored.subarray(2)]],
      ['png', (count: number) => [pngSignature, many(chunk('IDAT'), count), png(1).stored.subarray(8)]],
      ['webp', (count: number) => [riff(...webpWith(many(riffChunk('NONE', ''), count)))]],
      ['frame', (count: number) => [count > 10_000 ? riff(frame, riffChunk('VP8L', '')) : webp(1).stored]],
    ] as const) {
      const file = (count: number) =>
        Buffer.concat(make(count).map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
      assert.notEqual(await stripped(file(9_900)), null, name)
      const bytes = Buffer.concat([file(10_001), filler])
      let read = 0
      const counting = async (from: number, length: number) => {
        read += length
        return Buffer.from(bytes.subarray(from, from + length))
      }
      assert.equal(await strip({ size: bytes.length, read: counting }), null, name)
      assert.ok(read < 400_000, `${name}: ${read}`)
    }
  })
})

function webpWith(more: Buffer): Buffer[] {
  const bytes = webp(1).stored.subarray(12)
  return [bytes, more]
}

describe('A WebP file', () => {
  it('gets the last padding that some programs leave out, and no EXIF where no header announces any', async () => {
    const pixels = riffChunk('VP8 ', 'odd')
    const whole = riff(pixels)
    const unpadded = riff(pixels.subarray(0, -1))
    assert.deepEqual(await bytesOf(unpadded), whole)
    assert.deepEqual(await bytesOf(riff(pixels, riffChunk('EXIF', orientationOnly(6)))), whole)
  })
})
