import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import type { Catalogue, CatalogueEntry, ReadHeader } from '../../../src/images/catalogue.ts'
import { choose } from '../../../src/images/choose.ts'
import { sizedPage } from '../../../src/images/exact-filter.ts'
import { minSides, orientations } from '../../../src/images/shapes/choices.ts'
import { filterOf, type ShapeTerms } from '../../../src/images/shapes/classes.ts'
import type { Header } from '../../../src/images/shapes/read-header.ts'
import type { Shape } from '../../../src/images/shapes/shape.ts'
import { assertProperty } from '../../support/seed.ts'
import { sized } from '../../support/size.ts'
import { testFolder } from '../../support/test-folder.ts'
import { assertUniform, seededRandom } from '../../support/uniform.ts'

const open = (dataDir: string, imagesOnly = true) =>
  openCatalogue({
    imagesOnly,
    ...{ dataDir, source: 'folder images', mayReplace: true, random: seededRandom(1) },
    kinds: new Set(['fox', 'bird']),
  })

const shape = (width: number, height: number, animated = false): Shape => ({
  ...{ width, height, animated },
  mime: 'image/png',
})
const entryOf = (filename: string, version = 0): CatalogueEntry => ({
  ...{ filename, etag: `etag-${version}`, size: 10 + version, modified: 1_780_000_000_000 + version },
})

/** By the wording of the interface alone. */
function matches(header: Header, { orientation, animated, minWidth, minHeight }: ShapeTerms): boolean {
  if (header === null || header === 'no image') return false
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
const anyTerms: fc.Arbitrary<ShapeTerms> = fc.record({
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
    ...{ act: fc.constant('describe' as const), name: anyName, version: fc.nat(2) },
    header: fc.oneof(anyShape, fc.constantFrom(null, 'no image' as const)),
  }),
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
function newestOf(catalogue: Catalogue, filter: ReturnType<typeof filterOf>): CatalogueEntry[] {
  const all: CatalogueEntry[] = []
  for (;;) {
    const page = catalogue.newest('fox', all.at(-1) ?? null, 2, filter)
    all.push(...page)
    if (page.length < 2) return all
  }
}

const newestFirst = (one: CatalogueEntry, other: CatalogueEntry) =>
  other.modified - one.modified || (one.filename < other.filename ? 1 : -1)

async function assertHolds(catalogue: Catalogue, model: Model, terms: ShapeTerms, imagesOnly: boolean): Promise<void> {
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
  assert.deepEqual(namesOf(newestOf(catalogue, null)), namesOf(pool.map(({ entry }) => entry).sort(newestFirst)))
  for (const { entry, header } of sorted) {
    const known = header === 'no image' ? null : (header ?? null)
    assert.deepEqual(catalogue.shape('fox', entry.filename), known)
  }
  const filter = filterOf(terms)
  for (const [each, entries] of [
    [null, pool],
    [filter, pool.filter(({ header }) => header !== undefined && (filter === null || matches(header, terms)))],
  ] as const) {
    const images = each || filter ? await catalogue.hashes('fox', each) : null
    if (images === null) continue
    const ordinals = images.ordinals ?? Uint32Array.from({ length: images.size }, (_, ordinal) => ordinal)
    const found = namesOf(catalogue.hashed('fox', ordinals) ?? [])
    assert.deepEqual(found.sort(), namesOf(entries.map(({ entry }) => entry)))
  }
  if (filter === null) return
  const matching = pool.filter(({ header }) => header !== undefined && matches(header, terms)).map(({ entry }) => entry)
  const page = async (from: string, limit: number) =>
    sizedPage(
      catalogue,
      { kind: 'fox', filter, limit },
      (after, length) => catalogue.page('fox', after?.filename ?? from, length, filter),
      null,
    )
  assert.deepEqual(namesOf(await page('', 100)), namesOf(matching))
  assert.deepEqual(
    namesOf(await page('3.png', 2)),
    namesOf(matching.filter((each) => each.filename > '3.png').slice(0, 2)),
  )
  const newest = await sizedPage(
    catalogue,
    { kind: 'fox', filter, limit: 100 },
    (after, length) => catalogue.newest('fox', after, length, filter),
    null,
  )
  assert.deepEqual(namesOf(newest), namesOf(matching.toSorted(newestFirst)))
  if (filter.least === null) assert.deepEqual(namesOf(newestOf(catalogue, filter)), namesOf(newest))
  await catalogue.hashes('bird', filter)
  const chosen = choose(catalogue, ['fox', 'bird'], 100, seededRandom(3), filter).map(({ entry }) => entry)
  assert.deepEqual(namesOf(chosen).sort(), namesOf(matching))
  const picked = catalogue.pick('fox', filter)
  assert.ok(picked ? namesOf(matching).includes(picked.filename) : matching.length === 0)
}

describe('Shapes in the catalogue', () => {
  it('match exactly what they should, whatever is put, removed, listed and described, and after a restart with the other setting', async () => {
    const [dataDir, model]: [string, Model] = [testFolder(), new Map()]
    let imagesOnly = true
    let catalogue = open(dataDir, imagesOnly)
    await assertProperty(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), anyTerms, fc.nat(9), async (steps, terms, chance) => {
        for (const step of steps) {
          take(catalogue, model, step)
          await assertHolds(catalogue, model, terms, imagesOnly)
        }
        if (chance > 1) return
        catalogue.close()
        if (chance === 0) imagesOnly = !imagesOnly
        catalogue = open(dataDir, imagesOnly)
        // What was set aside returns to the pool unread.
        if (!imagesOnly) for (const each of model.values()) if (each.isSetAside) each.header = undefined
        await assertHolds(catalogue, model, terms, imagesOnly)
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
          ...{ filename, etag: 'etag-0', shape: index === 0 ? null : shape(3, 2) },
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

  it('are chosen with equal probability among those that match, by a pick and by a choice', () => {
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
        ...{ filename, etag: 'etag-0', fault: null },
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

  it('have filters that are the same for the same terms', () => {
    assert.equal(filterOf({}), null)
    assert.equal(filterOf({ minWidth: 640 }), filterOf({ minWidth: 640, animated: undefined }))
    assert.notEqual(filterOf({ minWidth: 640 }), filterOf({ minHeight: 640 }))
  })
})
