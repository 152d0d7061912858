import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import { FilterLists } from '../../../src/drivers/catalogue/filter-list.ts'
import { type ColumnRow, takingTurns } from '../../../src/drivers/catalogue/kind-columns.ts'
import type { Catalogue, CatalogueEntry } from '../../../src/images/catalogue.ts'
import { type Filter, filterOf, matches } from '../../../src/images/filter.ts'
import { hashOf, lowBits } from '../../../src/lib/hash.ts'
import { columnsOf } from '../../support/kind-columns.ts'
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
      const read = (from: number): readonly ColumnRow[] => {
        reads.push(turn)
        return from < 3 ? [[`${from}.png`, null, null, null]] : []
      }
      return columnsOf({ read, takeTurn })
    })
    const all = Promise.all(kinds.map((each) => each.of(null, () => 3))).then(() => {
      isOver = true
    })
    for (; !isOver; turn++) await setImmediate()
    await all
    assert.deepEqual([reads.length, new Set(reads).size], [20, 20])
  })

  it('are compiled for a filter in slices, right whatever changes meanwhile and afterwards', async () => {
    const random = seededRandom(5)
    const any = (count: number) => Math.floor(random() * count)
    const tags = new Map<string, readonly string[]>()
    const made = (): ColumnRow => {
      const name = `${random()}.png`
      if (any(10) === 0) tags.set(name, any(2) === 0 ? ['red'] : ['red', 'snow'])
      return any(3) === 0 ? [name, null, null, null] : [name, 1 + any(900), 1 + any(900), any(2)]
    }
    const rows = Array.from({ length: 50_000 }, made)
    let turns = 0
    /** As a catalogue changes them: anywhere, at the end, and the last one takes the ordinal of a removed one. */
    const change = () => {
      const [changed, removed] = [any(rows.length), any(rows.length)]
      rows[changed] = made()
      columns.set(changed, rows[changed])
      rows.push(made())
      columns.set(rows.length - 1, rows.at(-1) as ColumnRow)
      const last = rows.pop() as ColumnRow
      if (removed < rows.length) {
        rows[removed] = last
        columns.set(removed, last)
      }
      columns.truncate(rows.length)
      rows.push(made())
      columns.set(rows.length - 1, rows.at(-1) as ColumnRow)
    }
    const columns = columnsOf({
      read: (from, limit) => rows.slice(from, from + limit),
      tagsOf: (name) => tags.get(name) ?? [],
      async takeTurn() {
        turns++
        for (let times = 0; times < 20; times++) change()
      },
    })
    const filters = [
      filterOf({ minWidth: 301, orientation: 'portrait' }),
      filterOf({ tags: ['red', 'snow'], animated: true }),
      filterOf({ without: ['snow'] }),
    ] as Filter[]
    await columns.of(null, () => rows.length)
    for (const filter of filters) {
      const before = turns
      const found = columns.of(filter, () => rows.length)
      assert.ok(found instanceof Promise)
      await found
      assert.equal(turns - before, 3)
    }
    for (let times = 0; times < 200; times++) change()
    for (const filter of filters) {
      const { ordinals } = await columns.of(filter, () => rows.length)
      const expected = rows.flatMap(([name, width, height, isAnimated], ordinal) =>
        matches(filter, width ?? 0, height ?? 0, isAnimated === 1, tags.get(name) ?? []) ? [ordinal] : [],
      )
      assert.ok(expected.length > 100)
      assert.deepEqual(Array.from(ordinals ?? []), expected)
    }
  })

  it('are kept for filters within bounds, the least recently used making way, but all of one selection together', async () => {
    const shape = [900, 900, 0] as const
    const kindsOn = (lists: FilterLists) =>
      ['fox', 'bird'].map((kind) =>
        columnsOf({
          read: (from) => (from > 0 ? [] : Array.from({ length: 1_000 }, (_, index) => [`${kind}${index}`, ...shape])),
          lists,
        }),
      )
    const filters = Array.from({ length: 150 }, (_, index) => filterOf({ minWidth: index + 1 }) as Filter)
    /** What is left after the first filter was used again and again. */
    const keptAfter = async (lists: FilterLists, maxBytes: number) => {
      const kinds = kindsOn(lists)
      for (const filter of filters)
        for (const columns of kinds) {
          assert.equal((await columns.of(filter, () => 1_000)).size, 1_000)
          assert.ok(lists.bytes <= maxBytes)
          await columns.of(filters[0] as Filter, () => 1_000)
        }
      return kinds.map((columns) => filters.filter((filter) => columns.compiled(filter)))
    }
    for (const kept of await keptAfter(new FilterLists(200_000), 200_000)) {
      assert.equal(kept[0], filters[0])
      assert.ok(kept.length > 2 && kept.length < 12)
    }
    for (const kept of await keptAfter(new FilterLists(), 67_108_864))
      assert.deepEqual(kept, [filters[0], ...filters.slice(-99)])
    const kinds = kindsOn(new FilterLists(1))
    for (const filter of filters.slice(0, 3)) {
      for (const columns of kinds) await columns.of(filter, () => 1_000)
      for (const columns of kinds) assert.ok(columns.compiled(filter))
    }
  })

  it('are compiled one at a time, and again once changes would take longer than that', async () => {
    const rows = Array.from({ length: 50_000 }, (_, index): ColumnRow => [`${index}`, 900, 900, 0])
    const lists = new FilterLists()
    let compiling = 0
    const compile = lists.compile.bind(lists)
    lists.compile = (act) =>
      compile(async () => {
        assert.equal(++compiling, 1)
        await act()
        compiling--
      })
    const kinds = Array.from({ length: 3 }, () =>
      columnsOf({ read: (from, limit) => rows.slice(from, from + limit), takeTurn: takingTurns(), lists }),
    )
    const filter = filterOf({ minWidth: 10 }) as Filter
    await Promise.all(kinds.map((columns) => columns.of(filter, () => rows.length)))
    const [columns = assert.fail()] = kinds
    const changeOften = (isUsed: boolean) => {
      for (let times = 0; times < 200; times++) {
        columns.set(0, ['0', times % 2 === 0 ? 5 : 900, 900, 0])
        if (isUsed) assert.ok(columns.compiled(filter))
      }
    }
    changeOften(true)
    changeOften(false)
    assert.equal(columns.compiled(filter), undefined)
    assert.equal((await columns.of(filter, () => rows.length)).size, 50_000)
  })
})
