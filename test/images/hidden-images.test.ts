import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCatalogue } from '../../src/drivers/catalogue/catalogue.ts'
import { HiddenImages } from '../../src/images/hidden-images.ts'
import { withoutHidden } from '../../src/images/visible-catalogue.ts'
import { testFolder } from '../support/test-folder.ts'

/** What the database has. */
function stage() {
  const state = { version: 0, names: [] as string[], isAway: false }
  const told: [string[], boolean][] = []
  const hidden = new HiddenImages({
    async hiddenVersion() {
      if (state.isAway) throw new Error('the database is away')
      return state.version
    },
    hidden: async () => [...state.names],
  })
  hidden.subscribe((names, isHidden) => {
    if (names.size > 0) told.push([[...names], isHidden])
  })
  const change = (...names: string[]) => {
    state.names = names
    state.version++
  }
  return { state, told, hidden, change }
}

test('hidden images are looked up once a second, also after a database outage', async (t) => {
  const { state, told, hidden, change } = stage()
  change('fox/a.png')
  await hidden.refresh()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  hidden.start()
  const tick = async () => {
    t.mock.timers.tick(1_000)
    await hidden.refresh().catch(() => {})
  }
  change('fox/b.png')
  await tick()
  state.isAway = true
  change()
  await tick()
  assert.deepEqual([hidden.has('fox/a.png'), hidden.has('fox/b.png'), hidden.isEmpty], [false, true, false])
  state.isAway = false
  await tick()
  assert.equal(hidden.isEmpty, true)
  assert.deepEqual(told, [
    [['fox/a.png'], true],
    [['fox/b.png'], true],
    [['fox/a.png'], false],
    [['fox/b.png'], false],
  ])
  await hidden.close()
})

test('the catalogue returns no hidden image, whoever puts it in', async () => {
  const { hidden, change } = stage()
  const options = {
    dataDir: testFolder(),
    source: 'test',
    kinds: new Set(['fox']),
    mayReplace: true,
    imagesOnly: false,
  }
  const real = openCatalogue({ ...options, random: () => 0 })
  const catalogue = withoutHidden(real, hidden)
  const entry = (filename: string) => ({ filename, etag: 'x', size: 1, modified: 0 })
  const names = ['a.png', 'b.png', 'c.png']
  change('fox/a.png', 'fox/b.png')
  await hidden.refresh()
  const putAll = () => {
    for (const each of names) real.put('fox', entry(each))
  }
  for (const read of [
    () => catalogue.pick('fox'),
    () => catalogue.groups(['fox'], null)[0]?.at(0),
    () => catalogue.page('fox', '', 1)[0],
    () => catalogue.newest('fox', null, 3).at(-1),
    () => catalogue.find('fox', 'a.png') ?? catalogue.find('fox', 'c.png'),
  ]) {
    putAll()
    for (let count = 0; count < 20; count++) assert.equal(read()?.filename, 'c.png')
  }
  for (const each of names) real.remove('fox', each)
  const listing = catalogue.listing('fox')
  listing.expect()
  listing.take(names.map(entry))
  while (listing.end() !== null);
  catalogue.put('fox', entry('a.png'))
  assert.equal(real.count('fox'), 1)
  real.put('fox', entry('a.png'))
  real.remove('fox', 'c.png')
  assert.deepEqual([catalogue.pick('fox'), catalogue.count('fox')], [null, 0])
  real.close()
})
