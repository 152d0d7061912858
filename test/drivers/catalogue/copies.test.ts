import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openCatalogue } from '../../../src/drivers/catalogue/catalogue.ts'
import { assertProperty } from '../../support/seed.ts'
import { sized } from '../../support/size.ts'
import { testFolder } from '../../support/test-folder.ts'

const md5 = (text: string | number) => createHash('md5').update(String(text)).digest('hex')
const entryOf = (filename: string, etag: string) => ({ filename, etag, size: 10, modified: 1_780_000_000_000 })

const openIn = (folder: string, ...kinds: string[]) =>
  openCatalogue({
    dataDir: folder,
    source: 'folder',
    kinds: new Set(kinds),
    mayReplace: true,
    imagesOnly: false,
    random: () => 0,
  })

describe('The copies of an image', () => {
  it('are those with its MD5, of the kinds of the installation, however often they change', async (t) => {
    const catalogue = openIn(testFolder(), 'fox', 'bird')
    t.after(() => catalogue.close())
    const model = new Map<string, string>()
    const change = fc.record({
      kind: fc.constantFrom('fox', 'bird'),
      name: fc.nat(5),
      etag: fc.option(fc.constantFrom(md5(1), md5(2), `${md5(3)}-2`, 'opaque', 'z'.repeat(32))),
    })
    await assertProperty(
      fc.property(change, ({ kind, name, etag }) => {
        if (etag === null) catalogue.remove(kind, `${name}.png`)
        else catalogue.put(kind, entryOf(`${name}.png`, etag))
        if (etag === null) model.delete(`${kind}/${name}.png`)
        else model.set(`${kind}/${name}.png`, etag)
        const holders = (wanted: string) => [...model].filter(([, held]) => held === wanted).map(([each]) => each)
        for (const wanted of [md5(1), md5(2)]) {
          const { count, some } = catalogue.copies(wanted, 100)
          assert.deepEqual(some.map((each) => `${each.kind}/${each.entry.filename}`).sort(), holders(wanted).sort())
          assert.equal(count, some.length)
        }
        assert.deepEqual(
          [...catalogue.repeatedMd5s('')].flat(),
          [md5(1), md5(2)].filter((wanted) => holders(wanted).length > 1).sort(),
        )
      }),
      { numRuns: 2_000 },
    )
    assert.equal(catalogue.copies(`${md5(3)}-2`, 100).count, 0)
  })

  it('are counted beyond the limit, and those of a removed kind are left out', (t) => {
    const folder = testFolder()
    const both = openIn(folder, 'fox', 'cat')
    for (let at = 0; at < 5; at++) both.put('fox', entryOf(`${at}.png`, md5(1)))
    for (let at = 0; at < 2; at++) both.put('cat', entryOf(`${at}.png`, md5(at)))
    assert.deepEqual([both.copies(md5(1), 3).count, both.copies(md5(1), 3).some.length], [6, 3])
    both.close()
    const one = openIn(folder, 'fox')
    t.after(() => one.close())
    assert.deepEqual([one.copies(md5(1), 3).count, one.copies(md5(0), 3).count], [5, 0])
  })

  it('are found in a large catalogue one part at a time, starting after any of them', (t) => {
    const catalogue = openIn(testFolder(), 'fox')
    t.after(() => catalogue.close())
    const count = sized(20_000, 50_000)
    const all = Array.from({ length: count }, (_, at) => entryOf(`${at}.png`, md5(at % 50 === 0 ? at % 1_000 : at)))
    for (const listing = catalogue.listing('fox'); all.length > 0; ) listing.take(all.splice(-1_000))
    const expected = Array.from({ length: 20 }, (_, at) => md5(at * 50)).sort()
    const parts = [...catalogue.repeatedMd5s('')]
    assert.deepEqual([parts.flat(), parts.length >= count / 4_096], [expected, true])
    for (const [at, after] of expected.entries())
      assert.deepEqual([...catalogue.repeatedMd5s(after)].flat(), expected.slice(at + 1))
  })
})
