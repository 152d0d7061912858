import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import { HashIndex } from '../../../src/drivers/catalogue/hash-index.ts'
import { KindOrder, type Placed, takingTurns } from '../../../src/drivers/catalogue/kind-order.ts'
import type { Catalogue, CatalogueEntry } from '../../../src/images/catalogue.ts'
import { filterOf, minSides } from '../../../src/images/shapes/classes.ts'
import { noPositions, Unseen } from '../../../src/images/unseen.ts'
import { hashOf } from '../../../src/lib/hash.ts'
import { fakeClock } from '../../support/clock.ts'
import { assertProperty } from '../../support/seed.ts'
import { testFolder } from '../../support/test-folder.ts'
import { seededRandom } from '../../support/uniform.ts'

describe('An index of hashes', () => {
  it('equals a sorted list after any history, however many it has split into', () => {
    const hash = fc.oneof(fc.maxSafeNat(), fc.nat(200))
    const act = fc.oneof(
      { weight: 3, arbitrary: fc.record({ set: hash, ordinal: fc.nat(0xffff_ffff) }) },
      { weight: 1, arbitrary: fc.record({ delete: hash }) },
    )
    assertProperty(
      fc.property(fc.array(act, { maxLength: 300, size: 'max' }), fc.nat(5_000), (acts, expected) => {
        const index = new HashIndex(expected)
        const model = new Map<number, number>()
        for (const each of acts) {
          const { version } = index
          const isKnown = model.has('set' in each ? each.set : each.delete)
          if ('set' in each) {
            index.set(each.set, each.ordinal)
            model.set(each.set, each.ordinal)
          } else {
            index.delete(each.delete)
            model.delete(each.delete)
          }
          assert.equal(index.version !== version, 'set' in each ? !isKnown : isKnown)
        }
        assertIs(index, model)
      }),
    )
  })

  it('keeps a tag with each entry, and returns those with certain tags as a separate index', () => {
    const entries = fc.uniqueArray(fc.tuple(fc.oneof(fc.maxSafeNat(), fc.nat(200)), fc.nat(2_047)), {
      selector: ([hash]) => hash,
      maxLength: 200,
    })
    assertProperty(
      fc.property(entries, fc.nat(5_000), fc.nat(6), (all, expected, divisor) => {
        const index = new HashIndex(expected)
        const isMeant = (tag: number) => tag % (divisor + 1) === 0
        for (const [ordinal, [hash, tag]] of all.entries()) index.set(hash, ordinal + 7, 2_047 - tag)
        for (const [ordinal, [hash, tag]] of all.entries()) index.set(hash, ordinal, tag)
        const some = all.flatMap(([hash, tag], ordinal): [number, number][] => (isMeant(tag) ? [[hash, ordinal]] : []))
        const filtered = index.filtered(isMeant)
        assertIs(filtered, new Map(some))
        filtered.set(5, 1)
        assertIs(filtered, new Map([...some, [5, 1]]))
        assertIs(index, new Map(all.map(([hash], ordinal) => [hash, ordinal])))
      }),
    )
  })

  it('holds a hundred thousand, and none after all were deleted', () => {
    const index = new HashIndex()
    const random = seededRandom(5)
    const model = new Map(Array.from({ length: 100_000 }, (_, ordinal) => [Math.floor(random() * 2 ** 53), ordinal]))
    for (const [hash, ordinal] of model) index.set(hash, ordinal)
    const sorted = [...model].sort(([one], [other]) => one - other)
    for (const [rank, [hash, ordinal]] of sorted.entries())
      if (rank % 97 === 0)
        assert.deepEqual([index.below(hash), index.within(hash, hash + 1)], [rank, [{ hash, ordinal }]])
    for (const hash of model.keys()) index.delete(hash)
    assert.deepEqual([index.size, index.below(2 ** 53)], [0, 0])
  })
})

function assertIs(index: HashIndex, model: ReadonlyMap<number, number>): void {
  const sorted = [...model].sort(([one], [other]) => one - other)
  assert.equal(index.size, sorted.length)
  const all = sorted.map(([hash, ordinal]) => ({ hash, ordinal }))
  assert.deepEqual(index.within(0, 2 ** 53), all)
  for (const [rank, { hash }] of all.entries()) {
    assert.deepEqual([index.below(hash), index.below(hash + 1)], [rank, rank + 1])
    const to = all[rank + 3]?.hash ?? 2 ** 53
    assert.deepEqual(index.within(hash, to), all.slice(rank, rank + 3))
  }
  assert.deepEqual([index.below(0), index.below(2 ** 53)], [0, sorted.length])
}

const entryOf = (filename: string): CatalogueEntry => ({
  filename,
  etag: 'etag',
  size: 10,
  modified: 1_780_000_000_000,
})
const nameOf = (index: number) => `${index}.png`
const entries = (count: number, from = 0) => Array.from({ length: count }, (_, index) => entryOf(nameOf(from + index)))

function place(t: TestContext) {
  const dataDir = testFolder()
  const opened: Catalogue[] = []
  t.after(() => {
    for (const catalogue of opened) catalogue.close()
  })
  return () => {
    const kinds = new Set(['fox', 'bird'])
    const catalogue = openCatalogue({
      dataDir,
      source: 'a folder',
      kinds,
      mayReplace: true,
      imagesOnly: false,
      random: seededRandom(1),
    })
    opened.push(catalogue)
    return catalogue
  }
}

const fill = (catalogue: Catalogue, list: readonly CatalogueEntry[]) => catalogue.listing('fox').take(list)

/** Asks again if the order turns out to be outdated. */
async function ordered(catalogue: Catalogue): Promise<string[]> {
  for (;;) {
    await catalogue.order('fox')
    const order = await catalogue.order('fox')
    const found = catalogue.ordered('fox', order.within(0, 2 ** 53))
    if (found !== null) return found.map(({ filename }) => filename)
  }
}

/** That the order is what the catalogue lists, sorted by hash. */
async function assertOrdered(catalogue: Catalogue): Promise<void> {
  const names = catalogue.page('fox', '', 100_000).map(({ filename }) => filename)
  assert.deepEqual(
    await ordered(catalogue),
    names.sort((one, other) => hashOf(one) - hashOf(other)),
  )
}

describe('The order of a kind', () => {
  it('is that of the hashes of its names, whatever is put, listed and removed while it is being built and afterwards', async (t) => {
    const open = place(t)
    const catalogue = open()
    const random = seededRandom(7)
    fill(catalogue, entries(5_000))
    const change = () => {
      const any =
        catalogue.at({ kind: 'fox', class: null, count: 0 }, Math.floor(random() * catalogue.count('fox'))) ??
        assert.fail()
      catalogue.remove('fox', any.filename)
      catalogue.put('fox', entryOf(`put-${random()}.png`))
      catalogue.put('fox', { ...entryOf(any.filename), etag: 'other' })
      catalogue.remove('fox', 'nobody.png')
      catalogue.remove(
        'fox',
        catalogue.at({ kind: 'fox', class: null, count: 0 }, catalogue.count('fox') - 1)?.filename ?? assert.fail(),
      )
      catalogue.remove('fox', catalogue.at({ kind: 'fox', class: null, count: 0 }, 0)?.filename ?? assert.fail())
    }
    const building = catalogue.order('fox')
    assert.ok(building instanceof Promise)
    for (let turn = 0; turn < 4; turn++) {
      change()
      await setImmediate()
    }
    await building
    await assertOrdered(catalogue)
    assert.ok(!(catalogue.order('fox') instanceof Promise))
    for (let turn = 0; turn < 50; turn++) change()
    await assertOrdered(catalogue)
    const listing = catalogue.listing('fox')
    listing.take(entries(3_000, 2_500))
    while (listing.end() !== null);
    await assertOrdered(catalogue)
    assert.equal((await catalogue.order('bird')).size, 0)
  })

  it('is rebuilt if another process has moved entries, on a read or at the next listing', async (t) => {
    const open = place(t)
    const [one, other] = [open(), open()]
    fill(one, entries(100))
    await assertOrdered(one)
    for (let index = 0; index < 40; index++) other.remove('fox', nameOf(index))
    other.put('fox', entryOf('other.png'))
    await assertOrdered(one)
    other.put('fox', entryOf('more.png'))
    one.listing('fox')
    await assertOrdered(one)
    assert.equal((await one.order('fox')).size, 62)
  })

  it('is built in turns of the event loop that it shares with no other kind, since there may be 200', async () => {
    const takeTurn = takingTurns()
    let [turn, isOver] = [0, false]
    const reads: number[] = []
    const orders = Array.from({ length: 5 }, () => {
      const read = (from: number): readonly Placed[] => {
        reads.push(turn)
        return from < 3 ? [[`${from}.png`, 1, null, null]] : []
      }
      return new KindOrder(3, read, takeTurn)
    })
    const all = Promise.all(orders.map(({ ready }) => ready)).then(() => {
      isOver = true
    })
    for (; !isOver; turn++) await setImmediate()
    await all
    assert.deepEqual([reads.length, new Set(reads).size], [20, 20])
  })

  it('of a filter that made way for others does not stay in memory for those who walked it', async (t) => {
    const catalogue = place(t)()
    fill(catalogue, entries(10))
    const shape = { width: 4_000, height: 4_000, mime: 'image/png', animated: false } as const
    catalogue.describe(
      'fox',
      entries(10).map(({ filename, etag }) => ({ filename, etag, shape, fault: null })),
    )
    const unseen = new Unseen({ catalogue, positions: noPositions, clock: fakeClock(), publishSteps: null })
    const orders: WeakRef<object>[] = []
    for (const minWidth of minSides)
      for (const minHeight of [320, 640] as const) {
        const filter = filterOf({ minWidth, minHeight })
        const { remaining } = await unseen.draw(
          { userId: 'a', linkId: null },
          { of: ['fox'], filter },
          1,
          seededRandom(2),
        )
        assert.equal(remaining, 9)
        orders.push(new WeakRef(await catalogue.order('fox', filter)))
      }
    setFlagsFromString('--expose-gc')
    await setImmediate()
    runInNewContext('gc')()
    assert.equal(orders.filter((order) => order.deref()).length, 8)
  })
})
