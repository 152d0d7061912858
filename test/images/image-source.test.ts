import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { CachedImage, createImageCache, maxCachedBytes } from '../../src/images/image-cache.ts'
import { ImageSource, type OpenedImage } from '../../src/images/image-source.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import type { ObjectHead, ObjectReading, ObjectStore } from '../../src/images/object-store.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { createLogs } from '../../src/process/logger.ts'
import { fakeClock } from '../support/clock.ts'
import { assertProperty } from '../support/seed.ts'
import { itInFull } from '../support/size.ts'

const key = 'fox/a.png'
const never = new AbortController().signal
const freshMs = 60_000

interface Act {
  readonly act: 'head' | 'read'
  readonly name: string
  readonly signal: AbortSignal | undefined
}

/** In memory of its own. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** A store in memory that can be paused and counts its open reads. A deaf one ignores aborts, a quick one reads synchronously. */
function fakeStore({ isDeaf = false } = {}) {
  const objects = new Map<string, { bytes: Buffer; etag: string }>()
  const acts: Act[] = []
  let gate: Promise<void> | null = null
  let bodyGate: Promise<void> | null = null
  let failure: Error | null = null
  let version = 0
  const counts = { open: 0, inMemory: 0, mostInMemory: 0 }

  const put = (name: string, bytes: Buffer | number, etag = `v${++version}`) =>
    void objects.set(name, { bytes: typeof bytes === 'number' ? Buffer.alloc(bytes, name) : bytes, etag })

  const passed = async (within: Promise<void> | null, signal: AbortSignal | undefined) => {
    if (isDeaf) signal = undefined
    signal?.throwIfAborted()
    const left = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    left.catch(() => {})
    await Promise.race([within, left])
    if (failure !== null) throw failure
  }

  const headersOf = (name: string): ObjectHead | null => {
    const object = objects.get(name)
    return object ? { etag: object.etag, size: object.bytes.length, modified: 0, type: 'image/png' } : null
  }

  const store = {
    async head({ name }, signal) {
      acts.push({ act: 'head', name, signal })
      await passed(gate, signal)
      return headersOf(name)
    },
    async read({ name }, signal) {
      acts.push({ act: 'read', name, signal })
      const head = headersOf(name)
      const bytes = objects.get(name)?.bytes
      await passed(gate, signal)
      if (head === null || bytes === undefined) return null
      counts.open++
      let isOpen = true
      const discard = () => {
        if (isOpen) counts.open--
        isOpen = false
      }
      const reading: ObjectReading = {
        head,
        async whole() {
          counts.inMemory += bytes.length
          counts.mostInMemory = Math.max(counts.mostInMemory, counts.inMemory)
          try {
            await passed(bodyGate, signal)
            return ownCopy(bytes)
          } finally {
            counts.inMemory -= bytes.length
            discard()
          }
        },
        async *chunks() {
          try {
            yield bytes
          } finally {
            discard()
          }
        },
        discard,
      }
      return reading
    },
  } satisfies Pick<ObjectStore, 'head' | 'read'>

  return {
    store: store as unknown as ObjectStore,
    put,
    remove: (name: string) => objects.delete(name),
    acts,
    count: (act: Act['act']) => acts.filter((each) => each.act === act).length,
    counts,
    /** Nothing is answered before the returned call. */
    hold(where: 'answer' | 'body' = 'answer') {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (where === 'answer') gate = promise
      else bodyGate = promise
      return () => {
        if (where === 'answer') gate = null
        else bodyGate = null
        resolve()
      }
    },
    fail(error: Error | null) {
      failure = error
    },
  }
}

function stage({ maxBytes = 1_000_000, isDeaf = false } = {}) {
  const fake = fakeStore({ isDeaf })
  const clock = fakeClock()
  const gone: string[] = []
  const logged: { msg: string; err: { message: string } }[] = []
  const { log } = createLogs('debug', clock, { write: (line) => logged.push(JSON.parse(line)), flush() {} })
  const cache = createImageCache(maxBytes)
  const source = new ImageSource({
    store: fake.store,
    bucket: 'images',
    kinds: builtInKinds,
    cache,
    clock,
    log,
    freshMs,
    isHidden: () => false,
    publish() {},
  })
  source.subscribe((name, head) => void (head === null && gone.push(name)))
  const load = (name = key, signal = never) => source.find(name, null, signal)
  const cached = async (name = key, signal = never): Promise<CachedImage> => {
    const found = await load(name, signal)
    assert.ok(found instanceof CachedImage)
    return found
  }
  return {
    ...fake,
    clock,
    gone,
    logged,
    cache,
    load,
    cached,
    fresh: (name = key) => source.fresh(name),
    purge: (name = key) => source.purge(name),
    follow: (name = key) => source.follow(name, 'keep'),
  }
}

/** Discards the reads that were opened for streaming, and returns how many there were. */
function discardAll(all: readonly (CachedImage | OpenedImage | null)[]): number {
  const readings = all.flatMap((each) => (each !== null && 'reading' in each && each.reading ? [each.reading] : []))
  for (const reading of readings) reading.discard()
  return readings.length
}

/** Resolves when nothing more happens by itself. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn()
}

const away = new Unavailable('the object store')
const isFreed = ({ bytes }: CachedImage) => (bytes.buffer as ArrayBuffer).detached

describe('Single-flight', () => {
  it('reads an image once for all who ask meanwhile and afterwards', async () => {
    const { put, hold, cached, fresh, acts } = stage()
    put(key, 100)
    const release = hold()
    const requests = Array.from({ length: 100 }, () => cached())
    await settled()
    release()
    const found = await Promise.all(requests)
    assert.deepEqual(
      acts.map(({ act }) => act),
      ['read'],
    )
    assert.equal(new Set(found).size, 1)
    assert.deepEqual([fresh(), await cached()], [found[0], found[0]])
    assert.deepEqual(found[0]?.bytes, Buffer.alloc(100, key))
  })

  it('never answers one key with another', async () => {
    const { put, cached, count } = stage()
    for (const name of ['fox/a.png', 'fox/b.png']) put(name, 10)
    const [a, b] = await Promise.all([cached('fox/a.png'), cached('fox/b.png')])
    assert.deepEqual([a?.bytes, b?.bytes], [Buffer.alloc(10, 'fox/a.png'), Buffer.alloc(10, 'fox/b.png')])
    assert.equal(count('read'), 2)
  })

  it('answers null to all if the object is missing, tells subscribers once, and asks again for the next', async () => {
    const { load, hold, gone, count, cache } = stage()
    const release = hold()
    const requests = Array.from({ length: 10 }, () => load())
    release()
    assert.deepEqual(await Promise.all(requests), Array(10).fill(null))
    assert.deepEqual([gone, count('read'), cache.has(key)], [[key], 1, false])
    assert.equal(await load(), null)
    assert.equal(count('read'), 2)
  })

  it('rejects all if the store fails, and asks again for the next', async () => {
    const { put, load, cached, hold, fail, count, gone } = stage()
    put(key, 10)
    const release = hold()
    fail(away)
    const requests = Array.from({ length: 10 }, () => load())
    release()
    for (const outcome of await Promise.allSettled(requests))
      assert.ok(outcome.status === 'rejected' && outcome.reason === away)
    fail(null)
    await cached()
    assert.deepEqual([count('read'), gone], [2, []])
  })

  it('keeps the read going for the others when one client leaves', async () => {
    const { put, load, cached, hold, acts } = stage()
    put(key, 10)
    const release = hold()
    const leaving = new AbortController()
    const left = load(key, leaving.signal)
    const stays = cached()
    leaving.abort()
    await assert.rejects(left, { name: 'AbortError' })
    assert.equal(acts[0]?.signal?.aborted, false)
    release()
    await stays
    assert.equal(acts.length, 1)
  })

  it('aborts the read when the last client leaves', async () => {
    for (const where of ['answer', 'body'] as const) {
      const { put, load, hold, acts, counts, cache } = stage()
      put(key, 10)
      hold(where)
      const leaving = [new AbortController(), new AbortController()]
      const left = leaving.map(({ signal }) => assert.rejects(load(key, signal), { name: 'AbortError' }))
      await settled()
      leaving[0]?.abort()
      await settled()
      assert.equal(acts[0]?.signal?.aborted, false)
      leaving[1]?.abort()
      await Promise.all(left)
      assert.equal(acts[0]?.signal?.aborted, true)
      await settled()
      assert.deepEqual([cache.has(key), counts.open], [false, 0])
    }
  })

  it('closes what a store opens after the last client has left', async () => {
    const { put, load, hold, counts } = stage({ isDeaf: true })
    put(key, maxCachedBytes + 1)
    const release = hold()
    const leaving = new AbortController()
    const left = load(key, leaving.signal)
    leaving.abort()
    await assert.rejects(left)
    release()
    await settled()
    assert.equal(counts.open, 0)
  })

  it('leaves nothing running for a client that left before it asked', async () => {
    const { put, load, acts, counts } = stage()
    put(key, 10)
    await assert.rejects(load(key, AbortSignal.abort()), { name: 'AbortError' })
    await settled()
    for (const { signal } of acts) assert.equal(signal?.aborted, true)
    assert.equal(counts.open, 0)
  })

  it('starts a new read for the next client once all have left', async () => {
    const { put, load, cached, hold, count } = stage()
    put(key, 10)
    const release = hold()
    const leaving = new AbortController()
    const left = load(key, leaving.signal)
    leaving.abort()
    await assert.rejects(left)
    const next = cached()
    release()
    await next
    assert.equal(count('read'), 2)
  })
})

describe('An object', () => {
  it('without bytes is no image, but is not reported as gone', async () => {
    const { put, load, gone, counts } = stage()
    put(key, 0)
    assert.equal(await load(), null)
    assert.deepEqual([gone, counts.open], [[], 0])
  })

  it('with an ETag that no header can carry is refused and closed', async () => {
    const { put, load, cache, counts } = stage()
    put(key, Buffer.from('x'), 'a"\r\nb')
    await assert.rejects(load(), /no header can carry/)
    assert.deepEqual([cache.has(key), counts.open], [false, 0])
  })
})

describe('A cached image', () => {
  it('is fresh for its time, and then revalidated by its ETag', async () => {
    const { put, cached, clock, fresh, cache, count } = stage()
    put(key, 100)
    const first = await cached()
    clock.advance(freshMs - 1)
    assert.equal(fresh(), first)
    clock.advance(1)
    assert.deepEqual([fresh(), cache.has(key)], [null, true])
    assert.equal(await cached(), first)
    assert.deepEqual([count('head'), count('read')], [1, 1])
    clock.advance(freshMs - 1)
    assert.equal(fresh(), first)
  })

  it('is read again once the store has another version', async () => {
    const { put, cached, clock, count, fresh } = stage()
    put(key, Buffer.from('old'))
    await cached()
    clock.advance(freshMs)
    put(key, Buffer.from('new'))
    const found = await cached()
    assert.deepEqual([String(found.bytes), count('head'), count('read')], ['new', 1, 2])
    assert.equal(fresh(), found)
  })

  it('is dropped once the store has none, and subscribers are told', async () => {
    const { put, cached, load, clock, remove, gone, cache } = stage()
    put(key, 10)
    await cached()
    clock.advance(freshMs)
    remove(key)
    assert.equal(await load(), null)
    assert.deepEqual([gone, cache.has(key)], [[key], false])
  })

  it('is also dropped if others are written meanwhile, but not if it was written itself', async () => {
    for (const [written, told] of [
      ['fox/b.png', [key]],
      [key, []],
    ] as const) {
      const { load, hold, follow, put, gone } = stage()
      put('fox/b.png', 10)
      const release = hold()
      const found = load()
      await settled()
      const followed = follow(written)
      if (written === key) put(key, 10)
      release()
      assert.equal(await found, null)
      await followed
      assert.deepEqual(gone, told, written)
    }
  })

  it('is served at any age while the store is away, which is asked again after a second', async () => {
    const { put, cached, clock, fail, fresh, count, logged } = stage()
    put(key, 100)
    const first = await cached()
    fail(away)
    for (let hours = 1; hours <= 3; hours++) {
      clock.advance(3_600_000)
      assert.equal(await cached(), first)
      assert.deepEqual([count('head'), logged.length], [hours, hours])
      clock.advance(999)
      assert.equal(fresh(), first)
      clock.advance(1)
      assert.equal(fresh(), null)
    }
    assert.ok(logged.every(({ err }) => err.message === away.message))
    fail(null)
    put(key, Buffer.from('new'))
    assert.equal(String((await cached()).bytes), 'new')
  })

  it('is not served in place of a newer version that cannot be cached', async () => {
    for (const size of [0, maxCachedBytes + 1]) {
      const { put, cached, load, clock, fail, cache } = stage()
      put(key, 100)
      await cached()
      clock.advance(freshMs)
      put(key, size)
      discardAll([await load()])
      assert.equal(cache.has(key), false, String(size))
      fail(away)
      await assert.rejects(load())
    }
  })
})

describe('A purge', () => {
  it('drops the cached image', async () => {
    const { put, cached, purge, fresh, cache, count } = stage()
    put(key, Buffer.from('old'))
    await cached()
    put(key, Buffer.from('new'))
    purge()
    assert.deepEqual([fresh(), cache.has(key)], [null, false])
    assert.equal(String((await cached()).bytes), 'new')
    assert.equal(count('head'), 0)
  })

  it('during a read keeps the old bytes out of the cache, and the next client waits for the new ones', async () => {
    for (const where of ['answer', 'body'] as const) {
      const { put, cached, purge, fresh, hold } = stage()
      put(key, Buffer.from('old'))
      const release = hold(where)
      const before = cached()
      await settled()
      put(key, Buffer.from('new'))
      purge()
      const after = cached()
      release()
      assert.deepEqual([String((await before).bytes), String((await after).bytes)], ['old', 'new'])
      assert.equal(String(fresh()?.bytes), 'new')
    }
  })

  it('during a read that ends after a newer one does not bring the old bytes back', async () => {
    const { put, cached, purge, fresh, hold } = stage()
    put(key, Buffer.from('old'))
    const release = hold('body')
    const before = cached()
    await settled()
    put(key, Buffer.from('new'))
    purge()
    const releaseNew = hold('body')
    const after = cached()
    await settled()
    releaseNew()
    assert.equal(String((await after).bytes), 'new')
    release()
    assert.equal(String((await before).bytes), 'old')
    assert.equal(String(fresh()?.bytes), 'new')
  })

  it('during a revalidation that finds nothing changed does not keep the image', async () => {
    const { put, cached, purge, cache, clock, hold } = stage()
    put(key, Buffer.from('old'))
    await cached()
    clock.advance(freshMs)
    const release = hold()
    const before = cached()
    await settled()
    purge()
    release()
    await before
    assert.equal(cache.has(key), false)
  })

  it('during a read that finds nothing does not report the newer version as gone', async () => {
    const { put, load, purge, hold, gone } = stage()
    const release = hold()
    const before = load()
    await settled()
    put(key, Buffer.from('new'))
    purge()
    release()
    assert.deepEqual([await before, gone], [null, []])
  })
})

describe('The cache', () => {
  it('is used, and never exceeds its size', async () => {
    const maxBytes = 100_000
    const acts = fc.array(
      fc.record({
        name: fc.nat(30).map((index) => `fox/${index}.png`),
        size: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 90_000, max: 110_000 })),
        what: fc.constantFrom('get', 'get', 'get', 'purge', 'overwrite', 'wait'),
      }),
      { minLength: 50, maxLength: 150 },
    )
    let max = 0
    await assertProperty(
      fc.asyncProperty(acts, async (all) => {
        const { put, load, purge, fresh, cache, clock } = stage({ maxBytes })
        const names = new Set<string>()
        for (const { name, size, what } of all) {
          if (what === 'purge') purge(name)
          if (what === 'wait') clock.advance(freshMs)
          if (what === 'overwrite' || !names.has(name)) put(name, size)
          names.add(name)
          await load(name)
          const images = [...names].filter((each) => cache.has(each)).map((each) => fresh(each))
          const bytes = images.reduce((sum, each) => sum + (each?.bytes.length ?? 0), 0)
          assert.ok(bytes <= maxBytes, String(bytes))
          max = Math.max(max, bytes)
        }
      }),
    )
    assert.ok(max > maxBytes / 2, String(max))
  })

  it('evicts the least recently used image first', async () => {
    const { put, cached, fresh, cache } = stage({ maxBytes: 50_000 })
    for (const name of ['a', 'b', 'c', 'd']) put(name, 15_000)
    for (const name of ['a', 'b', 'c', 'a', 'd']) fresh(name) ?? (await cached(name))
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((name) => cache.has(name)),
      [true, false, true, true],
    )
  })

  it('holds an image of 8 MiB; a larger one is read separately for each client', async () => {
    const { put, cached, load, cache, count, counts } = stage({ maxBytes: 20_000_000 })
    put('largest', maxCachedBytes)
    await cached('largest')
    assert.equal(cache.has('largest'), true)
    put(key, maxCachedBytes + 1)
    const found = await Promise.all([load(), load(), load()])
    assert.deepEqual([new Set(found).size, count('read'), counts.open, cache.has(key)], [3, 4, 3, false])
    assert.equal(discardAll(found), 3)
    assert.equal(discardAll([await load()]), 1)
    assert.deepEqual([count('read'), counts.open], [5, 0])
  })

  it('of size 0 holds nothing; a small image is still read once for all who ask at the same time', async () => {
    const { put, cached, load, fresh, cache, count } = stage({ maxBytes: 0 })
    put(key, 100)
    const found = await Promise.all([cached(), cached(), cached()])
    assert.deepEqual([new Set(found).size, count('read'), cache.has(key), fresh()], [1, 1, false, null])
    await cached()
    assert.equal(count('read'), 2)
    put('large', maxCachedBytes / 8 + 1)
    assert.equal(discardAll([await load('large')]), 1)
  })

  itInFull('loads at most 32 MiB at a time; images beyond that are streamed', async () => {
    const { put, load, hold, counts, cache } = stage({ maxBytes: 1_000_000_000 })
    const names = Array.from({ length: 12 }, (_, index) => `fox/${index}.png`)
    for (const name of names) put(name, 6_000_000)
    const release = hold('body')
    const requests = names.map((name) => load(name))
    await settled()
    release()
    const found = await Promise.all(requests)
    assert.deepEqual([found.filter((each) => each instanceof CachedImage).length, counts.open], [5, 7])
    assert.ok(counts.mostInMemory <= 33_554_432, String(counts.mostInMemory))
    assert.equal(names.filter((name) => cache.has(name)).length, 5)
    discardAll(found)
    for (const name of names.filter((each) => !cache.has(each))) await load(name)
    assert.ok(names.every((name) => cache.has(name)))
  })

  it('can load as much again after failed reads', async () => {
    const { put, load, cached, hold, fail, counts } = stage({ maxBytes: 100_000_000 })
    const names = Array.from({ length: 5 }, (_, index) => `fox/${index}.png`)
    for (const name of names) put(name, 6_000_000)
    for (let turns = 0; turns < 3; turns++) {
      const release = hold('body')
      const requests = names.map((name) => load(name))
      await settled()
      fail(away)
      release()
      for (const each of await Promise.allSettled(requests)) assert.equal(each.status, 'rejected')
      fail(null)
    }
    assert.deepEqual([counts.open, counts.inMemory], [0, 0])
    for (const name of names) await cached(name)
  })
})

describe('The memory of an image', () => {
  it('is freed once it is evicted and its last reference released, and not before', async () => {
    const { put, cached, purge, fresh } = stage()
    put(key, 100)
    const loaded = await cached()
    fresh()?.release()
    loaded.release()
    assert.equal(isFreed(loaded), false, 'it is cached')
    const again = fresh() ?? assert.fail()
    purge()
    assert.equal(isFreed(again), false, 'it is being sent')
    again.release()
    assert.equal(isFreed(again), true)
  })

  it('is freed without a cache when all who asked at the same time have released it', async () => {
    const { put, cached } = stage({ maxBytes: 0 })
    put(key, 100)
    const all = await Promise.all([cached(), cached(), cached()])
    for (const each of all) {
      assert.equal(isFreed(each), false)
      each.release()
    }
    await settled()
    assert.ok(all.every(isFreed))
  })

  it('is freed when all clients left before it arrived', async () => {
    const { put, load, hold, store } = stage({ maxBytes: 0, isDeaf: true })
    put(key, 100)
    let whole: Buffer | null = null
    const { read } = store
    store.read = async (...args) => {
      const reading = await read(...args)
      return reading && { ...reading, whole: async () => (whole = await reading.whole()) }
    }
    const release = hold('body')
    const leaving = new AbortController()
    const loading = load(key, leaving.signal)
    await settled()
    leaving.abort(new Error('left'))
    await assert.rejects(loading)
    release()
    await settled()
    assert.equal((whole as Buffer | null)?.buffer.byteLength, 0)
  })

  it('is kept while it is being sent, even if a newer version replaces it', async () => {
    const { put, cached, cache, clock } = stage()
    put(key, 100)
    const old = await cached()
    clock.advance(freshMs)
    put(key, 50)
    const young = await cached()
    assert.deepEqual([isFreed(old), young.bytes.length], [false, 50])
    old.release()
    young.release()
    await settled()
    assert.deepEqual([isFreed(old), isFreed(young), cache.has(key)], [true, false, true])
  })
})
