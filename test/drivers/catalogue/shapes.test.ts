import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import { type Catalogue, type CatalogueEntry, type ReadHeader, sorts } from '../../../src/images/catalogue.ts'
import { choose } from '../../../src/images/choose.ts'
import { type FilterTerms, filterOf } from '../../../src/images/filter.ts'
import { minSides, orientations } from '../../../src/images/shapes/choices.ts'
import type { Header } from '../../../src/images/shapes/read-header.ts'
import type { Shape } from '../../../src/images/shapes/shape.ts'
import { type ImageTags, noTags } from '../../../src/images/tags.ts'
import { memoryTags } from '../../support/memory-tags.ts'
import { assertProperty } from '../../support/seed.ts'
import { sized } from '../../support/size.ts'
import { testFolder } from '../../support/test-folder.ts'
import { assertUniform, seededRandom } from '../../support/uniform.ts'

const open = (dataDir: string, imagesOnly = true, tags: ImageTags = noTags) =>
  openCatalogue({
    imagesOnly,
    tags,
    dataDir,
    source: 'folder images',
    mayReplace: true,
    random: seededRandom(1),
    kinds: new Set(['fox', 'bird']),
  })

const shape = (width: number, height: number, animated = false): Shape => ({
  width,
  height,
  animated,
  mime: 'image/png',
})
const entryOf = (filename: string, version = 0): CatalogueEntry => ({
  filename,
  etag: `etag-${version}`,
  size: 10 + version,
  modified: 1_780_000_000_000 + version,
})

/** By the wording of the interface alone. */
function matches(
  header: Header | undefined,
  tags: readonly string[],
  { orientation, animated, minWidth, minHeight, tags: all = [], without = [] }: FilterTerms,
): boolean {
  if (!all.every((tag) => tags.includes(tag)) || without.some((tag) => tags.includes(tag))) return false
  if ([orientation, animated, minWidth, minHeight].every((term) => term === undefined)) return true
  if (header === undefined || header === null || header === 'no image') return false
  const { width, height } = header
  const turned = width > height ? 'landscape' : width < height ? 'portrait' : 'square'
  return (
    (orientation === undefined || orientation === turned) &&
    (animated === undefined || animated === header.animated) &&
    width >= (minWidth ?? 0) &&
    height >= (minHeight ?? 0)
  )
}

const anySide = fc.oneof(fc.constantFrom(1, 319, 320, 321, 639, 640, 1919, 1920, 3839, 3840, 65_534), fc.nat(5_000))
const anyShape = fc.tuple(anySide, anySide, fc.boolean()).map(([w, h, moving]) => shape(w + 1, h + 1, moving))
const anyLeast = fc.oneof(fc.constantFrom(undefined, ...minSides), fc.nat(5_001), fc.nat(70_000))
const anyTags = fc.oneof(fc.constant([]), fc.subarray(['red', 'snow', 'z-9']))
const anyTerms: fc.Arbitrary<FilterTerms> = fc.record({
  tags: fc.oneof(fc.constant(undefined), anyTags),
  without: fc.oneof(fc.constant(undefined), anyTags),
  orientation: fc.constantFrom(undefined, ...orientations),
  animated: fc.constantFrom(undefined, true, false),
  minWidth: anyLeast,
  minHeight: anyLeast,
})

const anyName = fc.nat(9).map((index) => `${index}.png`)
const anyStep = fc.oneof(
  fc.record({ act: fc.constant('put' as const), name: anyName, version: fc.nat(2) }),
  fc.record({ act: fc.constant('remove' as const), name: anyName }),
  fc.record({
    act: fc.constant('describe' as const),
    name: anyName,
    version: fc.nat(2),
    header: fc.oneof(anyShape, fc.constantFrom(null, 'no image' as const)),
  }),
  fc.record({ act: fc.constant('tag' as const), name: anyName, tags: anyTags }),
  fc.record({ act: fc.constant('list' as const), names: fc.uniqueArray(anyName), version: fc.nat(1) }),
)

/** What a catalogue should hold: `undefined` is not read yet. */
type Model = Map<string, { entry: CatalogueEntry; header: Header | undefined; isSetAside?: boolean }>

function put(model: Model, name: string, version: number): void {
  if (model.get(name)?.entry.etag !== `etag-${version}`)
    model.set(name, { entry: entryOf(name, version), header: undefined })
}

function take(
  catalogue: Catalogue,
  tags: ReturnType<typeof memoryTags>,
  model: Model,
  step: typeof anyStep extends fc.Arbitrary<infer T> ? T : never,
): void {
  switch (step.act) {
    case 'put':
      catalogue.put('fox', entryOf(step.name, step.version))
      return put(model, step.name, step.version)
    case 'remove':
      catalogue.remove('fox', step.name)
      return void model.delete(step.name)
    case 'describe': {
      const etag = `etag-${step.version}`
      catalogue.describe('fox', [{ filename: step.name, etag, ...judged(step.header) }])
      const known = model.get(step.name)
      if (known?.entry.etag === etag && known.header === undefined) known.header = step.header
      return
    }
    case 'tag':
      return tags.set('fox', step.name, step.tags)
    case 'list': {
      const listing = catalogue.listing('fox')
      listing.expect()
      listing.take(step.names.map((name) => entryOf(name, step.version)))
      while (listing.end() !== null);
      for (const name of model.keys()) if (!step.names.includes(name)) model.delete(name)
      for (const name of step.names) put(model, name, step.version)
    }
  }
}

const judged = (header: Header): Pick<ReadHeader, 'shape' | 'fault'> =>
  header === 'no image' ? { shape: null, fault: 'bytes' } : { shape: header, fault: null }

const namesOf = (entries: readonly CatalogueEntry[]) => entries.map(({ filename }) => filename)

/** Read two at a time, each page after the last of the previous one. */
async function pagesOf(
  read: (after: CatalogueEntry | null) => readonly CatalogueEntry[] | Promise<readonly CatalogueEntry[]>,
): Promise<string[]> {
  const all: CatalogueEntry[] = []
  for (;;) {
    const page = await read(all.at(-1) ?? null)
    all.push(...page)
    if (page.length < 2) return namesOf(all)
  }
}

const newestFirst = (one: CatalogueEntry, other: CatalogueEntry) =>
  other.modified - one.modified || (one.filename < other.filename ? 1 : -1)

async function assertHolds(
  catalogue: Catalogue,
  tags: ImageTags,
  model: Model,
  { terms, imagesOnly }: { readonly terms: FilterTerms; readonly imagesOnly: boolean },
): Promise<void> {
  for (const each of model.values()) each.isSetAside = imagesOnly && each.header === 'no image'
  const sorted = [...model].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
  const pool = sorted.filter(({ isSetAside }) => !isSetAside)
  const aside = sorted.filter(({ isSetAside }) => isSetAside)
  assert.deepEqual(
    catalogue.setAside('fox', '', 100),
    aside.map(({ entry }) => ({ entry, fault: 'bytes' })),
  )
  assert.equal(catalogue.countSetAside('fox'), aside.length)
  for (const { entry, header } of sorted)
    assert.equal(
      catalogue.faultOf('fox', entry.filename, entry.etag),
      header === undefined ? undefined : header === 'no image' ? 'bytes' : null,
    )
  assert.deepEqual(namesOf(catalogue.page('fox', '', 100)), namesOf(pool.map(({ entry }) => entry)))
  assert.deepEqual(
    namesOf(catalogue.unread('fox', '', 100)),
    namesOf(pool.filter(({ header }) => header === undefined).map(({ entry }) => entry)),
  )
  const newest = await pagesOf((after) => catalogue.newest('fox', after, 2))
  assert.deepEqual(newest, namesOf(pool.map(({ entry }) => entry).sort(newestFirst)))
  for (const { entry, header } of sorted) {
    const known = header === 'no image' ? null : (header ?? null)
    assert.deepEqual(catalogue.shape('fox', entry.filename), known)
  }
  const filter = filterOf(terms)
  const matching = pool
    .filter(({ entry, header }) => matches(header, tags.of('fox', entry.filename), terms))
    .map(({ entry }) => entry)
  const { ordinals, size } = await catalogue.hashes('fox', filter)
  const found = catalogue.hashed('fox', ordinals ?? Uint32Array.from({ length: size }, (_, ordinal) => ordinal))
  assert.deepEqual(namesOf(found ?? []).sort(), namesOf(matching))
  const counts = new Map<string, number>()
  for (const { entry } of pool)
    for (const tag of tags.of('fox', entry.filename)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  assert.deepEqual(new Map([...(await catalogue.tagCounts('fox'))].sort()), new Map([...counts].sort()))
  for (const text of [null, 'a', 'now']) {
    if (filter === null && text === null) continue
    const hasText = ({ filename }: CatalogueEntry) =>
      text === null || [filename.toLowerCase(), ...tags.of('fox', filename)].some((each) => each.includes(text))
    for (const sort of sorts) {
      const expected = (sort === 'name' ? matching : matching.toSorted(newestFirst)).filter(hasText)
      const read = (after: CatalogueEntry | null) => catalogue.matching('fox', filter, { sort, after, limit: 2, text })
      assert.deepEqual(await pagesOf(read), namesOf(expected))
    }
  }
  if (filter === null) return
  await catalogue.hashes('bird', filter)
  const chosen = choose(catalogue, ['fox', 'bird'], 100, seededRandom(3), filter).map(({ entry }) => entry)
  assert.deepEqual(namesOf(chosen).sort(), namesOf(matching))
  const picked = catalogue.pick('fox', filter)
  assert.ok(picked ? namesOf(matching).includes(picked.filename) : matching.length === 0)
}

describe('Shapes in the catalogue', () => {
  it('and tags match exactly what they should, whatever is put, removed, listed, described and tagged, and after a restart with the other setting', async () => {
    const [dataDir, model]: [string, Model] = [testFolder(), new Map()]
    let imagesOnly = true
    const tags = memoryTags()
    let catalogue = open(dataDir, imagesOnly, tags)
    await assertProperty(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), anyTerms, fc.nat(9), async (steps, terms, chance) => {
        for (const step of steps) {
          take(catalogue, tags, model, step)
          await assertHolds(catalogue, tags, model, { terms, imagesOnly })
        }
        if (chance > 1) return
        catalogue.close()
        if (chance === 0) imagesOnly = !imagesOnly
        catalogue = open(dataDir, imagesOnly, tags)
        // What was set aside returns to the pool unread.
        if (!imagesOnly) for (const each of model.values()) if (each.isSetAside) each.header = undefined
        await assertHolds(catalogue, tags, model, { terms, imagesOnly })
      }),
      { numRuns: 150 },
    )
    catalogue.close()
  })

  it('keep what is not an image in or out of the pool, as the setting of each start says, after 0.2 too', () => {
    const dataDir = testFolder()
    const start = (imagesOnly: boolean, act: (catalogue: Catalogue) => void) => {
      const catalogue = open(dataDir, imagesOnly)
      act(catalogue)
      catalogue.close()
    }
    const names = ['a.txt', 'b.pdf', 'c.png']
    const holds = (pool: readonly string[], aside: readonly string[]) => (catalogue: Catalogue) => {
      assert.deepEqual(namesOf(catalogue.page('fox', '', 10)), pool)
      assert.deepEqual(namesOf(catalogue.setAside('fox', '', 10).map(({ entry }) => entry)), aside)
    }
    const describeAll = (catalogue: Catalogue) =>
      catalogue.describe(
        'fox',
        names.map((filename, index) => ({
          filename,
          etag: 'etag-0',
          shape: index === 0 ? null : shape(3, 2),
          fault: ([`bytes`, `type`, null] as const)[index] ?? null,
        })),
      )
    start(false, (catalogue) => {
      for (const name of names) catalogue.put('fox', entryOf(name))
      describeAll(catalogue)
      holds(names, [])(catalogue)
    })
    start(true, holds(['c.png'], ['a.txt', 'b.pdf']))
    start(false, holds(names, []))
    start(true, (catalogue) => {
      holds(names, [])(catalogue)
      assert.deepEqual(namesOf(catalogue.unread('fox', '', 10)), ['a.txt', 'b.pdf'])
      describeAll(catalogue)
      holds(['c.png'], ['a.txt', 'b.pdf'])(catalogue)
    })
    // As 0.2 has written it.
    const db = new DatabaseSync(join(dataDir, 'catalogue.db'))
    db.exec('UPDATE objects SET fault = NULL')
    db.close()
    start(true, (catalogue) => {
      assert.deepEqual(namesOf(catalogue.unread('fox', '', 10)), ['c.png'])
      assert.deepEqual(catalogue.setAside('fox', '', 1)[0]?.fault, 'bytes')
    })
    start(false, holds(names, []))
  })

  it('are chosen with equal probability among those that match, by a pick and by a choice', async () => {
    const catalogue = open(testFolder())
    const all = Array.from({ length: 60 }, (_, index) => `${String(index).padStart(2, '0')}.png`)
    for (const name of all) catalogue.put('fox', entryOf(name))
    const portraits = all.filter((_, index) => index % 3 === 0)
    const read = all.slice(0, 50).map((filename, index) => {
      const header = index % 3 === 0 ? shape(300 + index * 40, 4_000, index % 2 === 0) : shape(4_000, 300)
      return { filename, etag: 'etag-0', shape: header, fault: null }
    })
    catalogue.describe('fox', read)
    const filter = filterOf({ orientation: 'portrait' })
    await Promise.all(['fox', 'bird'].map((kind) => catalogue.hashes(kind, filter)))
    const matching = portraits.filter((name) => name < '50.png')
    const draw = (make: () => CatalogueEntry | null | undefined) =>
      Array.from({ length: sized(5_000, 20_000) }, () => make()?.filename ?? 'none')
    assertUniform(
      draw(() => catalogue.pick('fox', filter)),
      matching,
    )
    const random = seededRandom(2)
    assertUniform(
      draw(() => choose(catalogue, ['bird', 'fox'], 1, random, filter)[0]?.entry),
      matching,
    )
    catalogue.close()
  })

  it('are chosen with equal probability among those that match by any size', async () => {
    const catalogue = open(testFolder())
    const all = Array.from({ length: 40 }, (_, index) => `${String(index).padStart(2, '0')}.png`)
    for (const name of all) catalogue.put('fox', entryOf(name))
    catalogue.describe(
      'fox',
      all.map((filename, index) => ({
        filename,
        etag: 'etag-0',
        fault: null,
        shape: shape(1_300 + index, 900),
      })),
    )
    const filter = filterOf({ minWidth: 1_325, minHeight: 899 })
    await Promise.all(['fox', 'bird'].map((kind) => catalogue.hashes(kind, filter)))
    const random = seededRandom(2)
    for (const draw of [
      () => catalogue.pick('fox', filter),
      () => choose(catalogue, ['bird', 'fox'], 1, random, filter)[0]?.entry,
    ])
      assertUniform(
        Array.from({ length: sized(5_000, 20_000) }, () => draw()?.filename ?? 'none'),
        all.slice(25),
      )
    catalogue.close()
  })

  it('are listed in pages in both orders, however many match and wherever they are', async () => {
    const tags = memoryTags()
    const catalogue = open(testFolder(), false, tags)
    const all = Array.from({ length: 5_000 }, (_, index) => ({
      ...entryOf(`${String(index).padStart(4, '0')}.png`),
      modified: (index * 7_919) % 5_000,
    }))
    catalogue.listing('fox').take(all)
    for (const [index, { filename }] of all.entries())
      tags.set('fox', filename, [index % 2 === 0 ? 'even' : 'odd', index >= 3_500 ? 'late' : 'early'])
    for (const [terms, text, isMatch] of [
      [{ tags: ['even'] }, null, (index) => index % 2 === 0],
      [{ tags: ['late'] }, null, (index) => index >= 3_500],
      [{ tags: ['late', 'odd'] }, null, (index) => index >= 3_500 && index % 2 === 1],
      [{}, 'dd', (index) => index % 2 === 1],
      [{}, '9.p', (index) => index % 10 === 9],
      [{ tags: ['late'] }, '4998', (index) => index === 4_998],
      [{ tags: ['late', 'odd'] }, '99', (index) => index >= 3_500 && index % 2 === 1 && `${index}`.includes('99')],
      [{}, 'nowhere', () => false],
    ] as const satisfies [FilterTerms, string | null, (index: number) => boolean][]) {
      const filter = filterOf(terms)
      const matching = all.filter((_, index) => isMatch(index))
      for (const sort of sorts) {
        const expected = sort === 'name' ? matching : matching.toSorted(newestFirst)
        const found: CatalogueEntry[] = []
        for (;;) {
          const page = await catalogue.matching('fox', filter, { sort, after: found.at(-1) ?? null, limit: 300, text })
          found.push(...page)
          if (page.length < 300) break
        }
        assert.deepEqual(namesOf(found), namesOf(expected))
      }
    }
    catalogue.close()
  })

  it('are kept when the file of an earlier version is opened, as is what has not been read', async () => {
    const dataDir = testFolder()
    const before = open(dataDir)
    for (const name of ['known.png', 'unknown.png', 'unread.png']) before.put('fox', entryOf(name))
    const read = { etag: 'etag-0', fault: null }
    before.describe('fox', [
      { filename: 'known.png', ...read, shape: shape(640, 480) },
      { filename: 'unknown.png', ...read, shape: null },
    ])
    before.close()
    const db = new DatabaseSync(join(dataDir, 'catalogue.db'))
    db.exec(`
      DROP INDEX objects_unread;
      ALTER TABLE objects RENAME COLUMN isRead TO class;
      UPDATE objects SET class = 31, place = 7 WHERE width IS NOT NULL;
      CREATE INDEX objects_by_class ON objects (kind, class, filename);
      CREATE INDEX objects_by_class_modified ON objects (kind, class, modified, filename) WHERE class > 1;
      CREATE TABLE members (place INTEGER PRIMARY KEY, slot INTEGER NOT NULL) STRICT;
      CREATE TABLE classes (kind INTEGER, class INTEGER, PRIMARY KEY (kind, class)) STRICT, WITHOUT ROWID;
      PRAGMA user_version = 5;
    `)
    db.close()
    const catalogue = open(dataDir)
    assert.deepEqual(namesOf(catalogue.unread('fox', '', 9)), ['unread.png'])
    assert.deepEqual(catalogue.shape('fox', 'known.png'), shape(640, 480))
    assert.equal((await catalogue.hashes('fox', filterOf({ minWidth: 0 }))).size, 1)
    catalogue.close()
    const others = open(dataDir, false)
    assert.deepEqual(namesOf(others.unread('fox', '', 9)), ['unread.png'])
    others.close()
  })

  it('have filters that are the same for the same terms', () => {
    assert.equal(filterOf({ tags: [], without: [] }), null)
    const named = (terms: FilterTerms) => filterOf(terms)?.name
    assert.equal(named({ minWidth: 640, orientation: 'square' }), 'orientation=square&minWidth=640')
    assert.equal(named({ tags: ['b', 'a', 'b'], without: ['c'], animated: false }), 'animated=false&tags=a,b&without=c')
  })
})
