import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { createImageCache, type HeldImage, mostHeldBytes } from '../../src/images/image-cache.ts'
import type { ObjectHead, ObjectReading, ObjectStore } from '../../src/images/object-store.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { fakeClock } from '../support/clock.ts'
import { assertProperty } from '../support/seed.ts'

const key = 'fox/a.png'
const never = new AbortController().signal
const freshMs = 60_000

interface Act {
  readonly act: 'head' | 'read' | 'readNow'
  readonly name: string
  readonly signal: AbortSignal | undefined
}

/** In memory of its own. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** A store in memory that answers when it is let, and counts what it has open. A deaf one goes on after an abort, a quick one has all without waiting. */
function fakeStore({ isDeaf = false, isQuick = false } = {}) {
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
    readNow: ({ name }, mostBytes) => {
      const head = headersOf(name)
      const bytes = objects.get(name)?.bytes
      if (!isQuick || head === null || bytes === undefined || bytes.length > mostBytes) return null
      acts.push({ act: 'readNow', name, signal: undefined })
      return { head, bytes: ownCopy(bytes) }
    },
  } satisfies Pick<ObjectStore, 'head' | 'read' | 'readNow'>

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

function stage({ mostBytes = 1_000_000, isDeaf = false, isQuick = false } = {}) {
  const fake = fakeStore({ isDeaf, isQuick })
  const clock = fakeClock()
  const gone: string[] = []
  const stale: unknown[] = []
  const cache = createImageCache({
    store: fake.store,
    bucket: 'images',
    clock,
    mostBytes,
    freshMs,
    onGone: (name) => gone.push(name),
    mark: () => 0,
    onStale: (_, reason) => stale.push(reason),
  })
  const load = (name = key, signal = never) => cache.load(name, signal)
  const held = async (name = key, signal = never): Promise<HeldImage> => {
    const found = await load(name, signal)
    assert.ok(found !== null && 'bytes' in found)
    return found
  }
  const reading = async (name = key): Promise<ObjectReading> => {
    const found = await load(name)
    assert.ok(found !== null && !('bytes' in found))
    return found
  }
  return { ...fake, clock, gone, stale, cache, load, held, reading }
}

/** Until everything that can go on by itself has done so. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await turn()
}

const away = new Unavailable('the object store')

describe('An image that is asked for', () => {
  it('is read once, whoever else asks for it meanwhile and afterwards', async () => {
    const { put, hold, held, cache, acts } = stage()
    put(key, 100)
    const letGo = hold()
    const asked = Array.from({ length: 100 }, () => held())
    await settled()
    letGo()
    const found = await Promise.all(asked)
    assert.deepEqual(
      acts.map(({ act }) => act),
      ['read'],
    )
    assert.equal(new Set(found).size, 1)
    assert.equal(cache.fresh(key), found[0])
    assert.equal(await held(), found[0])
    assert.deepEqual(found[0]?.bytes, Buffer.alloc(100, key))
  })

  it('is not read for another one', async () => {
    const { put, held, count } = stage()
    put('fox/a.png', 10)
    put('fox/b.png', 10)
    const [a, b] = await Promise.all([held('fox/a.png'), held('fox/b.png')])
    assert.deepEqual([a?.bytes, b?.bytes], [Buffer.alloc(10, 'fox/a.png'), Buffer.alloc(10, 'fox/b.png')])
    assert.equal(count('read'), 2)
  })

  it('and is not there is null to each, is told once, and is asked for anew', async () => {
    const { load, hold, gone, count, cache } = stage()
    const letGo = hold()
    const asked = Array.from({ length: 10 }, () => load())
    letGo()
    assert.deepEqual(await Promise.all(asked), Array(10).fill(null))
    assert.deepEqual([gone, count('read'), cache.has(key)], [[key], 1, false])
    assert.equal(await load(), null)
    assert.equal(count('read'), 2)
  })

  it('and cannot be had fails for each, and not for the next', async () => {
    const { put, load, held, hold, fail, count, gone } = stage()
    put(key, 10)
    const letGo = hold()
    fail(away)
    const asked = Array.from({ length: 10 }, () => load())
    letGo()
    for (const outcome of await Promise.allSettled(asked))
      assert.ok(outcome.status === 'rejected' && outcome.reason === away)
    fail(null)
    await held()
    assert.deepEqual([count('read'), gone], [2, []])
  })

  it('and has no byte is none, though not gone', async () => {
    const { put, load, gone, counts } = stage()
    put(key, 0)
    assert.equal(await load(), null)
    assert.deepEqual([gone, counts.open], [[], 0])
  })

  it('and has a tag that no header can carry is let go of', async () => {
    const { put, load, cache, counts } = stage()
    put(key, Buffer.from('x'), 'a"\r\nb')
    await assert.rejects(load(), /no header can carry/)
    assert.deepEqual([cache.has(key), counts.open], [false, 0])
  })
})

describe('An image that is held', () => {
  it('is fresh for its time, and then asked about by its tag', async () => {
    const { put, held, clock, cache, count } = stage()
    put(key, 100)
    const first = await held()
    clock.advance(freshMs - 1)
    assert.equal(cache.fresh(key), first)
    clock.advance(1)
    assert.deepEqual([cache.fresh(key), cache.has(key)], [null, true])
    assert.equal(await held(), first)
    assert.deepEqual([count('head'), count('read')], [1, 1])
    clock.advance(freshMs - 1)
    assert.equal(cache.fresh(key), first)
  })

  it('and is another one by now is read again', async () => {
    const { put, held, clock, count, cache } = stage()
    put(key, Buffer.from('old'))
    await held()
    clock.advance(freshMs)
    put(key, Buffer.from('new'))
    const found = await held()
    assert.deepEqual([String(found.bytes), count('head'), count('read')], ['new', 1, 2])
    assert.equal(cache.fresh(key), found)
  })

  it('and is gone by now is dropped, and told', async () => {
    const { put, held, load, clock, remove, gone, cache } = stage()
    put(key, 10)
    await held()
    clock.advance(freshMs)
    remove(key)
    assert.equal(await load(), null)
    assert.deepEqual([gone, cache.has(key)], [[key], false])
  })

  it('is served however old while the store is away, and asked about again after a second', async () => {
    const { put, held, clock, fail, cache, count, stale } = stage()
    put(key, 100)
    const first = await held()
    fail(away)
    for (let hours = 1; hours <= 3; hours++) {
      clock.advance(3_600_000)
      assert.equal(await held(), first)
      assert.deepEqual([count('head'), stale.length], [hours, hours])
      clock.advance(999)
      assert.equal(cache.fresh(key), first)
      clock.advance(1)
      assert.equal(cache.fresh(key), null)
    }
    assert.deepEqual(new Set(stale), new Set([away]))
    fail(null)
    put(key, Buffer.from('new'))
    assert.equal(String((await held()).bytes), 'new')
  })

  it('is not served in the place of a newer one that cannot be held', async () => {
    for (const size of [0, mostHeldBytes + 1]) {
      const { put, held, load, clock, fail, cache } = stage()
      put(key, 100)
      await held()
      clock.advance(freshMs)
      put(key, size)
      const found = await load()
      if (found !== null && 'discard' in found) found.discard()
      assert.equal(cache.has(key), false, String(size))
      fail(away)
      await assert.rejects(load())
    }
  })
})

describe('A purge', () => {
  it('drops what is held', async () => {
    const { put, held, cache, count } = stage()
    put(key, Buffer.from('old'))
    await held()
    put(key, Buffer.from('new'))
    cache.purge(key)
    assert.deepEqual([cache.fresh(key), cache.has(key)], [null, false])
    assert.equal(String((await held()).bytes), 'new')
    assert.equal(count('head'), 0)
  })

  it('during a read keeps the old bytes from being held, and whoever asks then waits for the new ones', async () => {
    for (const where of ['answer', 'body'] as const) {
      const { put, held, cache, hold } = stage()
      put(key, Buffer.from('old'))
      const letGo = hold(where)
      const before = held()
      await settled()
      put(key, Buffer.from('new'))
      cache.purge(key)
      const after = held()
      letGo()
      assert.deepEqual([String((await before).bytes), String((await after).bytes)], ['old', 'new'])
      assert.equal(String(cache.fresh(key)?.bytes), 'new')
    }
  })

  it('during a read that ends after the newer one does not bring the old bytes back', async () => {
    const { put, held, cache, hold } = stage()
    put(key, Buffer.from('old'))
    const letGo = hold('body')
    const before = held()
    await settled()
    put(key, Buffer.from('new'))
    cache.purge(key)
    const letGoNew = hold('body')
    const after = held()
    await settled()
    letGoNew()
    assert.equal(String((await after).bytes), 'new')
    letGo()
    assert.equal(String((await before).bytes), 'old')
    assert.equal(String(cache.fresh(key)?.bytes), 'new')
  })

  it('during a look that says "as it was" does not keep it', async () => {
    const { put, held, cache, clock, hold } = stage()
    put(key, Buffer.from('old'))
    await held()
    clock.advance(freshMs)
    const letGo = hold()
    const before = held()
    await settled()
    cache.purge(key)
    letGo()
    await before
    assert.equal(cache.has(key), false)
  })

  it('during a read that finds nothing does not say that the newer one is gone', async () => {
    const { put, load, cache, hold, gone } = stage()
    const letGo = hold()
    const before = load()
    await settled()
    put(key, Buffer.from('new'))
    cache.purge(key)
    letGo()
    assert.deepEqual([await before, gone], [null, []])
  })
})

describe('Whoever leaves', () => {
  it('leaves the others their read', async () => {
    const { put, load, held, hold, acts } = stage()
    put(key, 10)
    const letGo = hold()
    const leaving = new AbortController()
    const left = load(key, leaving.signal)
    const stays = held()
    leaving.abort()
    await assert.rejects(left, { name: 'AbortError' })
    assert.equal(acts[0]?.signal?.aborted, false)
    letGo()
    await stays
    assert.equal(acts.length, 1)
  })

  it('last ends the read', async () => {
    for (const where of ['answer', 'body'] as const) {
      const { put, load, hold, acts, counts, cache } = stage()
      put(key, 10)
      hold(where)
      const leaving = [new AbortController(), new AbortController()]
      const left = leaving.map(({ signal }) => load(key, signal))
      for (const each of left) each.catch(() => {})
      await settled()
      leaving[0]?.abort()
      await settled()
      assert.equal(acts[0]?.signal?.aborted, false)
      leaving[1]?.abort()
      for (const each of left) await assert.rejects(each, { name: 'AbortError' })
      assert.equal(acts[0]?.signal?.aborted, true)
      await settled()
      assert.deepEqual([cache.has(key), counts.open], [false, 0])
    }
  })

  it('has what still comes let go of', async () => {
    const { put, load, hold, counts } = stage({ isDeaf: true })
    put(key, mostHeldBytes + 1)
    const letGo = hold()
    const leaving = new AbortController()
    const left = load(key, leaving.signal)
    leaving.abort()
    await assert.rejects(left)
    letGo()
    await settled()
    assert.equal(counts.open, 0)
  })

  it('before it begins leaves nothing that goes on', async () => {
    const { put, load, acts, counts } = stage()
    put(key, 10)
    await assert.rejects(load(key, AbortSignal.abort()), { name: 'AbortError' })
    await settled()
    for (const { signal } of acts) assert.equal(signal?.aborted, true)
    assert.equal(counts.open, 0)
  })

  it('has the next one begin anew', async () => {
    const { put, load, held, hold, count } = stage()
    put(key, 10)
    const letGo = hold()
    const leaving = new AbortController()
    const left = load(key, leaving.signal)
    leaving.abort()
    await assert.rejects(left)
    const next = held()
    letGo()
    await next
    assert.equal(count('read'), 2)
  })
})

describe('The memory for images', () => {
  it('is never exceeded, whatever comes, and is used', async () => {
    const mostBytes = 100_000
    const acts = fc.array(
      fc.record({
        name: fc.nat(30).map((index) => `fox/${index}.png`),
        size: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 90_000, max: 110_000 })),
        what: fc.constantFrom('get', 'get', 'get', 'purge', 'overwrite', 'wait'),
      }),
      { minLength: 50, maxLength: 150 },
    )
    let most = 0
    await assertProperty(
      fc.asyncProperty(acts, async (all) => {
        const { put, load, cache, clock, remove } = stage({ mostBytes })
        const sizes = new Map<string, number>()
        for (const { name, size, what } of all) {
          if (what === 'purge') cache.purge(name)
          if (what === 'wait') clock.advance(freshMs)
          if (what === 'overwrite' || !sizes.has(name)) {
            put(name, size)
            sizes.set(name, size)
          }
          await load(name)
          const held = [...sizes.keys()].filter((each) => cache.has(each)).map((each) => cache.fresh(each))
          const bytes = held.reduce((sum, each) => sum + (each?.bytes.length ?? 0), 0)
          assert.ok(bytes <= mostBytes, String(bytes))
          most = Math.max(most, bytes)
        }
        for (const name of sizes.keys()) remove(name)
      }),
    )
    assert.ok(most > mostBytes / 2, String(most))
  })

  it('loses what was asked for longest ago', async () => {
    const { put, held, cache } = stage({ mostBytes: 50_000 })
    for (const name of ['a', 'b', 'c', 'd']) put(name, 15_000)
    for (const name of ['a', 'b', 'c', 'a', 'd']) cache.fresh(name) ?? (await held(name))
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((name) => cache.has(name)),
      [true, false, true, true],
    )
  })

  it('holds an image of 8 MiB and none of a byte more, which each who asks reads for himself', async () => {
    const { put, held, load, reading, cache, count, counts } = stage({ mostBytes: 20_000_000 })
    put('largest', mostHeldBytes)
    await held('largest')
    assert.equal(cache.has('largest'), true)
    put(key, mostHeldBytes + 1)
    const found = await Promise.all([load(), load(), load()])
    assert.deepEqual([new Set(found).size, count('read'), counts.open, cache.has(key)], [3, 4, 3, false])
    for (const each of found) if (each !== null && 'discard' in each) each.discard()
    const again = await reading()
    again.discard()
    assert.deepEqual([count('read'), counts.open], [5, 0])
  })

  it('of none holds nothing, and what is small is still read once for all who ask at a time', async () => {
    const { put, held, reading, cache, count } = stage({ mostBytes: 0 })
    put(key, 100)
    const found = await Promise.all([held(), held(), held()])
    assert.deepEqual([new Set(found).size, count('read'), cache.has(key), cache.fresh(key)], [1, 1, false, null])
    await held()
    assert.equal(count('read'), 2)
    put('large', mostHeldBytes / 8 + 1)
    const large = await reading('large')
    large.discard()
  })

  it('is not filled with more than 32 MiB at a time: what is beyond is passed on', async () => {
    const { put, load, hold, counts, cache } = stage({ mostBytes: 1_000_000_000 })
    const names = Array.from({ length: 12 }, (_, index) => `fox/${index}.png`)
    for (const name of names) put(name, 6_000_000)
    const letGo = hold('body')
    const asked = names.map((name) => load(name))
    await settled()
    letGo()
    const found = await Promise.all(asked)
    assert.deepEqual([found.filter((each) => each !== null && 'bytes' in each).length, counts.open], [5, 7])
    assert.ok(counts.mostInMemory <= 33_554_432, String(counts.mostInMemory))
    assert.equal(names.filter((name) => cache.has(name)).length, 5)
    for (const each of found) if (each !== null && 'discard' in each) each.discard()
    const rest = names.filter((name) => !cache.has(name))
    for (const name of rest) await load(name)
    assert.ok(names.every((name) => cache.has(name)))
  })

  it('that a failed read was to fill is free again', async () => {
    const { put, load, held, hold, fail, counts } = stage({ mostBytes: 100_000_000 })
    const names = Array.from({ length: 5 }, (_, index) => `fox/${index}.png`)
    for (const name of names) put(name, 6_000_000)
    for (let turns = 0; turns < 3; turns++) {
      const letGo = hold('body')
      const asked = names.map((name) => load(name))
      await settled()
      fail(away)
      letGo()
      for (const each of await Promise.allSettled(asked)) assert.equal(each.status, 'rejected')
      fail(null)
    }
    assert.deepEqual([counts.open, counts.inMemory], [0, 0])
    for (const name of names) await held(name)
  })
})

describe('What the store has without waiting', () => {
  it('is served and held like any other', () => {
    const { put, cache, acts } = stage({ isQuick: true })
    put(key, 100)
    const found = cache.now(key)
    assert.deepEqual(found?.bytes, Buffer.alloc(100, key))
    assert.deepEqual([cache.fresh(key), cache.now(key), acts.length], [found, null, 1])
  })

  it('is not asked for while it is being read', async () => {
    const { put, cache, hold, load, count } = stage({ isQuick: true })
    put(key, 100)
    const release = hold()
    const loading = load()
    assert.equal(cache.now(key), null)
    release()
    await loading
    assert.equal(count('readNow'), 0)
  })

  it('is left to be read where it is large, has no byte, a wrong tag, or is not there', () => {
    const { put, cache } = stage({ isQuick: true, mostBytes: 100_000_000 })
    put('fox/large', mostHeldBytes / 8 + 1)
    put('fox/empty', 0)
    put('fox/tag', 10, 'a "b"')
    for (const name of ['fox/large', 'fox/empty', 'fox/tag', 'fox/none']) assert.equal(cache.now(name), null, name)
  })
})

describe('The memory of an image', () => {
  const isGivenBack = ({ bytes }: HeldImage) => (bytes.buffer as ArrayBuffer).detached

  it('is given back when it is dropped and the last who got it lets go, and not before', async () => {
    const { put, held, cache } = stage()
    put(key, 100)
    const loaded = await held()
    const fresh = cache.fresh(key) as HeldImage
    loaded.letGo()
    fresh.letGo()
    assert.equal(isGivenBack(loaded), false, 'it is held')
    const again = cache.fresh(key) as HeldImage
    cache.purge(key)
    assert.equal(isGivenBack(again), false, 'somebody sends it')
    again.letGo()
    assert.equal(isGivenBack(again), true)
  })

  it('is given back where nothing is held, when all who asked at a time let go', async () => {
    for (const isQuick of [false, true]) {
      const { put, held, cache } = stage({ mostBytes: 0, isQuick })
      put(key, 100)
      const all = isQuick ? [cache.now(key) as HeldImage] : await Promise.all([held(), held(), held()])
      for (const each of all) {
        assert.equal(isGivenBack(each), false)
        each.letGo()
      }
      await settled()
      assert.ok(all.every(isGivenBack))
    }
  })

  it('is given back when whoever asked for it has left before it came', async () => {
    const { put, cache, hold, store } = stage({ mostBytes: 0, isDeaf: true })
    put(key, 100)
    let whole: Buffer | null = null
    const { read } = store
    store.read = async (...asked) => {
      const reading = await read(...asked)
      return reading && { ...reading, whole: async () => (whole = await reading.whole()) }
    }
    const release = hold('body')
    const leaving = new AbortController()
    const loading = cache.load(key, leaving.signal)
    await settled()
    leaving.abort(new Error('left'))
    await assert.rejects(loading)
    release()
    await settled()
    assert.equal((whole as Buffer | null)?.buffer.byteLength, 0)
  })

  it('is kept for who sends it while it is looked at anew, and is another one by then', async () => {
    const { put, held, cache, clock } = stage()
    put(key, 100)
    const old = await held()
    clock.advance(freshMs)
    put(key, 50)
    const young = await held()
    assert.deepEqual([isGivenBack(old), young.bytes.length], [false, 50])
    old.letGo()
    young.letGo()
    await settled()
    assert.deepEqual([isGivenBack(old), isGivenBack(young), cache.has(key)], [true, false, true])
  })
})
