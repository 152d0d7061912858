import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkingEnd, EndCheck, isCutOff } from '../../src/images/end-check.ts'
import { animation, painted, picture } from '../support/real-images.ts'
import { assertProperty } from '../support/seed.ts'

const timeout = 60_000

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
          // After a box of an AVIF nothing says that there must be another.
          const isUnknown = name === 'AVIF' && boxEndsOf(bytes).some((at) => at <= end && end < at + 8)
          assert.equal(checkOf(bytes.subarray(0, end)), !isUnknown, `at ${end}`)
        }),
      )
    })

    it(`takes what follows a whole ${name} for no part of it`, { timeout }, async () => {
      assert.equal(checkOf(Buffer.concat([await make(), Buffer.alloc(8)])), false)
    })

    it(`says the same of a ${name} in pieces of any length, which may be freed after it has seen them`, {
      timeout,
    }, async () => {
      const bytes = await make()
      const lengths = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 60 })
      assertProperty(
        fc.property(lengths, fc.integer({ min: 0, max: bytes.length }), (lengths, end) => {
          const file = bytes.subarray(0, end)
          const check = new EndCheck()
          for (let at = 0, index = 0; at < end; index++) {
            const piece = Buffer.from(file.subarray(at, at + (lengths[index % lengths.length] ?? 0) + 1))
            check.take(piece)
            at += piece.length
            piece.fill(0)
          }
          assert.equal(check.isCutOff, checkOf(file))
        }),
      )
    })
  }

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
    assert.equal(await isCutOff(streamOf(pieces.slice(0, 1))), true)
  })
})

async function* streamOf(pieces: readonly Uint8Array[]) {
  yield* pieces
}

function boxEndsOf(bytes: Buffer): number[] {
  const ends: number[] = []
  for (let at = 0; at < bytes.length; at = ends.at(-1) as number) ends.push(at + bytes.readUInt32BE(at))
  return ends
}
