import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkingEnd, EndCheck, endsEarly } from '../../src/images/end-check.ts'
import { animation, painted, picture } from '../support/real-images.ts'
import { assertProperty } from '../support/seed.ts'

const timeout = 60_000

const box = (name: string, bytes: string | Buffer, length = 8 + bytes.length) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(length)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, Buffer.from(bytes)])
}
const long = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 16 + text.length]), Buffer.from(text)])
const heic = [box('ftyp', 'heic\0\0\0\0heicmiaf'), box('meta', 'what is in it'), box('free', 'x'.repeat(40))]
const [soi, rst, fill, eoi] = ['ffd8', 'ffd3', 'ffffff', 'ffd9'].map((hex) => Buffer.from(hex, 'hex'))
const segment = (marker: number, bytes: Buffer) =>
  Buffer.concat([Buffer.from([0xff, marker, 0, 2 + bytes.length]), bytes])
const jpegs = [soi, segment(0xe1, Buffer.from('a picture \xff\xd8 \xff\xd9 in a picture', 'latin1')), fill]
const scan = [segment(0xda, Buffer.from('how')), Buffer.from('pixels \xff\0 and', 'latin1'), rst, Buffer.from('more')]

const files: Readonly<Record<string, () => Promise<Buffer>>> = {
  PNG: () => picture('png', 120, 80),
  JPEG: () => picture('jpeg', 120, 80),
  'progressive JPEG': () => painted(120, 80).jpeg({ progressive: true }).toBuffer(),
  'JPEG with metadata': () =>
    painted(120, 80)
      .keepMetadata()
      .withExif({ IFD0: { Artist: 'a fox' } })
      .jpeg()
      .toBuffer(),
  WebP: () => picture('webp', 120, 80),
  'animated WebP': () => animation('webp', 40, 30),
  AVIF: () => picture('avif', 120, 80),
  'JPEG with a small JPEG in it, fill bytes and restart markers': async () =>
    Buffer.concat([...jpegs, ...scan, fill, eoi].map((each) => each as Buffer)),
  'HEIC with boxes of 32 bits': async () => Buffer.concat([...heic, box('mdat', 'pixels'.repeat(20))]),
  'HEIC with a box of 64 bits': async () => Buffer.concat([...heic, box('mdat', long('pixels'.repeat(20)), 1)]),
}

function checkOf(...pieces: readonly Uint8Array[]): boolean {
  const check = new EndCheck()
  for (const piece of pieces) check.take(piece)
  return check.isCutOff
}

describe('The check of the end of an image', () => {
  for (const [name, make] of Object.entries(files)) {
    it(`finds a whole ${name} whole, and cut off wherever it ends early`, { timeout }, async () => {
      const bytes = await make()
      assert.equal(checkOf(bytes), false)
      const ends = fc.integer({ min: 64, max: bytes.length - 1 })
      assertProperty(
        fc.property(ends, (end) => {
          // After a box nothing says that there must be another, until it begins.
          const headBytes = name.includes('64') ? 16 : 8
          const isUnknown = /AVIF|HEIC/.test(name) && boxEndsOf(bytes).some((at) => at <= end && end < at + headBytes)
          assert.equal(checkOf(bytes.subarray(0, end)), !isUnknown, `at ${end}`)
        }),
      )
    })

    it(`takes what follows a whole ${name} for no part of it`, { timeout }, async () => {
      const whole = await make()
      for (const more of [Buffer.alloc(8), Buffer.from('12345678 or any other text'), jpegs[1] as Buffer])
        for (const length of [1, 7, 64, Infinity])
          assert.equal(checkOf(...inPieces(Buffer.concat([whole, more]), [length])), false, `${more}, ${length}`)
    })

    it(`says the same of a ${name} in pieces of any length, which may be freed after it has seen them`, {
      timeout,
    }, async () => {
      const bytes = await make()
      const lengths = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 60 })
      assertProperty(
        fc.property(lengths, fc.integer({ min: 0, max: 2 * bytes.length }), (lengths, end) => {
          const file = bytes.subarray(0, end)
          const check = new EndCheck()
          for (const piece of inPieces(file, lengths)) {
            check.take(piece)
            piece.fill(0)
          }
          assert.equal(check.isCutOff, checkOf(file))
        }),
      )
    })
  }

  it('takes a box without a length to reach to the end of the file, in however many pieces', () => {
    const file = Buffer.concat([...heic, box('mdat', 'pixels'.repeat(200), 0)])
    for (const length of [1, 7, 64, 1_000, Infinity]) assert.equal(checkOf(...inPieces(file, [length])), false)
  })

  it('knows nothing of another type, and never throws', () => {
    assert.equal(checkOf(Buffer.from('GIF89a and no more of it than these few words')), false)
    assert.equal(checkOf(), false)
    assertProperty(
      fc.property(
        fc.constantFrom('89504e470d0a1a0a', 'ffd8ff', '52494646', '0000001c66747970617669660000000061766966'),
        fc.uint8Array({ maxLength: 2_000 }),
        (begin, bytes) => void checkOf(Buffer.from(begin, 'hex'), bytes),
      ),
    )
  })

  it('lets the pieces pass as they are', async () => {
    const whole = await picture('png', 20, 20)
    const pieces = [whole.subarray(0, 50), whole.subarray(50)]
    const check = new EndCheck()
    assert.deepEqual(await Array.fromAsync(checkingEnd(check, streamOf(pieces))), pieces)
    assert.equal(check.isCutOff, false)
    assert.equal(await endsEarly(streamOf(pieces.slice(0, 1))), true)
  })
})

/** Copies. */
function inPieces(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const piece = Buffer.from(bytes.subarray(at, at + Math.max(lengths[index % lengths.length] ?? 0, 1)))
    pieces.push(piece)
    at += piece.length
  }
  return pieces
}

async function* streamOf(pieces: readonly Uint8Array[]) {
  yield* pieces
}

function boxEndsOf(bytes: Buffer): number[] {
  const ends: number[] = []
  const lengthAt = (at: number) => (bytes.readUInt32BE(at) === 1 ? bytes.readUInt32BE(at + 12) : bytes.readUInt32BE(at))
  for (let at = 0; at < bytes.length; at = ends.at(-1) as number) ends.push(at + lengthAt(at))
  return ends
}
