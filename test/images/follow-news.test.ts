import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openCatalogue } from '../../src/drivers/catalogue/catalogue.ts'
import { followNews } from '../../src/images/follow-news.ts'
import { createImageCache } from '../../src/images/image-cache.ts'
import { ImageSource } from '../../src/images/image-source.ts'
import type { ObjectHead, ObjectStore } from '../../src/images/object-store.ts'
import { Pool } from '../../src/images/pool.ts'
import { createLogs } from '../../src/process/logger.ts'
import { atEnd } from '../support/at-end.ts'
import { fakeClock } from '../support/clock.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const head: ObjectHead = { etag: 'e', size: 1, modified: 0, type: 'image/png' }

/** One kind over a store that has `objects`, and answers when `answers` resolves. */
function stage() {
  const objects = new Map([['cat/a.png', head]])
  const asked: string[] = []
  const state = { answers: Promise.resolve() }
  const published: string[] = []
  const store = {
    async head({ name }) {
      asked.push(`head ${name}`)
      const found = objects.get(name) ?? null
      await state.answers
      return found
    },
    async *list() {
      asked.push('list')
      const page = [...objects].map(([name, found]) => ({ name, ...found }))
      await state.answers
      yield page
    },
  } as Partial<ObjectStore> as ObjectStore
  const clock = fakeClock()
  const { log } = createLogs('silent', clock, { write() {}, flush() {} })
  const shared = { store, bucket: 'images', kinds: new Set(['cat']), clock, log }
  const catalogue = openCatalogue({
    dataDir: testFolder(),
    source: 'a store',
    kinds: shared.kinds,
    mayReplace: true,
    imagesOnly: false,
    random: () => 0,
  })
  const publish = ({ key }: { key: string }) => void published.push(key)
  const source = new ImageSource({
    ...shared,
    cache: createImageCache(0),
    freshMs: 60_000,
    isHidden: () => false,
    publish,
  })
  const pool = new Pool({ ...shared, catalogue, source, refreshMs: 86_400_000 })
  atEnd(async () => {
    await pool.close()
    catalogue.close()
  })
  return {
    objects,
    asked,
    state,
    published,
    catalogue,
    source,
    pool,
    news: followNews({ source, pool, unseen: { follow() {} } }),
  }
}

describe('News of other instances', () => {
  it('about a missing object that nobody here knows cost no request to the store, and are not passed on', async () => {
    const { asked, published, pool, news, catalogue, objects } = stage()
    await pool.refresh()
    for (const key of ['cat/none.png', 'dog/a.png', 'cat/../a', '__proto__/a.png', ''])
      for (const isGone of [true, false]) if (isGone || key !== 'cat/none.png') news.onChange({ key, isGone })
    assert.deepEqual(asked, ['list'])
    objects.delete('cat/a.png')
    news.onChange({ key: 'cat/a.png', isGone: true })
    await until(() => catalogue.count('cat') === 0)
    assert.deepEqual([asked, published], [['list', 'head cat/a.png'], []])
  })

  it('about a missing object take it out of choice at once, until the store says that it is there', async () => {
    const { state, pool, news, catalogue } = stage()
    await pool.refresh()
    const held = Promise.withResolvers<void>()
    state.answers = held.promise
    news.onChange({ key: 'cat/a.png', isGone: true })
    assert.equal(catalogue.count('cat'), 0)
    held.resolve()
    await until(() => catalogue.count('cat') === 1)
  })

  it('about an upload and then its deletion leave nothing, whichever response of the store comes last', async () => {
    const { objects, state, news, source, catalogue } = stage()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    state.answers = first.promise
    news.onChange({ key: 'cat/a.png', isGone: false })
    objects.clear()
    state.answers = second.promise
    news.onChange({ key: 'cat/a.png', isGone: true })
    second.resolve()
    first.resolve()
    await until(() => !source.isRechecking('cat/a.png'))
    assert.equal(catalogue.count('cat'), 0)
  })

  it('that were missed during a listing are found by another one after it', async () => {
    const { objects, asked, state, news, pool, catalogue } = stage()
    const held = Promise.withResolvers<void>()
    state.answers = held.promise
    pool.start()
    await until(() => asked.length === 1)
    objects.set('cat/b.png', head)
    news.onGap()
    state.answers = Promise.resolve()
    held.resolve()
    await until(() => catalogue.count('cat') === 2)
    assert.deepEqual(asked, ['list', 'list'])
  })
})
