import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { windowBytes } from '../../../src/images/shapes/header-file.ts'
import { readHeader } from '../../../src/images/shapes/read-header.ts'
import * as of from '../../support/pictures.ts'
import { assertProperty } from '../../support/seed.ts'

/** The header of this file, which may be longer than the given bytes, and the sizes of its reads. */
async function look(bytes: Buffer, size = bytes.length) {
  const reads: number[] = []
  const header = await readHeader({
    size,
    read: async ({ at, length }) => {
      assert.ok(at >= 0 && length > 0 && at + length <= size)
      reads.push(length)
      const found = Buffer.alloc(length)
      if (at < bytes.length) bytes.copy(found, 0, at)
      return found
    },
  })
  return { header, reads }
}

const headerOf = async (bytes: Buffer) => (await look(bytes)).header

const still = (width: number, height: number, type: string) => ({
  width,
  height,
  animated: false,
  mime: `image/${type}`,
})
const moving = (width: number, height: number, type: string) => ({ ...still(width, height, type), animated: true })

const pictures: readonly (readonly [title: string, bytes: Buffer, header: object])[] = [
  ['a PNG', of.png(640, 480), still(640, 480, 'png')],
  ['a PNG of several frames', of.png(9, 8, of.pngChunk('tEXt', 'x'), of.frames(2)), moving(9, 8, 'png')],
  ['a PNG that announces one frame', of.png(9, 8, of.frames(1)), still(9, 8, 'png')],
  ['a PNG that is turned', of.png(9, 8, of.pngChunk('eXIf', of.exif(8, false))), still(8, 9, 'png')],
  ['a PNG behind a large profile', of.png(9, 8, of.pngChunk('iCCP', Buffer.alloc(999_999))), still(9, 8, 'png')],
  ['a JPEG', of.jpeg(640, 480), still(640, 480, 'jpeg')],
  ...[1, 2, 3, 4].map(
    (turn) => [`a JPEG of orientation ${turn}`, of.jpeg(3, 2, of.exifSegment(turn)), still(3, 2, 'jpeg')] as const,
  ),
  ...[5, 6, 7, 8].map(
    (turn) => [`a JPEG of orientation ${turn}`, of.jpeg(3, 2, of.exifSegment(turn)), still(2, 3, 'jpeg')] as const,
  ),
  ['a JPEG of no such orientation', of.jpeg(3, 2, of.exifSegment(9)), still(3, 2, 'jpeg')],
  [
    'a JPEG with large segments and fill bytes',
    of.jpeg(3, 2, of.segment(0xe1, Buffer.alloc(65_533)), Buffer.from([0xff, 0xff, 0x01]), of.exifSegment(6)),
    still(2, 3, 'jpeg'),
  ],
  ['a GIF', of.gif(5, 4, of.gifFrame(100)), still(5, 4, 'gif')],
  ['a GIF that loops over one frame', of.gif(5, 4, of.loop, of.gifFrame()), still(5, 4, 'gif')],
  ['a GIF of two frames', of.gif(5, 4, of.gifFrame(500), of.gifFrame()), moving(5, 4, 'gif')],
  [
    'a GIF of a frame too long to look behind, with a loop',
    of.gif(5, 4, of.loop, of.gifFrame(9_000)),
    moving(5, 4, 'gif'),
  ],
  ['a lossy WebP', of.lossyWebp(640, 480), still(640, 480, 'webp')],
  ['a lossless WebP', of.losslessWebp(16_384, 1), still(16_384, 1, 'webp')],
  ['an extended WebP', of.extendedWebp(640, 480, false), still(640, 480, 'webp')],
  ['an animated WebP', of.extendedWebp(640, 480, true), moving(640, 480, 'webp')],
  ['an AVIF', of.avif(640, 480), still(640, 480, 'avif')],
  ['an AVIF that is turned', of.avif(640, 480, { turns: 3 }), still(480, 640, 'avif')],
  ['an AVIF turned upside down', of.avif(640, 480, { turns: 2 }), still(640, 480, 'avif')],
  ['an AVIF sequence', of.avif(640, 480, { brand: 'avis' }), moving(640, 480, 'avif')],
  [
    'an AVIF behind its pixels',
    of.avif(6, 4, { before: of.box('mdat', Buffer.alloc(2_000_000)) }),
    still(6, 4, 'avif'),
  ],
  ['the largest image', of.png(65_535, 65_535), still(65_535, 65_535, 'png')],
]

/** Bytes and reads that no file may exceed. */
const maxBytes = windowBytes.reduce((sum, length) => sum + length, 0)

describe('The header', () => {
  for (const [title, bytes, header] of pictures)
    it(`of ${title} says its shape`, async () => assert.deepEqual(await headerOf(bytes), header))

  it('is null for an image that says nothing, or nothing credible', async () => {
    const cases: Record<string, Buffer> = {
      'a PNG of 2^31 pixels': of.png(2 ** 31, 1),
      'a side of 65,536': of.png(1, 65_536),
      'no pixels': of.png(0, 5),
      'an AVIF of 2^32 - 1': of.avif(2 ** 32 - 1, 2 ** 32 - 1),
      'a WebP of 2^24': of.extendedWebp(2 ** 24, 1, false),
      'a JPEG of 10,000 segments': of.jpeg(3, 2, ...Array.from({ length: 10_000 }, () => of.segment(0xe0, 'x'))),
      'a JPEG whose frame is 100 segments of 64 kB away': of.jpeg(
        ...([3, 2, ...Array.from({ length: 100 }, () => of.segment(0xe2, Buffer.alloc(65_533)))] as const),
      ),
      'a JPEG without a frame': Buffer.from('ffd8ffda0002', 'hex'),
      'a GIF without end': of.gif(5, 4, of.gifFrame(9_000)).subarray(0, 2_000_000),
      'a GIF of endless comments': Buffer.concat([
        of.gif(5, 4).subarray(0, -1),
        ...Array(20_000).fill(Buffer.from('!\xfe\x01x\0', 'latin1')),
      ]),
      'a GIF that was cut off': of.gif(5, 4, of.gifFrame()).subarray(0, -1),
      'a WebP of an unknown kind': Buffer.from('RIFF\x10\0\0\0WEBPVP9 \x04\0\0\0aaaaaaaaaaaaaa', 'latin1'),
      'an AVIF without an end to its boxes': Buffer.concat([
        of.box('ftyp', 'avif'),
        Buffer.from('\0\0\0\x08free'.repeat(20_000), 'latin1'),
      ]),
      'an AVIF with a box of no length in its first': Buffer.from(
        '\0\0\0\x10ftypavif\0\0\0\0\0\0\0\x01meta\0\0\0\0\0\0\0\0',
        'latin1',
      ),
      'a BMP': Buffer.from('BM and anything'),
      'an SVG': Buffer.from('<?xml version="1.0"?>\n<!-- drawn --><svg width="5" height="5"/>'),
    }
    const depth = 10_000
    const nested = Array.from({ length: depth }, (_, level) => of.boxHead('meta', (depth - level) * 12))
    cases['AVIF boxes in boxes'] = Buffer.concat([of.box('ftyp', 'avif'), ...nested])
    for (const [title, bytes] of Object.entries(cases)) {
      const { header, reads } = await look(bytes)
      assert.equal(header, null, title)
      assert.ok(reads.reduce((sum, length) => sum + length, 0) <= maxBytes, title)
    }
  })

  it('is that of no image for anything without a signature of one', async () => {
    const page = [
      '<!doctype html><svg>',
      '<html>',
      '<p>An image',
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    ]
    for (const text of [
      'a',
      'this is not an image',
      '{"message":"Not Found"}',
      '%PDF-1.7',
      'GIF88a',
      ...page,
      '\0'.repeat(99),
    ])
      assert.equal(await headerOf(Buffer.from(text)), 'no image', text)
  })

  it('is read from few bytes, however long the file', async () => {
    for (const [, bytes] of pictures.filter(([, each]) => each.length < windowBytes[0]))
      assert.deepEqual((await look(bytes, 2 ** 40)).reads.slice(0, 1), [windowBytes[0]])
    assert.deepEqual((await look(of.jpeg(3, 2), 2 ** 40)).reads, [windowBytes[0]])
  })

  it('of a damaged file is read within the same limits, and never throws', () =>
    assertProperty(
      fc.asyncProperty(
        fc.constantFrom(...pictures.map(([, bytes]) => bytes.subarray(0, 20_000))),
        fc.array(fc.tuple(fc.nat(400), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
        fc.option(fc.nat(400)),
        async (bytes, changes, end) => {
          const damaged = Buffer.from(end === null ? bytes : bytes.subarray(0, Math.max(end, 1)))
          for (const [at, byte] of changes) if (at < damaged.length) damaged[at] = byte
          const { header, reads } = await look(damaged, damaged.length)
          assert.ok(reads.length <= windowBytes.length)
          if (header === null || header === 'no image') return
          assert.ok(Math.min(header.width, header.height) >= 1 && Math.max(header.width, header.height) <= 65_535)
        },
      ),
    ))

  it('rejects if the file cannot be read', () =>
    assert.rejects(readHeader({ size: 5, read: () => Promise.reject(new Error('no such disk')) }), /no such disk/))
})
