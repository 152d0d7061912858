import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { CatalogueEntry } from '../../src/images/catalogue.ts'
import type { Position } from '../../src/images/positions.ts'
import { beginning, type HashedImages, isAhead, type Stretch, WalkCursor, walkerOf } from '../../src/images/walk.ts'
import { hashOf, highOf, lowBits, lowOf } from '../../src/lib/hash.ts'
import { assertProperty } from '../support/seed.ts'

let versions = 0

const imagesOf = (hashes: readonly number[]): HashedImages => ({
  size: hashes.length,
  version: versions++,
  ordinals: null,
  high: Uint32Array.from(hashes, highOf),
  low: Uint32Array.from(hashes, lowOf),
})

const named = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => hashOf(`fox-${from + index}.png`))

/** Any hashes, some that share their first 32 bits, and the extremes. */
const hash = fc.oneof(
  { weight: 3, arbitrary: fc.maxSafeNat() },
  { weight: 2, arbitrary: fc.tuple(fc.nat(3), fc.nat(lowBits - 1)).map(([high, low]) => high * lowBits + low) },
  { weight: 1, arbitrary: fc.constantFrom(0, lowBits - 1, lowBits, Number.MAX_SAFE_INTEGER) },
)
const hashes = fc.uniqueArray(hash, { minLength: 1, maxLength: 40, size: 'max' })
const walker = fc.string().map(walkerOf)

interface Seen {
  readonly hash: number
  readonly left: number
  readonly position: Position
}

const entry = (filename: string): CatalogueEntry => ({ filename, etag: 'e', size: 1, modified: 0 })

/** Names each entry after its ordinal. */
const catalogue = { hashed: (_: string, ordinals: Uint32Array) => Array.from(ordinals, (each) => entry(String(each))) }

const cursorAt = (images: HashedImages, walker: number, position: Position, known?: Stretch) =>
  new WalkCursor(catalogue, { kind: 'fox', images }, walker, position, known)

const countAhead = (images: HashedImages, walker: number, position: Position) => cursorAt(images, walker, position).left

function see(images: HashedImages, walker: number, count: number, from = beginning): Seen[] {
  let stretch: Stretch | undefined
  let position = from
  return Array.from({ length: count }, () => {
    const cursor = cursorAt(images, walker, position, stretch)
    if (cursor.left === 0) cursor.turn()
    const ordinal = Number(cursor.step()?.filename)
    ;({ position, stretch } = cursor)
    const hash = (images.high[ordinal] as number) * lowBits + (images.low[ordinal] as number)
    return { hash, left: cursor.left, position }
  })
}

/** What was seen in each round. */
const roundsOf = (seen: readonly Seen[]) =>
  [...Map.groupBy(seen, ({ position }) => position.round).values()].map((some) => some.map(({ hash }) => hash))

describe('A walk', () => {
  it('continues one of any release: the order and the saved positions stay the same', () => {
    const seen = (count: number, steps: number) => {
      const names = named(count)
      return see(imagesOf(names), walkerOf('alice fox'), steps).map(({ hash, position: { round, place } }) => [
        names.indexOf(hash),
        round,
        place,
      ])
    }
    assert.deepEqual(seen(5, 7), [
      [3, 0, 707752149193036],
      [2, 0, 3370082009777193],
      [1, 0, 3427254481855871],
      [0, 0, 5417649296197580],
      [4, 0, 5740662814842485],
      [2, 2, 1043125190427689],
      [1, 2, 1143877686928767],
    ])
    const ofTwenty = seen(20, 22)
    assert.deepEqual(
      ofTwenty.map(([index]) => index),
      [17, 10, 3, 14, 6, 9, 2, 5, 1, 7, 19, 8, 0, 4, 18, 12, 11, 15, 13, 16, 14, 6],
    )
    assert.deepEqual(ofTwenty.at(-1), [6, 2, 403192420111199])
  })

  it('sees every one of thousands once, whether it continues a stretch, skips ahead in it, or begins anew', () => {
    const names = named(5_000)
    const [images, who] = [imagesOf(names), walkerOf('user')]
    const round = see(images, who, names.length)
    assert.equal(new Set(round.map(({ hash }) => hash)).size, names.length)
    const stretch = cursorAt(images, who, beginning).stretch
    assert.ok(stretch.places.length < 400)
    for (const [index, { position, left }] of round.slice(0, 300).entries())
      for (const known of [undefined, stretch]) {
        const cursor = cursorAt(images, who, position, known)
        assert.equal(cursor.left, left)
        cursor.step()
        assert.deepEqual(cursor.position, round[index + 1]?.position)
      }
  })

  it('sees every image once in each round, counts what is left, and its position only grows', () => {
    assertProperty(
      fc.property(hashes, walker, (all, who) => {
        const images = imagesOf(all)
        const seen = see(images, who, all.length * 3)
        const sorted = [...all].sort((one, other) => one - other)
        const rounds = roundsOf(seen)
        assert.equal(rounds.length, 3)
        for (const round of rounds)
          assert.deepEqual(
            round.toSorted((one, other) => one - other),
            sorted,
          )
        assert.deepEqual(
          seen.map(({ left }) => left),
          Array.from({ length: 3 }, () => all.map((_, index) => all.length - 1 - index)).flat(),
        )
        let before = beginning
        for (const { position, left } of seen) {
          assert.ok(isAhead(position, before) && !isAhead(before, position))
          assert.equal(countAhead(images, who, position), left)
          before = position
        }
      }),
    )
  })

  it('sees new images that lie ahead in this round, and the others in the next, without seeing any twice', () => {
    assertProperty(
      fc.property(hashes, hashes, walker, fc.nat(40), (some, more, who, stop) => {
        const seen = see(imagesOf(some), who, 1 + (stop % some.length))
        const last = seen.at(-1) as Seen
        const images = imagesOf([...new Set([...some, ...more])])
        const rest = countAhead(images, who, last.position)
        const later = see(images, who, rest + images.size, last.position)
        const [first, second] = [later.slice(0, rest), later.slice(rest)]
        const inRound = [...seen, ...first].map(({ hash }) => hash)
        assert.equal(new Set(inRound).size, inRound.length)
        for (const each of some) assert.ok(inRound.includes(each))
        assert.equal(new Set(second.map(({ hash }) => hash)).size, images.size)
      }),
    )
  })

  it('sees every image once, even if the hashes of all are close together', () => {
    const hashes = Array.from({ length: 1_000 }, (_, index) => 5 * 2 ** 50 + index * 7)
    const seen = see(imagesOf(hashes), walkerOf('user'), 2_000)
    assert.deepEqual(
      roundsOf(seen).map((round) => new Set(round).size),
      [1_000, 1_000],
    )
  })

  it('continues past images that are gone, even its last one', () => {
    assertProperty(
      fc.property(hashes, walker, fc.nat(40), fc.nat(40), (all, who, stop, gone) => {
        const seen = see(imagesOf(all), who, 1 + (stop % all.length))
        const last = seen.at(-1) as Seen
        const lost = new Set([last.hash, all[gone % all.length]])
        const images = imagesOf(all.filter((each) => !lost.has(each)))
        const wasSeen = new Set(seen.map(({ hash }) => hash))
        const expected = all.filter((each) => !wasSeen.has(each) && !lost.has(each))
        assert.equal(countAhead(images, who, last.position), expected.length)
        const rest = see(images, who, expected.length, last.position).map(({ hash }) => hash)
        assert.deepEqual(new Set(rest), new Set(expected))
      }),
    )
  })

  it('never shows the last image of a round first in the next, and changes the order, from three images on', () => {
    for (let count = 2; count <= 20; count++) {
      const images = imagesOf(named(count))
      for (let who = 0; who < 10; who++) {
        const rounds = roundsOf(see(images, walkerOf(`user ${who}`), count * 12))
        for (const [index, round] of rounds.entries()) {
          const before = rounds[index - 1]
          if (before === undefined) continue
          assert.notEqual(round[0], before.at(-1), `${count} images, round ${index}`)
          if (count > 2) assert.notDeepEqual(round, before, `${count} images, round ${index}`)
        }
      }
    }
  })

  it('shows no image of many again before a quarter of the others', () => {
    const images = imagesOf(named(200))
    const seen = see(images, walkerOf('user'), 2_000).map(({ hash }) => hash)
    for (const [index, each] of seen.entries()) {
      const again = seen.indexOf(each, index + 1)
      assert.ok(again < 0 || again - index > 50, `${again - index} images later`)
    }
  })

  it('is different for each walker, and any image may be the first', () => {
    const images = imagesOf(named(8))
    const walks = Array.from({ length: 800 }, (_, index) => see(images, walkerOf(`user ${index}`), 8))
    assert.ok(new Set(walks.map((walk) => walk.map(({ hash }) => hash).join())).size > 60)
    const firsts = Map.groupBy(walks, ([first]) => first?.hash)
    assert.equal(firsts.size, 8)
  })
})
