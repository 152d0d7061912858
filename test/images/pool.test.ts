import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openCatalogue } from '../../src/drivers/catalogue/catalogue.ts'
import type { Catalogue } from '../../src/images/catalogue.ts'
import { createImageCache } from '../../src/images/image-cache.ts'
import { ImageSource } from '../../src/images/image-source.ts'
import { builtInKinds, type Kind } from '../../src/images/kinds.ts'
import type { ListedObject, ObjectStore } from '../../src/images/object-store.ts'
import { Pool, type PoolDeps } from '../../src/images/pool.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { createLogs } from '../../src/process/logger.ts'
import { kinds } from '../contract.ts'
import { fakeClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { folder, type ObjectStage, objectStores, putInto } from '../support/object-stores.ts'
import { seededRandom } from '../support/uniform.ts'
import { answerOf, startImages } from './image-stage.ts'

const object = (name: string, version = 0, size = 10 + version): ListedObject => ({
  name,
  etag: `etag-${version}`,
  size,
  modified: 1_780_000_000_000 + version,
})

/** A store that can be paused at any page, can be away, and can list what no real one does. */
class HandStore {
  readonly objects = new Map<string, ListedObject>()
  pageSize = 2
  isAway = false
  /** The kind of each requested page, in order. */
  readonly asked: string[] = []
  /** Listings in progress. */
  open = 0
  /** Awaited between the creation of a page and its arrival. */
  hold: (kind: string, page: number) => Promise<void> | undefined = () => undefined
  readonly heads: string[] = []
  holdHead: (name: string) => Promise<void> | undefined = () => undefined

  put(...objects: readonly ListedObject[]): this {
    for (const each of objects) this.objects.set(each.name, each)
    return this
  }

  get port(): ObjectStore {
    const head: ObjectStore['head'] = async ({ name }) => {
      this.#answer()
      this.heads.push(name)
      const found = this.objects.get(name)
      await this.holdHead(name)
      return found ? { ...found, type: 'image/png' } : null
    }
    return { head, list: (_bucket, { prefix }) => this.#list(prefix) } as Partial<ObjectStore> as ObjectStore
  }

  async *#list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    const kind = prefix.replace(/\/$/, '')
    this.open++
    try {
      let after = ''
      for (let page = 1; ; page++) {
        this.asked.push(`${kind} ${page}`)
        this.#answer()
        const rest = [...this.objects.values()]
          .filter(({ name }) => name.startsWith(prefix) && name > after)
          .sort((a, b) => (a.name < b.name ? -1 : 1))
        const found = rest.slice(0, this.pageSize)
        await this.hold(kind, page)
        this.#answer()
        if (found.length === 0) return
        yield found
        after = found.at(-1)?.name ?? ''
      }
    } finally {
      this.open--
    }
  }

  #answer(): void {
    if (this.isAway) throw new Unavailable('object store', new Error('taken away by a test'))
  }
}

interface Stage {
  readonly store: HandStore
  readonly catalogue: Catalogue
  readonly pool: Pool
  readonly changed: string[]
  readonly logged: { level: string; msg: string }[]
}

/** A pool over a store; what an earlier pool of the same folder knew is known again. */
function stageOf(
  t: TestContext,
  store: ObjectStore,
  {
    folder = temporaryFolder(),
    bucket = 'images',
    budget,
  }: { folder?: ReturnType<typeof temporaryFolder>; bucket?: string; budget?: PoolDeps['budget'] } = {},
) {
  const catalogue = openCatalogue({
    dataDir: folder.path,
    source: 'a store',
    kinds: builtInKinds,
    mayReplace: true,
    imagesOnly: false,
    random: seededRandom(1),
  })
  const changed: string[] = []
  const logged: Stage['logged'] = []
  const clock = fakeClock()
  const { log } = createLogs('debug', clock, { write: (line) => logged.push(JSON.parse(line)), flush() {} })
  const shared = { store, bucket, kinds: builtInKinds, clock, log }
  const source = new ImageSource({
    ...shared,
    cache: createImageCache(0),
    freshMs: 60_000,
    isHidden: () => false,
    publish() {},
  })
  const { purge } = source
  source.purge = (key) => {
    changed.push(key)
    purge.call(source, key)
  }
  const pool = new Pool({ ...shared, catalogue, source, refreshMs: 60_000, ...(budget && { budget }) })
  const recheck = (key: string) => source.recheck({ bucket, name: key }, 'keep')
  const requestMissing = async (key: string) =>
    assert.equal(await source.find(key, () => 'head', new AbortController().signal), null)
  t.after(async () => {
    await pool.close()
    catalogue.close()
    folder.remove()
  })
  return { catalogue, pool, clock, recheck, requestMissing, changed, logged, folder }
}

function byHand(t: TestContext, ...objects: readonly ListedObject[]): Stage & ReturnType<typeof stageOf> {
  lettingGo(t)
  const store = new HandStore().put(...objects)
  return { store, ...stageOf(t, store.port) }
}

const namesOf = (catalogue: Catalogue, kind: Kind = 'fox') =>
  catalogue.page(kind, '', 1_000).map(({ filename }) => filename)

/** Whether it is settled once nothing more happens by itself. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  for (let each = 0; each < 20; each++) await turn()
  return settled
}

/** Holds back those who wait until it is opened, at the latest at the end of the test; `arrived` resolves for the first. */
function barrier(t: TestContext) {
  const [arrival, opening] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wait = () => {
    arrival.resolve()
    return opening.promise
  }
  barriers.get(t)?.push(opening.resolve)
  return { wait, arrived: arrival.promise, open: opening.resolve }
}

/** The barriers of a test that must open before it can end. */
const barriers = new WeakMap<TestContext, (() => void)[]>()

function lettingGo(t: TestContext): void {
  const opens: (() => void)[] = []
  barriers.set(t, opens)
  t.after(() => {
    for (const open of opens) open()
  })
}

describe('a kind that is not listed yet', () => {
  it('is waited for at most 2 s', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { store, pool } = byHand(t, object('fox/a.png'))
    const held = barrier(t)
    store.hold = held.wait
    const refreshing = pool.refresh()
    await held.arrived
    const ready = pool.ready('fox')
    assert.ok(ready)
    t.mock.timers.tick(1_999)
    assert.equal(await isSettled(ready), false)
    t.mock.timers.tick(1)
    await assert.rejects(ready, Unavailable)
    held.open()
    await refreshing
  })

  it('is not waited for once the store is known to be away', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { store, pool } = byHand(t)
    store.isAway = true
    pool.start()
    await assert.rejects(pool.refresh())
    await turn()
    assert.equal(await isSettled(pool.ready('fox')?.catch(() => {}) ?? assert.fail()), true)
    await assert.rejects(async () => pool.ready('fox'), Unavailable)
  })

  it('is ready after its first page, whatever happens to the second', async (t) => {
    const { store, pool, catalogue } = byHand(t, object('fox/a.png'), object('fox/b.png'), object('fox/c.png'))
    const [first, second] = [barrier(t), barrier(t)]
    store.hold = (kind, page) => (kind === 'fox' ? [first, second][page - 1]?.wait() : undefined)
    const refreshing = pool.refresh()
    await first.arrived
    const ready = pool.ready('fox')
    assert.ok(ready)
    first.open()
    await ready
    await second.arrived
    assert.equal(pool.ready('fox'), null)
    assert.deepEqual(namesOf(catalogue), ['a.png', 'b.png'])
    second.open()
    await refreshing
    assert.deepEqual(namesOf(catalogue), ['a.png', 'b.png', 'c.png'])
  })

  it('is ready when it is known to be empty', async (t) => {
    const { store, pool } = byHand(t)
    assert.ok(pool.ready('bird'))
    await pool.refresh()
    for (const kind of kinds) assert.equal(pool.ready(kind), null)
    assert.equal(store.open, 0)
  })

  it('is ready when one of its images is uploaded', async (t) => {
    const { store, pool, recheck } = byHand(t)
    store.put(object('fox/a.png'))
    await recheck('fox/a.png')
    assert.equal(pool.ready('fox'), null)
  })
})

describe('a request for a kind that is not listed yet', () => {
  /** The real service, whose store lists when it is told to. */
  const started = async (t: TestContext) => {
    lettingGo(t)
    const [held, asked] = [barrier(t), barrier(t)]
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      async *list(bucket, options) {
        await held.wait()
        yield* real.list(bucket, options)
      },
    })
    // Asked last before a request begins to wait.
    const catalogue = (real: Catalogue): Catalogue => ({
      ...real,
      isComplete(kind) {
        void asked.wait()
        return real.isComplete(kind)
      },
    })
    const stage = await startImages(folder, {
      overrides: { images: { store, catalogue } },
      fill: async (put) => void (await put('fox/a.png', Buffer.from('a'))),
    })
    return { stage, held, asked }
  }

  it('is answered after the first page', async (t) => {
    const { stage, held, asked } = await started(t)
    const replies = ['/images/fox/random', '/images/random', '/images/bird/random'].map((path) => stage.get(path))
    await asked.arrived
    held.open()
    const [fox, any, bird] = await Promise.all(replies)
    assert.deepEqual([fox?.status, any?.status, bird?.status], [200, 200, 404])
  })

  for (const path of ['/images/fox/random', '/images/random', '/images/random?kinds=fox,bird&as=text'])
    it(`is answered 503 after 2 s: ${path}`, async (t) => {
      const { stage, held, asked } = await started(t)
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const reply = stage.get(path)
      await asked.arrived
      t.mock.timers.tick(2_000)
      const { status, body, headers } = await reply
      t.mock.timers.reset()
      const message = 'Service is temporarily unavailable, please try again'
      assert.deepEqual([status, body], [503, { status: 503, message }])
      assert.equal(headers.get('retry-after'), '1')
      // What is known of one kind is enough for several.
      await stage.upload('bird/a.png', 'b')
      assert.deepEqual((await stage.get('/images/bird/random')).status, 200)
      held.open()
    })

  it('for several kinds is answered from those that are known', async (t) => {
    const { stage, held, asked } = await started(t)
    await stage.upload('bird/a.png', 'b')
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const reply = stage.get('/images/random?kinds=fox,bird')
    await asked.arrived
    t.mock.timers.tick(2_000)
    const answer = await reply
    t.mock.timers.reset()
    assert.deepEqual([answer.status, answer.body.name], [200, 'bird/a.png'])
    held.open()
  })

  it('is answered at once after a restart, even if the store cannot list', async () => {
    const place = await folder.make()
    const reused: ObjectStage = { ...folder, make: async () => place }
    const first = await startImages(reused, { fill: async (put) => void (await put('fox/a.png', Buffer.from('a'))) })
    assert.equal((await first.get('/images/fox/random')).status, 200)
    const nothing = await first.get('/images/bird/random')
    await first.service.close()
    const again = await startImages(reused, {
      overrides: {
        images: {
          store: (real) => ({
            ...real,
            // biome-ignore lint/correctness/useYield: it never comes to that
            async *list() {
              throw new Unavailable('object store', new Error('taken away by a test'))
            },
          }),
        },
      },
    })
    assert.equal((await again.get('/images/fox/random')).body.name, 'fox/a.png')
    assert.deepEqual(answerOf(await again.get('/images/bird/random')), answerOf(nothing))
  })
})

describe('a refresh', () => {
  it('finds external additions, changes and deletions, and purges exactly those keys', async (t) => {
    const { store, pool, catalogue, changed } = byHand(t, object('fox/a.png'), object('fox/b.png'), object('fox/c.png'))
    await pool.refresh()
    assert.deepEqual(changed.splice(0), ['fox/a.png', 'fox/b.png', 'fox/c.png'])
    store.objects.delete('fox/b.png')
    store.put(object('fox/c.png', 1), object('fox/new.png'), object('bird/new.png'))
    await pool.refresh()
    assert.deepEqual(changed.splice(0).sort(), ['bird/new.png', 'fox/b.png', 'fox/c.png', 'fox/new.png'])
    assert.deepEqual(namesOf(catalogue), ['a.png', 'c.png', 'new.png'])
    assert.equal(catalogue.find('fox', 'c.png')?.etag, 'etag-1')
    assert.deepEqual(namesOf(catalogue, 'bird'), ['new.png'])
    await pool.refresh()
    assert.deepEqual(changed, [])
  })

  it('ignores what the proxy does not serve', async (t) => {
    const { store, pool, catalogue, changed } = byHand(
      t,
      object('fox/good.png'),
      object('fox/empty.png', 0, 0),
      object('fox/', 0, 0),
      object('fox/marker/', 0, 0),
      object('fox/nested/a.png'),
      object('fox//a.png'),
      object('fox/with space.png'),
      object('fox/é.png'),
      object('fox/a..png'),
      object('fox/..'),
      object('fox/../bird/a.png'),
      object('fox/a\\b.png'),
      object('fox/a\0.png'),
      object(`fox/${'x'.repeat(1_021)}`),
    )
    store.pageSize = 3
    await pool.refresh()
    assert.deepEqual(namesOf(catalogue), ['good.png'])
    assert.deepEqual(changed, ['fox/good.png'])
    assert.equal(catalogue.count('bird'), 0)
  })

  it('is shared by all who ask for one meanwhile', async (t) => {
    const { store, pool } = byHand(t, object('fox/a.png'))
    const held = barrier(t)
    store.hold = held.wait
    const [one, two] = [pool.refresh(), pool.refresh()]
    held.open()
    await Promise.all([one, two])
    assert.equal(one, two)
    assert.equal(store.asked.filter((each) => each === 'fox 1').length, 1)
    await pool.refresh()
    assert.equal(store.asked.filter((each) => each === 'fox 1').length, 2)
  })

  it('alternates between kinds: the first page of each before the second of any', async (t) => {
    const all = kinds.flatMap((kind, index) =>
      Array.from({ length: index }, (_, each) => object(`${kind}/${each}.png`)),
    )
    const { store, pool } = byHand(t, ...all)
    await pool.refresh()
    const pages = store.asked.map((each) => Number(each.split(' ')[1]))
    assert.deepEqual(
      pages,
      pages.toSorted((a, b) => a - b),
    )
    assert.deepEqual(
      store.asked.slice(0, kinds.length),
      kinds.map((kind) => `${kind} 1`),
    )
    // The last kind has the most objects: two a page, then the end.
    assert.equal(pages.at(-1), Math.ceil((kinds.length - 1) / 2) + 1)
  })

  it('does not undo uploads and deletes made while a page is in flight', async (t) => {
    const { store, pool, requestMissing, recheck, catalogue } = byHand(t, object('fox/a.png'), object('fox/b.png'))
    await pool.refresh()
    const held = barrier(t)
    store.hold = (kind, page) => (kind === 'fox' && page === 1 ? held.wait() : undefined)
    const refreshing = pool.refresh()
    await held.arrived
    // The page is made, and on its way.
    store.objects.delete('fox/a.png')
    await requestMissing('fox/a.png')
    store.put(object('fox/b.png', 1), object('fox/c.png', 1))
    await recheck('fox/b.png')
    await recheck('fox/c.png')
    held.open()
    await refreshing
    assert.deepEqual(namesOf(catalogue), ['b.png', 'c.png'])
    assert.deepEqual(
      ['b.png', 'c.png'].map((name) => catalogue.find('fox', name)?.etag),
      ['etag-1', 'etag-1'],
    )
  })

  it('applies a page that was requested after an upload', async (t) => {
    const { store, pool, recheck, catalogue } = byHand(
      t,
      ...['a', 'b', 'c', 'd'].map((name) => object(`fox/${name}.png`)),
    )
    const held = barrier(t)
    store.hold = (kind, page) => (kind === 'fox' && page === 1 ? held.wait() : undefined)
    const refreshing = pool.refresh()
    await held.arrived
    store.put(object('fox/c.png', 1))
    await recheck('fox/c.png')
    store.put(object('fox/c.png', 2))
    store.objects.delete('fox/d.png')
    held.open()
    await refreshing
    assert.deepEqual(namesOf(catalogue), ['a.png', 'b.png', 'c.png'])
    assert.equal(catalogue.find('fox', 'c.png')?.etag, 'etag-2')
  })

  it('that fails in the middle rejects and drops nothing, but the next one does', async (t) => {
    const { store, pool, catalogue } = byHand(t, ...['a', 'b', 'c', 'd'].map((name) => object(`fox/${name}.png`)))
    await pool.refresh()
    store.objects.clear()
    store.put(object('fox/c.png', 1), object('fox/new.png'), object('fox/zoo.png'))
    store.hold = (kind, page) => {
      store.isAway = kind === 'fox' && page === 2
      return undefined
    }
    await assert.rejects(pool.refresh(), Unavailable)
    assert.equal(store.open, 0, 'no listing is left open')
    assert.deepEqual(namesOf(catalogue), ['a.png', 'b.png', 'c.png', 'd.png', 'new.png'])
    assert.equal(catalogue.find('fox', 'c.png')?.etag, 'etag-1')
    store.isAway = false
    store.hold = () => undefined
    await pool.refresh()
    assert.deepEqual(namesOf(catalogue), ['c.png', 'new.png', 'zoo.png'])
  })

  it('ends with the pool, and changes nothing afterwards', async (t) => {
    const { store, pool, catalogue } = byHand(t, object('fox/a.png'))
    const held = barrier(t)
    store.hold = held.wait
    const refreshing = assert.rejects(pool.refresh(), { name: 'AbortError' })
    await held.arrived
    const closing = pool.close()
    held.open()
    await closing
    await refreshing
    assert.deepEqual([catalogue.count('fox'), store.open], [0, 0])
  })

  it('of thousands yields to the event loop, and shows what it has so far', async (t) => {
    const all = Array.from({ length: 3_000 }, (_, index) => object(`fox/${index}.png`))
    const { store, pool, catalogue } = byHand(t, ...all)
    store.pageSize = 3_000
    const refreshing = pool.refresh()
    const counts = new Set<number>()
    while (!catalogue.isComplete('fox')) {
      counts.add(catalogue.count('fox'))
      await turn()
    }
    await refreshing
    assert.ok(counts.size > 10, `${counts.size} looks in between`)
    assert.equal(catalogue.count('fox'), 3_000)
  })
})

describe('a started pool', () => {
  it('refreshes at its start, and then so that a change shows within the set time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { store, pool, catalogue } = byHand(t, object('fox/a.png'))
    pool.start()
    await pool.refresh()
    await turn()
    assert.deepEqual(namesOf(catalogue), ['a.png'])
    for (const name of ['b.png', 'c.png', 'd.png']) {
      store.put(object(`fox/${name}`))
      const before = store.asked.length
      t.mock.timers.tick(60_000)
      assert.ok(store.asked.length > before, 'it is under way')
      await pool.refresh()
      await turn()
      assert.equal(namesOf(catalogue).at(-1), name)
    }
    await pool.close()
    const asked = store.asked.length
    t.mock.timers.tick(600_000)
    assert.equal(store.asked.length, asked, 'nothing after its end')
  })

  it('of many images rests after each listing but the first until that took a twentieth of a core', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    lettingGo(t)
    const store = new HandStore().put(object('fox/a.png'), object('fox/b.png'))
    let usedMs = 0
    const { pool } = stageOf(t, store.port, { budget: { freeImages: 1, cpuMs: () => usedMs } })
    pool.start()
    for (const restMs of [48_000, 190_000, 190_000]) {
      usedMs += 10_000
      await pool.refresh()
      await turn()
      const asked = store.asked.length
      t.mock.timers.tick(restMs - 1)
      assert.equal(store.asked.length, asked)
      t.mock.timers.tick(1)
      assert.ok(store.asked.length > asked, `${restMs} ms`)
    }
  })

  it('logs the progress of a long first listing every 10 s, and its end, but not of later ones', async (t) => {
    const { store, pool, clock, logged } = byHand(t, ...['a', 'b', 'c', 'd'].map((name) => object(`fox/${name}.png`)))
    store.hold = async (kind) => (kind === 'fox' ? clock.advance(10_000) : undefined)
    for (let each = 0; each < 2; each++) await pool.refresh()
    const lines = logged.map(({ msg, ...fields }) => [msg, (fields as unknown as { images: number }).images])
    const [underWay, complete] = ['under way', 'complete'].map((how) => `the first listing of the images is ${how}`)
    assert.deepEqual(lines, [
      [underWay, 2],
      [underWay, 4],
      [underWay, 4],
      [complete, 4],
    ])
  })

  it('warns of files that are not served once, and again when there are more', async (t) => {
    const { store, pool, logged } = byHand(t, object('fox/a.png'), object('fox/two words.png'), object('fox/'))
    const told = () => logged.splice(0).map(({ level, ...line }) => [level, line])
    const refreshed = async () => {
      for (let each = 0; each < 2; each++) await pool.refresh()
      const [[level, { key, why, others }] = ['none', {}], ...more] = told() as [string, Record<string, unknown>][]
      assert.deepEqual(more, [])
      return { level, key, why, others }
    }
    assert.deepEqual(await refreshed(), { level: 'warn', key: 'fox/two words.png', why: 'badName', others: 0 })
    assert.equal((await refreshed()).level, 'none')
    store.put(object('bird/none.png', 0, 0))
    const { level, others } = await refreshed()
    assert.deepEqual([level, others, pool.unserved.count], ['warn', 1, 2])
    store.objects.delete('bird/none.png')
    assert.equal((await refreshed()).level, 'none')
    assert.deepEqual(pool.unserved.named, [{ name: 'fox/two words.png', why: 'badName' }])
  })

  it('keeps the old list while the store is away, logs that once, and retries every 2 s', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { store, pool, catalogue, logged } = byHand(t, object('fox/a.png'))
    pool.start()
    await pool.refresh()
    await turn()
    store.isAway = true
    t.mock.timers.tick(60_000)
    for (let each = 0; each < 5; each++) {
      await turn()
      const before = store.asked.length
      t.mock.timers.tick(2_000)
      assert.equal(store.asked.length, before + 1)
      assert.equal(catalogue.pick('fox')?.filename, 'a.png')
      assert.equal(pool.ready('fox'), null)
      assert.equal(pool.ready('bird'), null)
    }
    await turn()
    const lines = () => logged.map(({ level, msg }) => `${level} ${msg}`)
    const lost = 'error could not refresh the list of images from the store; the last one stays in use'
    assert.deepEqual(lines(), [lost])
    store.isAway = false
    store.put(object('fox/b.png'))
    t.mock.timers.tick(2_000)
    await pool.refresh()
    await turn()
    assert.deepEqual(namesOf(catalogue), ['a.png', 'b.png'])
    assert.deepEqual(lines(), [lost, 'info the list of images is refreshed from the store again'])
  })
})

describe('a recheck', () => {
  it('adopts what the store says: added, changed, empty, gone', async (t) => {
    const { store, recheck, catalogue, changed } = byHand(t)
    const look = async () => {
      changed.length = 0
      await recheck('fox/a.png')
      assert.ok(changed.includes('fox/a.png'))
      return catalogue.find('fox', 'a.png')?.etag
    }
    assert.equal(await look(), undefined)
    store.put(object('fox/a.png'))
    assert.equal(await look(), 'etag-0')
    store.put(object('fox/a.png', 1))
    assert.equal(await look(), 'etag-1')
    store.put(object('fox/a.png', 2, 0))
    assert.equal(await look(), undefined)
    store.put(object('fox/a.png', 3))
    assert.equal(await look(), 'etag-3')
    store.objects.clear()
    assert.equal(await look(), undefined)
  })

  it('changes nothing while the store is away, and never rejects', async (t) => {
    const { store, pool, recheck, catalogue, changed, logged } = byHand(t, object('fox/a.png'))
    await pool.refresh()
    changed.length = 0
    store.isAway = true
    await recheck('fox/a.png')
    assert.deepEqual([namesOf(catalogue), changed], [['a.png'], ['fox/a.png']])
    assert.deepEqual(
      logged.map(({ level }) => level),
      ['warn'],
    )
  })

  it('asks nothing about keys that no pool can have', async (t) => {
    const { store, recheck, catalogue } = byHand(t)
    for (const key of ['a.png', 'cat/a.png', 'fox/deep/a.png', 'fox/a..png', 'fox/', '__proto__/a.png']) {
      store.put(object(key))
      await recheck(key)
    }
    assert.deepEqual(store.heads, [])
    for (const kind of kinds) assert.equal(catalogue.count(kind), 0)
  })

  it('that a newer one or a delete overtakes brings nothing old back', async (t) => {
    for (const act of ['overwritten', 'deleted', 'gone']) {
      const { store, requestMissing, recheck, catalogue } = byHand(t, object('fox/a.png'))
      const held = barrier(t)
      store.holdHead = held.wait
      const slow = recheck('fox/a.png')
      await held.arrived
      store.holdHead = () => undefined
      if (act === 'overwritten') store.put(object('fox/a.png', 1))
      else store.objects.clear()
      if (act === 'gone') await requestMissing('fox/a.png')
      else await recheck('fox/a.png')
      held.open()
      await slow
      assert.equal(catalogue.find('fox', 'a.png')?.etag, act === 'overwritten' ? 'etag-1' : undefined, act)
    }
  })
})

describe('a request for a missing image', () => {
  it('that an upload overtakes removes nothing from the pool', async (t) => {
    lettingGo(t)
    const held = barrier(t)
    const first = { is: true }
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      async head(place, signal) {
        const found = await real.head(place, signal)
        if (first.is) {
          first.is = false
          await held.wait()
        }
        return found
      },
    })
    const stage = await startImages(folder, { overrides: { images: { store } } })
    const missing = stage.service.request('HEAD', '/i/fox/a.png')
    await held.arrived
    await stage.upload('fox/a.png', 'a')
    assert.equal((await stage.get('/images/fox/random')).status, 200)
    held.open()
    assert.equal((await missing).status, 404)
    assert.equal((await stage.get('/images/fox/random')).status, 200)
  })
})

for (const objects of objectStores) {
  describe(`the pool over ${objects.name}`, { skip: objects.skip }, () => {
    it('has what others added, changed and removed, as far as the proxy serves it', async (t) => {
      const { store, bucket, drop } = await objects.make()
      const put = putInto(store, bucket)
      const { pool, catalogue } = stageOf(t, store, { bucket })
      for (const name of ['fox/a.png', 'fox/b.png', 'fox/deep/c.png', 'fox/with space.png', 'fox/a..png', 'cat/a.png'])
        await put(name, Buffer.from(name))
      await put('bird/a.png', Buffer.from('a bird'))
      await put('fox/empty.png', Buffer.alloc(0))
      await put('top.png', Buffer.from('no kind'))
      await pool.refresh()
      assert.deepEqual(namesOf(catalogue), ['a.png', 'b.png'])
      assert.deepEqual(namesOf(catalogue, 'bird'), ['a.png'])
      await store.remove({ bucket, name: 'fox/a.png' })
      const { etag } = await put('fox/b.png', Buffer.from('others'))
      await put('fox/new.png', Buffer.from('new'))
      await pool.refresh()
      assert.deepEqual(namesOf(catalogue), ['b.png', 'new.png'])
      assert.equal(catalogue.find('fox', 'b.png')?.etag, etag)
      await drop()
    })

    it('knows its own uploads as a refresh finds them', async (t) => {
      const { store, bucket, drop } = await objects.make()
      const put = putInto(store, bucket)
      const { pool, recheck, catalogue, changed } = stageOf(t, store, { bucket })
      for (const name of ['a.png', 'b.png']) {
        await put(`fox/${name}`, Buffer.from(name))
        await recheck(`fox/${name}`)
      }
      const before = catalogue.page('fox', '', 10)
      changed.length = 0
      await pool.refresh()
      assert.deepEqual(changed, [])
      assert.deepEqual(catalogue.page('fox', '', 10), before)
      await drop()
    })
  })
}
