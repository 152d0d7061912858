import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { cliOrigin } from '../../../src/accounts/audit.ts'
import { createDetailsStore } from '../../../src/drivers/accounts/details-store.ts'
import { type DetailValues, noDetails } from '../../../src/images/details/details.ts'
import type { ChangePosition, DetailsStore } from '../../../src/images/details/details-store.ts'
import { stores } from '../../support/stores.ts'
import { newId, withDatabase } from './stage.ts'

const act = { by: cliOrigin, targetOf: (name: string) => `images/${name}`, check() {} }
const start: ChangePosition = { version: 0, name: '' }
/** What SQL, JSON and our own separators could take for something else. */
const odd = `null "'; DROP TABLE image_details; -- \u202e💥, {}`

for (const store of stores) {
  describe(`details of images on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    let details: DetailsStore
    before(() => {
      details = createDetailsStore(stage.database, { clock: stage.clock, newId })
    })
    const change = (name: string, values: DetailValues) => details.change(act, [{ name, values }])
    const found = async (name: string) => (await details.find([name])).get(name)

    it('are changed field by field, and audited with what changed', async () => {
      const [first] = await change('fox/one.png', { alt: odd, artist: 'null', tags: ['a', 'b-1'] })
      assert.equal(first?.isChanged, true)
      assert.deepEqual(first.details, { ...noDetails, alt: odd, artist: 'null', tags: ['a', 'b-1'] })
      await change('fox/one.png', { artist: null, source: 'https://example.org/', tags: [] })
      assert.deepEqual(await found('fox/one.png'), { ...noDetails, alt: odd, source: 'https://example.org/' })
      const events = await stage.eventsOf('images/fox/one.png')
      assert.deepEqual(
        events.map(({ action, actor, before: was, after }) => [action, actor, was, after]),
        [
          [
            ...['describe', 'cli'],
            { artist: 'null', source: null, tags: 'a,b-1' },
            { artist: null, source: 'https://example.org/', tags: '' },
          ],
          [...['describe', 'cli'], { alt: null, artist: null, tags: '' }, { alt: odd, artist: 'null', tags: 'a,b-1' }],
        ],
      )
    })

    it('that are already so change no version and leave no event', async () => {
      await change('fox/same.png', { title: 'Same' })
      const { version } = await details.versions()
      const [again] = await change('fox/same.png', { title: 'Same', alt: null })
      assert.deepEqual([again?.isChanged, again?.details.title], [false, 'Same'])
      assert.equal((await details.versions()).version, version)
      assert.equal((await stage.eventsOf('images/fox/same.png')).length, 1)
    })

    it('changed by many at once all stay, and are followed in the order of their commits', async () => {
      const { version } = await details.versions()
      const names = Array.from({ length: 30 }, (_, index) => `bird/${index}.png`)
      await Promise.all([
        ...names.map((name) => change(name, { tags: ['wing'] })),
        ...names.map((name) => change(name, { title: name })),
      ])
      for (const name of names) assert.deepEqual(await found(name), { ...noDetails, title: name, tags: ['wing'] })
      const seen = new Map<string, readonly string[] | undefined>()
      for (let after: ChangePosition = { version, name: '\u007f' }; ; ) {
        const page = await details.changes(after, 7)
        for (const { name, marks } of page) seen.set(name, marks?.tags)
        after = page.at(-1) ?? after
        if (page.length < 7) break
      }
      assert.deepEqual([...seen.keys()].sort(), names.toSorted())
      assert.ok([...seen.values()].every((tags) => String(tags) === 'wing'))
    })

    it('that end are gone, and the others are told', async () => {
      await change('hug/end.png', { source: 'http://example.org/', tags: ['x'] })
      const before = await details.versions()
      assert.equal(await details.end(['hug/end.png', 'hug/none.png']), 1)
      assert.equal(await details.end(['hug/end.png']), 0)
      assert.equal(await found('hug/end.png'), undefined)
      const { version } = await details.versions()
      assert.equal(version, before.version + 1)
      assert.deepEqual(await details.changes({ version: before.version, name: '\u007f' }, 10), [
        { version, name: 'hug/end.png', marks: null },
      ])
    })

    it('of absent images are noted from the first time on, and end only if that is long ago', async () => {
      const [gone, back] = ['kiss/gone.png', 'kiss/back.png']
      for (const name of [gone, back]) await change(name, { title: name })
      await details.noteAbsent([gone, back, 'kiss/none.png'], 10)
      await details.noteAbsent([gone, back], 20)
      await details.noteAbsent([back], null)
      assert.deepEqual([...(await details.absent())], [[gone, 10]])
      assert.equal(await details.end([gone, back], 9), 0)
      assert.equal(await details.end([gone, back], 10), 1)
      assert.deepEqual([await found(gone), (await found(back))?.title], [undefined, back])
      assert.equal((await details.absent()).size, 0)
      const { version } = await details.versions()
      stage.clock.advance(1)
      await change(back, { title: 'Later' })
      await details.forget(stage.clock.now())
      assert.deepEqual({ ...(await details.versions()) }, { version: version + 1, forgotten: version })
      assert.equal(
        (await details.changes(start, 1_000)).every(({ marks }) => marks !== null),
        true,
      )
    })

    it('are listed by name, without images that have none', async () => {
      const all: string[] = []
      for (let after = ''; ; ) {
        const page = await details.page(after, 9)
        all.push(...page.map(({ name }) => name))
        after = page.at(-1)?.name ?? ''
        if (page.length < 9) break
      }
      assert.deepEqual(all, all.toSorted())
      assert.ok(all.includes('fox/one.png') && !all.includes('hug/end.png'))
      const marks = (await details.changes(start, 1_000)).filter((each) => each.marks !== null)
      assert.deepEqual(marks.map(({ name }) => name).sort(), all)
      assert.deepEqual(marks.find(({ name }) => name === 'fox/one.png')?.marks, { tags: [], hasSource: true })
    })
  })
}
