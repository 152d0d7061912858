import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { createSemaphore } from '../../src/lib/semaphore.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('A semaphore', () => {
  it('issues its permits at once and no more, in order of arrival', async () => {
    const semaphore = createSemaphore({ max: 2 })
    const order: number[] = []
    const take = async (n: number) => {
      const waiting = semaphore.acquire()
      if (waiting) await waiting
      order.push(n)
    }
    const all = Promise.all([1, 2, 3, 4].map(take))
    assert.deepEqual(order, [1, 2])
    assert.deepEqual([semaphore.running, semaphore.waiting], [2, 2])
    semaphore.release()
    await settled()
    assert.deepEqual(order, [1, 2, 3])
    semaphore.release()
    await all
    assert.deepEqual(order, [1, 2, 3, 4])
    for (let n = 0; n < 2; n++) semaphore.release()
    assert.deepEqual([semaphore.running, semaphore.waiting], [0, 0])
  })

  it('rejects at once if the queue is full', async () => {
    const semaphore = createSemaphore({ max: 1, maxWaiting: 1, onFull: () => new Error('full') })
    await semaphore.acquire()
    const waiting = semaphore.acquire()
    assert.throws(() => semaphore.acquire(), /^Error: full$/)
    semaphore.release()
    await waiting
  })

  it('rejects all whose timeout has passed at that time, not one after another', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const semaphore = createSemaphore({ max: 1, onTimeout: () => new Error('late') })
    await semaphore.acquire()
    const waiting = Array.from({ length: 8 }, () => semaphore.acquire({ timeoutMs: 5_000 }))
    t.mock.timers.tick(5_000)
    for (const one of waiting) await assert.rejects(async () => one, /^Error: late$/)
    semaphore.release()
    await semaphore.acquire({ timeoutMs: 5_000 })
    t.mock.timers.tick(5_000)
    assert.equal(semaphore.running, 1)
  })

  it('gives the place of an aborted waiter to the next, and keeps no listener', async () => {
    const semaphore = createSemaphore({ max: 1 })
    const { signal } = new AbortController()
    const gone = new AbortController()
    await semaphore.acquire({ signal })
    const left = semaphore.acquire({ signal: gone.signal })
    const next = semaphore.acquire({ signal })
    gone.abort(new Error('gone'))
    await assert.rejects(async () => left, /^Error: gone$/)
    assert.throws(() => semaphore.acquire({ signal: gone.signal }), /^Error: gone$/)
    semaphore.release()
    await next
    for (const each of [signal, gone.signal]) assert.deepEqual(getEventListeners(each, 'abort'), [])
    assert.deepEqual([semaphore.running, semaphore.waiting], [1, 0])
  })

  it('rejects everyone in the queue when told to, and nobody with a permit', async () => {
    const semaphore = createSemaphore({ max: 1 })
    await semaphore.acquire()
    const waiting = [semaphore.acquire(), semaphore.acquire()]
    semaphore.rejectWaiting(new Error('closed'))
    for (const one of waiting) await assert.rejects(async () => one, /^Error: closed$/)
    assert.deepEqual([semaphore.running, semaphore.waiting], [1, 0])
  })

  it('gives those that wait a permit in turn, however many one waits for', async () => {
    const semaphore = createSemaphore({ max: 1 })
    await semaphore.acquire({ of: 'a' })
    const order: string[] = []
    const take = async (name: string) => {
      await semaphore.acquire({ of: name.slice(0, 1) })
      order.push(name)
    }
    const all = Promise.all(['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'b2'].map(take))
    for (let n = 0; n < 7; n++) {
      semaphore.release()
      await settled()
    }
    await all
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
    assert.deepEqual([semaphore.running, semaphore.waiting], [1, 0])
  })

  it('has a place in a full queue for whoever waits for less, in place of the last of whoever waits for most', async () => {
    const semaphore = createSemaphore({ max: 1, maxWaiting: 3, onFull: () => new Error('full') })
    await semaphore.acquire()
    const outcomes: string[] = []
    const take = (name: string) => {
      const waiting = semaphore.acquire({ of: name.slice(0, 1) }) as Promise<void>
      return waiting.then(
        () => void outcomes.push(name),
        ({ message }) => void outcomes.push(`${name} ${message}`),
      )
    }
    const all = [take('a1'), take('a2'), take('a3'), take('b1')]
    assert.throws(() => semaphore.acquire({ of: 'a' }), /^Error: full$/)
    assert.throws(() => semaphore.acquire({ of: 'b' }), /^Error: full$/, 'as many as the other would have')
    assert.equal(semaphore.waiting, 3)
    for (let n = 0; n < 3; n++) {
      semaphore.release()
      await settled()
    }
    await Promise.all(all)
    assert.deepEqual(outcomes, ['a3 full', 'a1', 'b1', 'a2'])
  })

  it('lets what several wait for count for whose turn is sooner', async () => {
    const semaphore = createSemaphore({ max: 1 })
    await semaphore.acquire()
    const order: string[] = []
    const shares = new Map<string, (other: string) => void>()
    const take = async (name: string) => {
      await semaphore.acquire({ of: name.slice(0, 1), onWait: (share) => void shares.set(name, share) })
      order.push(name)
    }
    const all = Promise.all(['b1', 'a1', 'a2', 'a3'].map(take))
    const share = (name: string, other: string) => shares.get(name)?.(other)
    share('b1', 'a')
    share('a3', 'b')
    for (let n = 0; n < 4; n++) {
      semaphore.release()
      await settled()
    }
    await all
    share('a2', 'c')
    assert.deepEqual(order, ['b1', 'a1', 'a3', 'a2'])
    assert.deepEqual([semaphore.running, semaphore.waiting], [1, 0])
  })

  it('gets its permit back from work that failed', async () => {
    const semaphore = createSemaphore({ max: 1 })
    const broken = () => Promise.reject(new Error('broken'))
    for (let n = 0; n < 2; n++) await assert.rejects(semaphore.run(broken), /^Error: broken$/)
    assert.equal(await semaphore.run(async () => semaphore.running), 1)
  })
})
