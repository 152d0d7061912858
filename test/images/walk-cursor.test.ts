import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CatalogueEntry } from '../../src/images/catalogue.ts'
import type { Position } from '../../src/images/positions.ts'
import { beginning, type HashedImages, isAhead, type Stretch, WalkCursor, walkerOf } from '../../src/images/walk.ts'
import { hashOf, highOf, lowOf } from '../../src/lib/hash.ts'

const who = walkerOf('fox')
const imagesOf = (count: number, more: Partial<HashedImages> = {}): HashedImages => {
  const hashes = Array.from({ length: count }, (_, index) => hashOf(`${index}.png`))
  const [high, low] = [Uint32Array.from(hashes, highOf), Uint32Array.from(hashes, lowOf)]
  return { size: count, version: 1, ordinals: null, high, low, ...more }
}
const entry = (name: number): CatalogueEntry => ({ filename: String(name), etag: 'e', size: 1, modified: 0 })

/** Notes how many images each query reads. */
function stage(images: HashedImages, position: Position = beginning, known?: Stretch, isGone = false, walker = who) {
  const reads: number[] = []
  const hashed = (_: string, ordinals: Uint32Array) => {
    reads.push(ordinals.length)
    return isGone ? null : Array.from(ordinals, entry)
  }
  return { reads, cursor: new WalkCursor({ hashed }, { kind: 'fox', images }, walker, position, known) }
}

describe('A walk that continues', () => {
  it('reads one image at first, then twice as many with each query, 16 at most', () => {
    const { reads, cursor } = stage(imagesOf(100))
    const seen = new Set(Array.from({ length: 48 }, () => cursor.step()?.filename))
    assert.deepEqual([reads, seen.size, cursor.left, cursor.kind], [[1, 2, 4, 8, 16, 16, 16], 48, 52, 'fox'])
  })

  it('uses the stretch that it knows only where it is, and until the next change', () => {
    const images = imagesOf(2_000)
    const { stretch } = stage(images).cursor
    assert.ok(stretch.places.length < 2_000)
    const uses = (position: Position, its = images) => stage(its, position, stretch).cursor.stretch === stretch
    const [first = 0] = stretch.places
    for (const place of [-1, first, stretch.to - 1]) assert.equal(uses({ round: 0, place }), true, String(place))
    assert.equal(uses({ round: 0, place: stretch.to }), false)
    assert.equal(uses({ round: 1, place: first }), false)
    assert.equal(uses(beginning, { ...images, version: 2 }), false)
    const later = stage(images, { round: 0, place: first }).cursor.stretch
    assert.equal(stage(images, beginning, later).cursor.stretch === later, false)
    for (const [place, left] of [
      [-1, 2_000],
      [first, 1_999],
    ] as const)
      assert.equal(stage(images, { round: 0, place }, stretch).cursor.left, left)
  })

  it('finds the last image of a round, however far it is from all others', () => {
    const hashes = Array.from({ length: 1_000 }, (_, index) => (index === 0 ? 2 ** 52 : index))
    const [high, low] = [Uint32Array.from(hashes, highOf), Uint32Array.from(hashes, lowOf)]
    for (let walker = 0; walker < 10; walker++) {
      const { cursor } = stage(imagesOf(1_000, { high, low }), beginning, undefined, false, walkerOf(`fox ${walker}`))
      assert.equal(new Set(hashes.map(() => cursor.step()?.filename)).size, 1_000)
      assert.equal(cursor.left, 0)
    }
  })

  it('ends without an image, where it was, if another process has changed the kind', () => {
    const { cursor } = stage(imagesOf(3), beginning, undefined, true)
    assert.deepEqual([cursor.step(), cursor.position], [null, beginning])
  })

  it('turns to the beginning of a later round, even before its end', () => {
    const { cursor } = stage(imagesOf(5))
    cursor.step()
    cursor.turn()
    assert.ok(cursor.position.round > 0)
    assert.deepEqual([cursor.position.place, cursor.left, cursor.stretch.round], [-1, 5, cursor.position.round])
  })

  it('skips the same rounds in every release, since saved positions name them', () => {
    const roundsOf = (count: number, isWhole: boolean) => {
      const { cursor } = stage(imagesOf(count))
      return Array.from({ length: 6 }, () => {
        while (isWhole && cursor.left > 0) cursor.step()
        cursor.turn()
        return cursor.position.round
      }).join(' ')
    }
    assert.deepEqual(
      [1, 2, 3, 16, 17, 18].map((count) => roundsOf(count, true)),
      [...['1 2 3 4 5 6', '1 4 5 9 18 19', '22 28 29 35 36 48'], ...['1 2 4 7 10 11', '1 2 4 7 11 12', '1 2 4 7 8 11']],
    )
    // Before any image of a round was seen.
    assert.deepEqual(
      [1, 2, 3, 16, 17].map((count) => roundsOf(count, false)),
      ['1 2 3 4 5 6', '1 2 3 4 5 6', '6 7 10 11 15 17', '1 2 4 6 7 10', '1 2 4 7 11 12'],
    )
  })

  it('sees only the images that match', () => {
    const { cursor } = stage(imagesOf(9, { size: 3, ordinals: Uint32Array.of(2, 5, 8) }))
    assert.deepEqual([1, 2, 3].map(() => cursor.step()?.filename).sort(), ['2', '5', '8'])
    assert.equal(cursor.left, 0)
  })
})

it('A position is ahead of an earlier one, and of none that is the same', () => {
  assert.deepEqual(beginning, { round: 0, place: -1 })
  const at = (round: number, place: number) => ({ round, place })
  assert.deepEqual(
    [isAhead(at(0, 5), at(0, 5)), isAhead(at(0, 6), at(0, 5)), isAhead(at(1, 0), at(0, 5))],
    [false, true, true],
  )
  assert.equal(isAhead(at(0, 9), at(1, 5)), false)
})
