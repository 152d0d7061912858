import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, describe, it } from 'node:test'
import { cliOrigin } from '../../../src/accounts/audit.ts'
import { createDetailsStore } from '../../../src/drivers/accounts/details-store.ts'
import { openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import type { Catalogue } from '../../../src/images/catalogue.ts'
import { AbsentImages } from '../../../src/images/details/absent-images.ts'
import type { DetailValues } from '../../../src/images/details/details.ts'
import type { DetailsStore } from '../../../src/images/details/details-store.ts'
import { KnownDetails } from '../../../src/images/details/known-details.ts'
import { createLogs } from '../../../src/process/logger.ts'
import { dayMs, newId, withDatabase } from '../../drivers/accounts/stage.ts'
import { fakeClock } from '../../support/clock.ts'
import { stores } from '../../support/stores.ts'
import { testFolder } from '../../support/test-folder.ts'

const act = { by: cliOrigin, targetOf: (name: string) => `images/${name}`, check() {} }
const kinds = new Set(['fox', 'bird'])
const { log } = createLogs('silent', fakeClock(), { write() {}, flush() {} })
const [sqlite = assert.fail()] = stores

describe('What an instance knows of details', () => {
  const stage = withDatabase(sqlite)
  let store: DetailsStore
  before(() => {
    store = createDetailsStore(stage.database, { clock: stage.clock, newId })
  })
  const open = () => new KnownDetails({ store, bucket: 'images', kinds, log })
  /** By another instance. */
  const change = (name: string, values: DetailValues) => store.change(act, [{ name, values }])

  describe('in memory', () => {
    it('is all there is after a start, then what others change; listeners hear of tags alone', async () => {
      const names = Array.from({ length: 450 }, (_, index) => `fox/${index}.png`)
      await store.change(
        act,
        names.map((name) => ({ name, values: { tags: ['red', 'snow'] } })),
      )
      await store.end(['fox/0.png'])
      const known = open()
      const told: string[] = []
      known.subscribe((kind, filename) => told.push(`${kind}/${filename}`))
      assert.ok(known.ready instanceof Promise)
      await known.refresh()
      assert.equal(known.ready, null)
      assert.deepEqual(told.toSorted(), names.slice(1).toSorted())
      assert.deepEqual([...known.described()].sort(), names.slice(1).toSorted())
      const tags = known.of('fox', '1.png')
      assert.deepEqual(tags, ['red', 'snow'])
      assert.equal(known.of('fox', '2.png'), tags)

      told.length = 0
      await change('fox/1.png', { title: 'No tag' })
      await change('fox/2.png', { source: 'https://example.org/2' })
      await known.refresh()
      assert.deepEqual(told, [])
      assert.equal(known.of('fox', '1.png'), tags)
      await change('fox/1.png', { tags: ['red'] })
      await change('bird/new.png', { tags: ['wing'] })
      await store.end(['fox/3.png'])
      await known.refresh()
      assert.deepEqual(told, ['fox/1.png', 'bird/new.png', 'fox/3.png'])
      assert.deepEqual(
        [known.of('fox', '1.png'), known.of('bird', 'new.png'), known.of('fox', '3.png'), known.of('fox', 'none')],
        [['red'], ['wing'], [], []],
      )
    })

    it('has the source of an image as it was last read, and forgets it with the next change', async () => {
      const known = open()
      await change('bird/s.png', { source: 'https://example.org/a' })
      assert.equal(await known.sourceOf('bird/s.png'), 'https://example.org/a')
      await known.refresh()
      assert.equal(await known.sourceOf('bird/s.png'), 'https://example.org/a')
      assert.equal(known.sourceOf('bird/s.png'), 'https://example.org/a')
      assert.equal(known.sourceOf('bird/none.png'), null)
      await known.change(act, [{ name: 'bird/s.png', values: { source: 'https://example.org/b' } }])
      assert.equal(await known.sourceOf('bird/s.png'), 'https://example.org/b')
      await known.change(act, [{ name: 'bird/s.png', values: { source: null } }])
      assert.equal(known.sourceOf('bird/s.png'), null)
    })

    it('is read anew if changes were forgotten while the instance stood still', async () => {
      const known = open()
      await change('fox/late.png', { tags: ['late'] })
      await known.refresh()
      await store.end(['fox/late.png'])
      stage.clock.advance(dayMs)
      await store.forget(stage.clock.now())
      await known.refresh()
      assert.deepEqual(known.of('fox', 'late.png'), [])
      assert.deepEqual(known.of('fox', '9.png'), ['red', 'snow'])
      const again = open()
      await again.refresh()
      assert.deepEqual([...known.described()].sort(), [...again.described()].sort())
    })
  })

  describe('of images that others delete', () => {
    let catalogue: Catalogue
    const hidden = new Set<string>()
    beforeEach(() => {
      const terms = { source: 'test', kinds, mayReplace: true, imagesOnly: true, random: () => 0 }
      catalogue = openCatalogue({ dataDir: testFolder(), ...terms })
    })
    afterEach(() => catalogue.close())
    const list = (kind: string, ...filenames: string[]) => {
      const listing = catalogue.listing(kind)
      listing.expect()
      listing.take(filenames.map((filename) => ({ filename, etag: 'e', size: 1, modified: 0 })))
      while (listing.end() !== null);
    }
    const start = async () => {
      const known = open()
      await known.refresh()
      const isHidden = { isKnown: true, has: (name: string) => hidden.has(name) }
      return new AbsentImages({ store, known, hidden: isHidden, kinds, clock: stage.clock, log, keepMs: 7 * dayMs })
    }
    const has = async (name: string) => (await store.find([name])).has(name)

    it('ends once they were absent from every complete listing for seven days', async () => {
      for (const name of ['gone', 'back', 'hidden', 'aside']) await change(`bird/${name}.png`, { title: name })
      hidden.add('bird/hidden.png')
      list('bird', 'aside.png', 'other.png')
      catalogue.describe('bird', [{ filename: 'aside.png', etag: 'e', shape: null, fault: 'bytes' }])
      assert.equal(catalogue.find('bird', 'aside.png'), null)
      const absent = await start()
      await absent.check(catalogue)
      stage.clock.advance(6 * dayMs)
      list('bird', 'back.png', 'aside.png', 'other.png')
      await absent.check(catalogue)
      list('bird', 'aside.png', 'other.png')
      stage.clock.advance(dayMs - 1)
      // Another instance, or this one after a restart, counts on.
      const other = await start()
      await other.check(catalogue)
      assert.ok(await has('bird/gone.png'))
      stage.clock.advance(1)
      await other.check(catalogue)
      assert.equal(await has('bird/gone.png'), false)
      for (const name of ['back', 'hidden', 'aside']) assert.ok(await has(`bird/${name}.png`), name)
      stage.clock.advance(7 * dayMs)
      await other.check(catalogue)
      assert.equal(await has('bird/back.png'), false)
      for (const name of ['hidden', 'aside']) assert.ok(await has(`bird/${name}.png`), name)
    })

    it('stays while a listing of the kind is empty, and what is described anew counts from the start', async () => {
      await change('fox/kept.png', { title: 'Kept' })
      const absent = await start()
      for (let day = 0; day < 10; day++) {
        await absent.check(catalogue)
        stage.clock.advance(dayMs)
      }
      assert.ok(await has('fox/kept.png'))
      list('fox', 'other.png')
      await absent.check(catalogue)
      stage.clock.advance(6 * dayMs)
      await change('fox/kept.png', { title: 'Kept again' })
      await absent.check(catalogue)
      stage.clock.advance(2 * dayMs)
      await absent.check(catalogue)
      assert.ok(await has('fox/kept.png'))
    })
  })
})
