import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import { type HashedRow, KindHashes, takingTurns } from '../../../src/drivers/catalogue/kind-hashes.ts'
import type { Catalogue, CatalogueEntry } from '../../../src/images/catalogue.ts'
import { minSides } from '../../../src/images/shapes/choices.ts'
import { filterOf } from '../../../src/images/shapes/classes.ts'
import { noPositions, Unseen } from '../../../src/images/unseen.ts'
import { hashOf, lowBits } from '../../../src/lib/hash.ts'
import { fakeClock } from '../../support/clock.ts'
import { testFolder } from '../../support/test-folder.ts'
import { seededRandom } from '../../support/uniform.ts'

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

/** The names by ordinal. Asks again if the hashes turn out to be outdated. */
async function hashed(catalogue: Catalogue): Promise<string[]> {
  for (;;) {
    const { size } = await catalogue.hashes('fox')
    const found = catalogue.hashed(
      'fox',
      Uint32Array.from({ length: size }, (_, ordinal) => ordinal),
    )
    if (found !== null) return found.map(({ filename }) => filename)
  }
}

/** That the hashes are those of what the catalogue lists. */
async function assertHashed(catalogue: Catalogue): Promise<void> {
  const names = await hashed(catalogue)
  assert.deepEqual(
    names.toSorted(),
    catalogue.page('fox', '', 100_000).map(({ filename }) => filename),
  )
  const { high, low } = await catalogue.hashes('fox')
  for (const [ordinal, name] of names.entries())
    assert.equal((high[ordinal] as number) * lowBits + (low[ordinal] as number), hashOf(name))
}

describe('The hashes of a kind', () => {
  it('are those of its names, whatever is put, listed and removed while they are being read and afterwards', async (t) => {
    const open = place(t)
    const catalogue = open()
    const random = seededRandom(7)
    fill(catalogue, entries(5_000))
    const at = (ordinal: number) => catalogue.groups(['fox'], null)[0]?.at(ordinal)
    const change = () => {
      const any = at(Math.floor(random() * catalogue.count('fox'))) ?? assert.fail()
      catalogue.remove('fox', any.filename)
      catalogue.put('fox', entryOf(`put-${random()}.png`))
      catalogue.put('fox', { ...entryOf(any.filename), etag: 'other' })
      catalogue.remove('fox', 'nobody.png')
      catalogue.remove('fox', at(catalogue.count('fox') - 1)?.filename ?? assert.fail())
      catalogue.remove('fox', at(0)?.filename ?? assert.fail())
    }
    const reading = catalogue.hashes('fox')
    assert.ok(reading instanceof Promise)
    for (let turn = 0; turn < 4; turn++) {
      change()
      await setImmediate()
    }
    await reading
    await assertHashed(catalogue)
    assert.ok(!(catalogue.hashes('fox') instanceof Promise))
    for (let turn = 0; turn < 50; turn++) change()
    await assertHashed(catalogue)
    const listing = catalogue.listing('fox')
    listing.take(entries(3_000, 2_500))
    while (listing.end() !== null);
    await assertHashed(catalogue)
    assert.equal((await catalogue.hashes('bird')).size, 0)
  })

  it('are read again if another process has moved entries, on a read or at the next listing', async (t) => {
    const open = place(t)
    const [one, other] = [open(), open()]
    fill(one, entries(100))
    await assertHashed(one)
    for (let index = 0; index < 40; index++) other.remove('fox', nameOf(index))
    other.put('fox', entryOf('other.png'))
    await assertHashed(one)
    other.put('fox', entryOf('more.png'))
    one.listing('fox')
    await assertHashed(one)
    assert.equal((await one.hashes('fox')).size, 62)
  })

  it('are read in turns of the event loop that they share with no other kind, since there may be 200', async () => {
    const takeTurn = takingTurns()
    let [turn, isOver] = [0, false]
    const reads: number[] = []
    const kinds = Array.from({ length: 5 }, () => {
      const read = (from: number): readonly HashedRow[] => {
        reads.push(turn)
        return from < 3 ? [[`${from}.png`, 1, null, null]] : []
      }
      return new KindHashes(read, takeTurn)
    })
    const all = Promise.all(kinds.map((each) => each.of(null, () => 3))).then(() => {
      isOver = true
    })
    for (; !isOver; turn++) await setImmediate()
    await all
    assert.deepEqual([reads.length, new Set(reads).size], [20, 20])
  })

  it('of a filter that made way for others do not stay in memory for those who walked it', async (t) => {
    const catalogue = place(t)()
    fill(catalogue, entries(10))
    const shape = { width: 4_000, height: 4_000, mime: 'image/png', animated: false } as const
    catalogue.describe(
      'fox',
      entries(10).map(({ filename, etag }) => ({ filename, etag, shape, fault: null })),
    )
    const unseen = new Unseen({ catalogue, positions: noPositions, clock: fakeClock(), publishSteps: null })
    const lists: WeakRef<object>[] = []
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
        lists.push(new WeakRef(await catalogue.hashes('fox', filter)))
      }
    setFlagsFromString('--expose-gc')
    await setImmediate()
    runInNewContext('gc')()
    assert.equal(lists.filter((list) => list.deref()).length, 8)
  })
})
