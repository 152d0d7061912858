import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { type CatalogueOptions, openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import type { Catalogue, CatalogueEntry, Listing } from '../../../src/images/catalogue.ts'
import { assertProperty } from '../../support/seed.ts'
import { sized } from '../../support/size.ts'
import { testFolder } from '../../support/test-folder.ts'
import { assertUniform, seededRandom } from '../../support/uniform.ts'

type Given = Partial<CatalogueOptions>

/** A folder for catalogues; they are closed, and it is gone, at the end of the test. */
function place(t: TestContext) {
  const folder = testFolder()
  const opened = new Set<Catalogue>()
  t.after(() => {
    for (const catalogue of opened) catalogue.close()
  })
  return {
    file: join(folder, 'catalogue.db'),
    open(given: Given = {}): Catalogue {
      const catalogue = openCatalogue({
        dataDir: folder,
        source: 'folder images',
        kinds: new Set(['fox', 'bird']),
        mayReplace: true,
        imagesOnly: false,
        random: seededRandom(1),
        ...given,
      })
      opened.add(catalogue)
      return catalogue
    },
  }
}

const opened = (t: TestContext, given?: Given) => place(t).open(given)

const entryOf = (filename: string, version = 0): CatalogueEntry => ({
  filename,
  etag: `etag-${version}`,
  size: 10 + version,
  modified: 1_780_000_000_000 + version,
})
const nameOf = (index: number) => `${String(index).padStart(5, '0')}.png`
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const entries = (count: number, from = 0) => times(count, (index) => entryOf(nameOf(from + index)))
const namesOf = (list: readonly CatalogueEntry[]) => list.map(({ filename }) => filename)
const everything = (catalogue: Catalogue) => catalogue.page('fox', '', 100_000)

function fill(catalogue: Catalogue, list: readonly CatalogueEntry[]): void {
  catalogue.listing('fox').take(list)
}

const atOf = (catalogue: Catalogue, ordinal: number) => catalogue.groups(['fox'], null)[0]?.at(ordinal) ?? null
const picks = (catalogue: Catalogue, count: number) => times(count, () => catalogue.pick('fox')?.filename ?? 'none')

function assertEvenChoice(catalogue: Catalogue, count: number, message?: string): void {
  const all = everything(catalogue)
  assertUniform(picks(catalogue, sized(Math.min(count, 20 * all.length), count)), namesOf(all), message)
}

function endOf(listing: Listing): string[] {
  const dropped: string[] = []
  for (let some = listing.end(); some !== null; some = listing.end()) dropped.push(...some)
  return dropped
}

/** A full listing of a store that has exactly these. */
function compare(catalogue: Catalogue, list: readonly CatalogueEntry[], pageSize = 1_000): string[] {
  const listing = catalogue.listing('fox')
  const changed: string[] = []
  for (let from = 0; from < list.length; from += pageSize) {
    listing.expect()
    changed.push(...listing.take(list.slice(from, from + pageSize)))
  }
  return [...changed, ...endOf(listing)]
}

/** Byte order, which is the order of pages. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** That every query of the catalogue returns these entries and no others. */
function assertHolds(catalogue: Catalogue, model: ReadonlyMap<string, CatalogueEntry>): void {
  const expected = [...model.values()].sort((a, b) => byBytes(a.filename, b.filename))
  assert.equal(catalogue.count('fox'), expected.length)
  assert.deepEqual(
    everything(catalogue).map((each) => ({ ...each })),
    expected,
  )
  const byOrdinal = times(expected.length, (ordinal) => ({ ...(atOf(catalogue, ordinal) ?? assert.fail()) }))
  assert.deepEqual(
    byOrdinal.sort((a, b) => byBytes(a.filename, b.filename)),
    expected,
  )
  for (const each of expected) assert.deepEqual({ ...catalogue.find('fox', each.filename) }, each)
  assert.deepEqual(catalogue.summary('fox'), {
    count: expected.length,
    bytes: expected.reduce((sum, { size }) => sum + size, 0),
    newest: expected.length === 0 ? null : Math.max(...expected.map(({ modified }) => modified)),
  })
}

describe('a pick', () => {
  it('is null if there is none, and the only one if there is one', (t) => {
    const catalogue = opened(t)
    assert.equal(catalogue.pick('fox'), null)
    catalogue.put('fox', entryOf('a.png'))
    assert.deepEqual(catalogue.pick('fox'), { ...entryOf('a.png'), isCached: true })
    assert.equal(catalogue.pick('bird'), null)
    catalogue.remove('fox', 'a.png')
    assert.equal(catalogue.pick('fox'), null)
  })

  it('chooses each put or listed entry with equal probability', (t) => {
    const catalogue = opened(t)
    for (const each of entries(100)) catalogue.put('fox', each)
    assertEvenChoice(catalogue, 30_000)
    fill(catalogue, entries(100, 100))
    assertEvenChoice(catalogue, 30_000)
  })

  it('never chooses from another kind', (t) => {
    const catalogue = opened(t, { kinds: new Set(['fox', 'bird', 'pat']) })
    for (const each of entries(50, 1_000)) {
      catalogue.put('bird', each)
      catalogue.put('pat', each)
    }
    for (const each of entries(10)) catalogue.put('fox', each)
    assertUniform(picks(catalogue, 10_000), namesOf(entries(10)))
  })

  it('chooses each with equal probability after deletes of the first, the last, every other one, all but a few', (t) => {
    const catalogue = opened(t)
    fill(catalogue, entries(120))
    const indexes = times(120, (index) => index)
    for (const removed of [
      [0],
      [119],
      indexes.filter((index) => index % 2 === 1),
      indexes.slice(10, 70),
      indexes.slice(3),
    ]) {
      for (const index of removed) catalogue.remove('fox', nameOf(index))
      assertEvenChoice(catalogue, 20_000, `${catalogue.count('fox')} left:`)
    }
  })

  it('chooses each with equal probability at every moment of a refresh, whatever is put and removed meanwhile', (t) => {
    const catalogue = opened(t)
    const random = seededRandom(3)
    const any = () => atOf(catalogue, Math.floor(random() * catalogue.count('fox')))?.filename ?? assert.fail()
    fill(catalogue, entries(80))
    // The store still has every other one of the eighty, and forty new ones.
    const stored = [...entries(80).filter((_, index) => index % 2 === 0), ...entries(40, 500)]
    const listing = catalogue.listing('fox')
    for (let from = 0; from < stored.length; from += 10) {
      listing.expect()
      catalogue.put('fox', entryOf(nameOf(900 + from)))
      catalogue.remove('fox', any())
      listing.take(stored.slice(from, from + 10))
      catalogue.remove('fox', any())
      assertEvenChoice(catalogue, 6_000, `from ${from}:`)
    }
    endOf(listing)
    assertEvenChoice(catalogue, 10_000, 'at the end:')
  })

  it('comes from the current entries, although many are drawn ahead', (t) => {
    const catalogue = opened(t)
    fill(catalogue, entries(20))
    const left = new Set(namesOf(entries(20)))
    for (let round = 0; round < 15; round++) {
      picks(catalogue, 1_000)
      const [gone, come] = [nameOf(round), nameOf(100 + round)]
      catalogue.remove('fox', gone)
      left.delete(gone)
      assert.ok(
        picks(catalogue, 1_000).every((name) => left.has(name)),
        `after ${gone} went`,
      )
      catalogue.put('fox', entryOf(come))
      left.add(come)
      assertUniform(picks(catalogue, 2_000), [...left], `after ${come} came:`)
    }
  })

  it('shows a new, a changed and a listed entry at once', (t) => {
    const random = { value: 0 }
    const catalogue = opened(t, { random: () => random.value })
    fill(catalogue, entries(3))
    assert.deepEqual(new Set(picks(catalogue, 1_000)), new Set([nameOf(0)]))
    catalogue.put('fox', entryOf(nameOf(0), 7))
    assert.equal(catalogue.pick('fox')?.etag, 'etag-7')
    picks(catalogue, 1_000)
    random.value = 1 - 2 ** -53
    catalogue.put('fox', entryOf('new.png'))
    assert.equal(catalogue.pick('fox')?.filename, 'new.png')
    picks(catalogue, 1_000)
    const listing = catalogue.listing('fox')
    listing.take([entryOf('newer.png')])
    assert.equal(catalogue.pick('fox')?.filename, 'newer.png')
    listing.take([entryOf('newer.png', 3)])
    assert.equal(catalogue.pick('fox')?.etag, 'etag-3')
    picks(catalogue, 1_000)
    listing.end()
    assert.deepEqual(new Set(picks(catalogue, 1_000)), new Set(['newer.png']))
  })

  it('is drawn 1 ahead at first, and up to 256 ahead while nothing changes', (t) => {
    let drawn = 0
    const random = seededRandom(4)
    const catalogue = opened(t, {
      random() {
        drawn++
        return random()
      },
    })
    fill(catalogue, entries(5))
    const rounds = times(600, () => {
      const before = drawn
      catalogue.pick('fox')
      return drawn - before
    })
    assert.deepEqual(
      rounds.filter((count) => count > 0),
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 256],
    )
    catalogue.put('bird', entryOf('a.png'))
    const before = drawn
    catalogue.pick('fox')
    assert.equal(drawn, before, 'another kind disturbs nothing')
  })
})

type Step =
  | { readonly act: 'put' | 'remove' | 'take'; readonly names: readonly number[]; readonly version: number }
  | { readonly act: 'begin' | 'expect' | 'end' | 'reopen' }

describe('after any history', () => {
  it('a catalogue equals a map, and its ordinals are dense', (t) => {
    const names = fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 8 })
    const version = fc.integer({ min: 0, max: 2 })
    const change = (act: 'put' | 'remove' | 'take', weight: number) => ({
      weight,
      arbitrary: fc.record({ act: fc.constant(act), names, version }),
    })
    const plain = (act: 'begin' | 'expect' | 'end' | 'reopen', weight: number) => ({
      weight,
      arbitrary: fc.record({ act: fc.constant(act) }),
    })
    const step: fc.Arbitrary<Step> = fc.oneof(
      change('put', 4),
      change('remove', 4),
      change('take', 6),
      plain('begin', 2),
      plain('expect', 3),
      plain('end', 2),
      plain('reopen', 1),
    )
    assertProperty(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const at = place(t)
        const side = new Side(() => at.open())
        for (const each of steps) side.act(each)
        side.catalogue.close()
      }),
      { seed: 1, numRuns: 60 },
    )
  })
})

/** A catalogue and a model of it that go through the same steps. */
class Side {
  catalogue: Catalogue
  readonly #open: () => Catalogue
  readonly #model = new Map<string, CatalogueEntry>()
  #walk: { listing: Listing; seen: Set<string>; touched: Set<string> } | null = null

  constructor(open: () => Catalogue) {
    this.#open = open
    this.catalogue = open()
  }

  act(step: Step): void {
    switch (step.act) {
      case 'put':
      case 'remove':
        for (const each of step.names) this.#change(step.act, entryOf(nameOf(each), step.version))
        break
      case 'take':
        this.#take([...new Set(step.names)].map((each) => entryOf(nameOf(each), step.version)))
        break
      case 'begin':
        this.#walk = { listing: this.catalogue.listing('fox'), seen: new Set(), touched: new Set() }
        break
      case 'expect':
        this.#walk?.listing.expect()
        this.#walk?.touched.clear()
        break
      case 'end':
        this.#end()
        break
      case 'reopen':
        this.catalogue.close()
        this.catalogue = this.#open()
        this.#walk = null
    }
    assertHolds(this.catalogue, this.#model)
  }

  #change(act: 'put' | 'remove', entry: CatalogueEntry): void {
    const { filename } = entry
    this.#walk?.touched.add(filename)
    if (act === 'put') {
      this.catalogue.put('fox', entry)
      this.#model.set(filename, entry)
      this.#walk?.seen.add(filename)
    } else {
      this.catalogue.remove('fox', filename)
      this.#model.delete(filename)
      this.#walk?.seen.delete(filename)
    }
  }

  #take(page: readonly CatalogueEntry[]): void {
    if (!this.#walk) return
    const { listing, seen, touched } = this.#walk
    const believed = page.filter(({ filename }) => !touched.has(filename))
    const changed = believed.filter(({ filename, etag }) => this.#model.get(filename)?.etag !== etag)
    assert.deepEqual(listing.take(page), namesOf(changed))
    for (const each of believed) {
      this.#model.set(each.filename, each)
      seen.add(each.filename)
    }
  }

  #end(): void {
    if (!this.#walk) return
    const { listing, seen } = this.#walk
    const unseen = [...this.#model.keys()].filter((name) => !seen.has(name))
    assert.deepEqual(endOf(listing).sort(), unseen.sort())
    for (const name of unseen) this.#model.delete(name)
    this.#walk = null
    assert.equal(this.catalogue.isComplete('fox'), true)
  }
}

describe('a listing', () => {
  it('writes nothing if nothing changed', (t) => {
    const { open, file } = place(t)
    const catalogue = open()
    const all = entries(2_500)
    compare(catalogue, all)
    const other = new DatabaseSync(file, { readOnly: true })
    t.after(() => other.close())
    const version = () => other.prepare('PRAGMA data_version').get()?.data_version
    const before = version()
    assert.deepEqual(compare(catalogue, all), [])
    assert.equal(version(), before)
    catalogue.put('fox', entryOf('new.png'))
    assert.notEqual(version(), before, 'a write would have been seen')
  })

  it('writes only the changed rows', (t) => {
    const { open, file } = place(t)
    const catalogue = open()
    compare(catalogue, entries(1_000))
    const other = new DatabaseSync(file)
    t.after(() => other.close())
    other.exec(`
      CREATE TABLE written (what TEXT, filename TEXT);
      CREATE TRIGGER inserted AFTER INSERT ON objects BEGIN INSERT INTO written VALUES ('new', new.filename); END;
      CREATE TRIGGER updated AFTER UPDATE ON objects BEGIN INSERT INTO written VALUES ('changed', new.filename); END;
      CREATE TRIGGER deleted AFTER DELETE ON objects BEGIN INSERT INTO written VALUES ('gone', old.filename); END;
    `)
    // The last of all entries takes the place of the removed one.
    const stored = [...entries(1_000).filter((_, index) => index !== 500), entryOf('new.png')]
    stored[3] = entryOf(nameOf(3), 1)
    assert.deepEqual(compare(catalogue, stored), [nameOf(3), 'new.png', nameOf(500)])
    assert.deepEqual(
      other
        .prepare('SELECT what, filename FROM written')
        .all()
        .map(({ what, filename }) => `${what} ${filename}`),
      [`changed ${nameOf(3)}`, 'new new.png', `gone ${nameOf(500)}`, 'changed new.png'],
    )
  })

  it('returns what is new or has another ETag, size or time', (t) => {
    const catalogue = opened(t)
    const [one, two, three, four] = entries(4) as [CatalogueEntry, CatalogueEntry, CatalogueEntry, CatalogueEntry]
    const listing = catalogue.listing('fox')
    assert.deepEqual(listing.take([one, two, three, four]), namesOf([one, two, three, four]))
    const changed = [one, { ...two, etag: 'other' }, { ...three, size: 99 }, { ...four, modified: 1 }]
    assert.deepEqual(listing.take(changed), namesOf([two, three, four]))
    assert.deepEqual(listing.take(changed), [])
    assertHolds(catalogue, new Map(changed.map((each) => [each.filename, each])))
  })

  it('drops and returns what was not seen, in batches, at its end and not before', (t) => {
    const catalogue = opened(t)
    compare(catalogue, entries(1_300))
    const listing = catalogue.listing('fox')
    listing.expect()
    listing.take(entries(1_300).filter((_, index) => index % 13 === 0))
    assert.equal(catalogue.count('fox'), 1_300)
    const portions: (readonly string[])[] = []
    for (let some = listing.end(); some !== null; some = listing.end()) portions.push(some)
    assert.deepEqual(
      portions.map(({ length }) => length),
      [500, 500, 200],
    )
    const left = entries(1_300).filter((_, index) => index % 13 === 0)
    assert.equal(new Set([...portions.flat(), ...namesOf(left)]).size, 1_300)
    assertHolds(catalogue, new Map(left.map((each) => [each.filename, each])))
  })

  it('drops everything if the store is empty', (t) => {
    const catalogue = opened(t)
    compare(catalogue, entries(33))
    assert.equal(compare(catalogue, []).length, 33)
    assertHolds(catalogue, new Map())
    assert.equal(catalogue.pick('fox'), null)
  })

  it('does not override what is put or removed after a page is requested', (t) => {
    const catalogue = opened(t)
    fill(catalogue, entries(4))
    const listing = catalogue.listing('fox')
    listing.expect()
    catalogue.put('fox', entryOf(nameOf(0), 9))
    catalogue.remove('fox', nameOf(1))
    catalogue.put('fox', entryOf('new.png', 9))
    // As they were when the page was made.
    assert.deepEqual(listing.take([...entries(4), entryOf('new.png')]), [])
    assert.deepEqual(endOf(listing), [])
    const expected = [entryOf(nameOf(0), 9), entryOf(nameOf(2)), entryOf(nameOf(3)), entryOf('new.png', 9)]
    assertHolds(catalogue, new Map(expected.map((each) => [each.filename, each])))
  })

  it('applies again from the next page on', (t) => {
    const catalogue = opened(t)
    const listing = catalogue.listing('fox')
    listing.expect()
    catalogue.put('fox', entryOf('a.png', 1))
    catalogue.remove('fox', 'b.png')
    listing.take([])
    listing.expect()
    assert.deepEqual(listing.take([entryOf('a.png', 2), entryOf('b.png', 2)]), ['a.png', 'b.png'])
    endOf(listing)
    assert.deepEqual(namesOf(everything(catalogue)), ['a.png', 'b.png'])
  })

  it('keeps what is put during it, even if no page has it', (t) => {
    const catalogue = opened(t)
    fill(catalogue, entries(5))
    const listing = catalogue.listing('fox')
    catalogue.put('fox', entryOf('before.png'))
    listing.expect()
    catalogue.put('fox', entryOf('between.png'))
    listing.take(entries(5))
    catalogue.put('fox', entryOf('after.png'))
    assert.deepEqual(endOf(listing), [])
    assert.equal(catalogue.count('fox'), 8)
  })

  it('keeps what is put, and does not bring back what is removed, between its final batches', (t) => {
    const catalogue = opened(t)
    fill(catalogue, entries(1_200))
    const listing = catalogue.listing('fox')
    listing.expect()
    listing.take(entries(100))
    listing.end()
    catalogue.put('fox', entryOf('new.png'))
    catalogue.remove('fox', nameOf(0))
    catalogue.put('fox', entryOf(nameOf(150), 1))
    endOf(listing)
    const expected = [...entries(99, 1), entryOf(nameOf(150), 1), entryOf('new.png')]
    assertHolds(catalogue, new Map(expected.map((each) => [each.filename, each])))
  })

  it('that is abandoned drops nothing, but the next one does', (t) => {
    const catalogue = opened(t)
    fill(catalogue, entries(20))
    const broken = catalogue.listing('fox')
    broken.expect()
    broken.take(entries(5))
    assert.deepEqual(picks(catalogue, 1).length, 1)
    assert.equal(catalogue.count('fox'), 20)
    assert.equal(catalogue.isComplete('fox'), false)
    const next = catalogue.listing('fox')
    assert.equal(broken.end(), null)
    assert.deepEqual([catalogue.count('fox'), catalogue.isComplete('fox')], [20, false])
    next.expect()
    next.take(entries(7))
    assert.equal(endOf(next).length, 13)
  })

  it('drops nothing if another process has written meanwhile, but the next one does', (t) => {
    const { open } = place(t)
    const [catalogue, other] = [open(), open()]
    compare(catalogue, entries(10))
    for (const write of [
      () => other.remove('fox', nameOf(0)),
      () => other.put('fox', entryOf('other.png')),
      () => other.put('bird', entryOf('other.png')),
    ]) {
      const listing = catalogue.listing('fox')
      listing.expect()
      listing.take(entries(3, 1))
      const before = other.count('fox')
      write()
      const moved = other.count('fox') - before
      assert.equal(listing.end(), null)
      assert.equal(catalogue.count('fox'), before + moved)
    }
    assert.deepEqual(compare(catalogue, entries(3, 1)).length, 7)
    assertHolds(catalogue, new Map(entries(3, 1).map((each) => [each.filename, each])))
  })

  it('of one kind does not affect the others', (t) => {
    const catalogue = opened(t)
    for (const each of entries(9)) catalogue.put('bird', each)
    compare(catalogue, entries(4))
    compare(catalogue, [])
    assert.equal(catalogue.count('bird'), 9)
    assert.equal(catalogue.isComplete('bird'), false)
  })
})

describe('a catalogue is complete', () => {
  it('for a kind once it has been listed to its end', (t) => {
    const { open } = place(t)
    const catalogue = open()
    assert.equal(catalogue.isComplete('fox'), false)
    catalogue.put('fox', entryOf('a.png'))
    const listing = catalogue.listing('fox')
    listing.take([entryOf('b.png')])
    listing.end()
    assert.equal(catalogue.isComplete('fox'), false, 'there is more to drop')
    endOf(listing)
    assert.deepEqual([catalogue.isComplete('fox'), catalogue.isComplete('bird')], [true, false])
    catalogue.listing('fox')
    assert.equal(catalogue.isComplete('fox'), true, 'a new one begins')
    catalogue.close()
    const again = open()
    assert.deepEqual([again.isComplete('fox'), again.isComplete('bird')], [true, false])
  })

  it('even if the store is empty', (t) => {
    const catalogue = opened(t)
    compare(catalogue, [])
    assert.deepEqual([catalogue.isComplete('fox'), catalogue.count('fox')], [true, 0])
  })
})

describe('a page', () => {
  it('is in byte order of file names, and starts after one that need not exist', (t) => {
    const catalogue = opened(t)
    const sorted = ['-', '.a', '0', '10', '9', 'A', 'Z', '_', 'a', 'a.png', 'aa', 'b']
    for (const name of sorted.toReversed()) catalogue.put('fox', entryOf(name))
    assert.deepEqual(namesOf(everything(catalogue)), sorted)
    assert.deepEqual(namesOf(catalogue.page('fox', 'A', 3)), ['Z', '_', 'a'])
    assert.deepEqual(namesOf(catalogue.page('fox', 'AAA', 2)), ['Z', '_'])
    assert.deepEqual(catalogue.page('fox', 'b', 5), [])
    assert.deepEqual(catalogue.page('bird', '', 5), [])
  })

  it('and the sums cover one kind', (t) => {
    const catalogue = opened(t)
    catalogue.put('fox', { filename: 'a', etag: 'a', size: 5, modified: 50 })
    catalogue.put('fox', { filename: 'b', etag: 'b', size: 2 ** 40, modified: 20 })
    catalogue.put('bird', { filename: 'c', etag: 'c', size: 1, modified: 90 })
    assert.deepEqual(catalogue.summary('fox'), { count: 2, bytes: 2 ** 40 + 5, newest: 50 })
    catalogue.put('fox', { filename: 'b', etag: 'b2', size: 3, modified: 60 })
    assert.deepEqual(catalogue.summary('fox'), { count: 2, bytes: 8, newest: 60 })
    catalogue.remove('fox', 'b')
    catalogue.remove('fox', 'never there')
    assert.deepEqual(catalogue.summary('fox'), { count: 1, bytes: 5, newest: 50 })
  })
})

describe('the file of a catalogue', () => {
  const filled = (t: TestContext) => {
    const at = place(t)
    const catalogue = at.open()
    compare(catalogue, entries(2_000))
    for (const each of entries(3)) catalogue.put('bird', each)
    catalogue.close()
    return at
  }
  const assertNew = (catalogue: Catalogue) => {
    assertHolds(catalogue, new Map())
    assert.deepEqual([catalogue.count('bird'), catalogue.isComplete('fox')], [0, false])
    catalogue.put('fox', entryOf('a.png'))
    assert.equal(catalogue.pick('fox')?.filename, 'a.png')
  }

  it('keeps everything across a restart', (t) => {
    const catalogue = filled(t).open()
    assertHolds(catalogue, new Map(entries(2_000).map((each) => [each.filename, each])))
    assert.deepEqual([catalogue.count('bird'), catalogue.isComplete('fox')], [3, true])
    assertEvenChoice(catalogue, 40_000)
  })

  it('shows one process what another wrote', (t) => {
    const { open } = place(t)
    const [one, two] = [open(), open()]
    one.put('fox', entryOf('a.png'))
    assert.deepEqual(namesOf(everything(two)), ['a.png'])
    two.put('fox', entryOf('b.png'))
    one.remove('fox', 'a.png')
    assertHolds(two, new Map([['b.png', entryOf('b.png')]]))
  })

  it('shows in the picks of one process, at most 256 later, what another changed', (t) => {
    const { open } = place(t)
    const [one, two] = [open(), open()]
    fill(one, entries(5))
    picks(one, 1_000)
    two.put('fox', entryOf(nameOf(2), 7))
    two.remove('fox', nameOf(4))
    two.put('fox', entryOf('new.png'))
    picks(one, 256)
    const found = times(1_000, () => one.pick('fox')).map((entry) => `${entry?.filename} ${entry?.etag}`)
    const left = [0, 1, 3].map((index) => `${nameOf(index)} etag-0`)
    assertUniform(found, [...left, `${nameOf(2)} etag-7`, 'new.png etag-0'], 'after another process changed it:')
  })

  it('is readable by its owner alone', { skip: process.platform === 'win32' && 'there are no modes' }, (t) => {
    assert.equal(statSync(filled(t).file).mode & 0o777, 0o600)
  })

  it('is replaced if it lists another store', (t) => {
    const { open } = filled(t)
    assertNew(open({ source: 'folder pictures' }))
  })

  it('is replaced if it is damaged: truncated, overwritten at the start or in the middle, or no database', (t) => {
    const damages: ((file: string) => void)[] = [
      (file) => truncateSync(file, 100),
      (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
      (file) => overwrite(file, 0),
      (file) => overwrite(file, 4_096 * 10),
      (file) => writeFileSync(file, 'no database\n'.repeat(10_000)),
      (file) => writeFileSync(`${file}-journal`, readFileSync(file).subarray(0, 5_000)),
    ]
    for (const [index, damage] of damages.entries()) {
      const { file, open } = filled(t)
      damage(file)
      const catalogue = open()
      if (index === damages.length - 1) assert.equal(catalogue.count('fox'), 2_000, 'what is beside it does no harm')
      else assertNew(catalogue)
    }
  })

  it('replaces an empty file', (t) => {
    const { file, open } = place(t)
    writeFileSync(file, '')
    assertNew(open())
  })

  it('is replaced if its schema is older or newer, or it is another database', (t) => {
    for (const sql of ['PRAGMA user_version = 0', 'PRAGMA user_version = 99', 'PRAGMA application_id = 7']) {
      const { file, open } = filled(t)
      change(file, sql)
      assertNew(open())
    }
    const { file, open } = place(t)
    change(file, "CREATE TABLE accounts (name TEXT); INSERT INTO accounts VALUES ('somebody')")
    assertNew(open())
  })

  it('keeps the objects of a removed kind for its return', (t) => {
    const { open } = filled(t)
    const without = open({ kinds: new Set(['fox']) })
    assertHolds(without, new Map(entries(2_000).map((each) => [each.filename, each])))
    without.close()
    const again = open()
    assert.deepEqual([again.count('fox'), again.isComplete('fox')], [2_000, true])
    assert.deepEqual([again.count('bird'), again.isComplete('bird')], [3, false])
  })

  it('gains an added kind', (t) => {
    const { open } = filled(t)
    const more = open({ kinds: new Set(['pat', 'fox', 'bird']) })
    assert.deepEqual([more.count('pat'), more.count('fox'), more.count('bird')], [0, 2_000, 3])
    more.put('pat', entryOf('a.png'))
    assert.equal(more.pick('pat')?.filename, 'a.png')
  })
})

function overwrite(file: string, at: number): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(8_192, 0xa5), 0, 8_192, at)
  closeSync(fd)
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}
