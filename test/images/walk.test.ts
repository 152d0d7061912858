import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Position } from '../../src/images/positions.ts'
import {
  beginning,
  countAhead,
  type HashOrder,
  isAhead,
  nextRound,
  type Step,
  stepsAhead,
  walkerOf,
} from '../../src/images/walk.ts'
import { hashOf, lowBits } from '../../src/lib/hash.ts'
import { assertProperty } from '../support/seed.ts'

const orderOf = (hashes: readonly number[]): HashOrder => {
  const sorted = [...new Set(hashes)].sort((one, other) => one - other)
  return {
    size: sorted.length,
    version: {},
    at: (rank) => ({ hash: sorted[rank] as number, ordinal: rank }),
    below: (hash) => sorted.filter((each) => each < hash).length,
    within: (from, to) => sorted.flatMap((hash, ordinal) => (hash >= from && hash < to ? [{ hash, ordinal }] : [])),
  }
}

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

function next(order: HashOrder, walker: number, position: Position): Seen {
  const left = countAhead(order, walker, position)
  const from = left === 0 ? nextRound(order, walker, position) : position
  const [step] = stepsAhead(order, walker, from) as [Step]
  return { hash: step.hash, left: (left || order.size) - 1, position: step }
}

function see(order: HashOrder, walker: number, count: number, from = beginning): Seen[] {
  const all: Seen[] = []
  for (let at = from; all.length < count; at = (all.at(-1) as Seen).position) all.push(next(order, walker, at))
  return all
}

/** What was seen in each round. */
const roundsOf = (seen: readonly Seen[]) =>
  [...Map.groupBy(seen, ({ position }) => position.round).values()].map((some) => some.map(({ hash }) => hash))

describe('A walk', () => {
  it('sees every image once in each round, counts what is left, and its position only grows', () => {
    assertProperty(
      fc.property(hashes, walker, (all, who) => {
        const order = orderOf(all)
        const seen = see(order, who, all.length * 3)
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
          assert.equal(countAhead(order, who, position), left)
          before = position
        }
      }),
    )
  })

  it('sees new images that lie ahead in this round, and the others in the next, without seeing any twice', () => {
    assertProperty(
      fc.property(hashes, hashes, walker, fc.nat(40), (some, more, who, stop) => {
        const seen = see(orderOf(some), who, 1 + (stop % some.length))
        const last = seen.at(-1) as Seen
        const order = orderOf([...some, ...more])
        const rest = countAhead(order, who, last.position)
        const later = see(order, who, rest + order.size, last.position)
        const [first, second] = [later.slice(0, rest), later.slice(rest)]
        const inRound = [...seen, ...first].map(({ hash }) => hash)
        assert.equal(new Set(inRound).size, inRound.length)
        for (const each of some) assert.ok(inRound.includes(each))
        assert.equal(new Set(second.map(({ hash }) => hash)).size, order.size)
      }),
    )
  })

  it('continues past images that are gone, even its last one', () => {
    assertProperty(
      fc.property(hashes, walker, fc.nat(40), fc.nat(40), (all, who, stop, gone) => {
        const seen = see(orderOf(all), who, 1 + (stop % all.length))
        const last = seen.at(-1) as Seen
        const lost = new Set([last.hash, all[gone % all.length]])
        const order = orderOf(all.filter((each) => !lost.has(each)))
        const wasSeen = new Set(seen.map(({ hash }) => hash))
        const expected = all.filter((each) => !wasSeen.has(each) && !lost.has(each))
        assert.equal(countAhead(order, who, last.position), expected.length)
        const rest = see(order, who, expected.length, last.position).map(({ hash }) => hash)
        assert.deepEqual(new Set(rest), new Set(expected))
      }),
    )
  })

  it('never shows the last image of a round first in the next, and changes the order, from three images on', () => {
    for (let count = 2; count <= 20; count++) {
      const order = orderOf(named(count))
      for (let who = 0; who < 10; who++) {
        const rounds = roundsOf(see(order, walkerOf(`user ${who}`), count * 12))
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
    const order = orderOf(named(200))
    const seen = see(order, walkerOf('user'), 2_000).map(({ hash }) => hash)
    for (const [index, each] of seen.entries()) {
      const again = seen.indexOf(each, index + 1)
      assert.ok(again < 0 || again - index > 50, `${again - index} images later`)
    }
  })

  it('is different for each walker, and any image may be the first', () => {
    const order = orderOf(named(8))
    const walks = Array.from({ length: 800 }, (_, index) => see(order, walkerOf(`user ${index}`), 8))
    assert.ok(new Set(walks.map((walk) => walk.map(({ hash }) => hash).join())).size > 60)
    const firsts = Map.groupBy(walks, ([first]) => first?.hash)
    assert.equal(firsts.size, 8)
  })
})
