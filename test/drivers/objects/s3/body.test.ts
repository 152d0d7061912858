import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Fault } from '../../../support/scripted-s3.ts'
import { sized, someOf } from '../../../support/size.ts'
import { turns } from '../../../support/until.ts'
import {
  bucket,
  inChunks,
  isNonsense,
  isUnavailable,
  listening,
  opened,
  openStore,
  outcomeOf,
  place,
  shortTimes,
  small,
  stage as stageWith,
  until,
  whole,
} from './s3-stage.ts'

const broken: readonly [string, Fault][] = [
  ['ends too early', { kind: 'truncate', after: 100_000, how: 'end' }],
  ['is reset', { kind: 'truncate', after: 100_000, how: 'reset' }],
  ['ends before its first byte', { kind: 'truncate', after: 0, how: 'end' }],
]

for (const bytes of someOf(1, [small, Buffer.alloc(900_000, 'fox'), Buffer.alloc(3_000_000, 'fox')]))
  describe(`A body of ${bytes.length} bytes`, () => {
    const stage = (more = {}) => stageWith(more, bytes)

    it('that exceeds its length within the same packet is refused', async () => {
      const head =
        'HTTP/1.1 200 OK\r\nETag: "a"\r\nLast-Modified: Sat, 21 Nov 2026 12:00:00 GMT\r\nContent-Length: 100\r\n\r\n'
      const answers = [head + 'x'.repeat(100), head + 'x'.repeat(101)]
      const port = await listening((socket) => void socket.once('data', () => socket.write(answers.shift() ?? '')))
      const { store } = await openStore(`http://127.0.0.1:${port}`)
      assert.equal((await whole(store)).length, 100)
      const other = await openStore(`http://127.0.0.1:${port}`)
      await assert.rejects(whole(other.store), isNonsense)
    })

    for (const [what, fault, missing] of [
      ['is longer than it said', { kind: 'too-long', extra: 10 }, 0],
      ['says that it is shorter than it is', { kind: 'too-short-length', by: 5 }, 5],
    ] as const)
      it(`that ${what} is refused, or cut to its stated length if the rest comes too late to be seen`, async () => {
        const { s3, store } = await stage()
        s3.always(fault)
        for (const take of [whole, inChunks]) {
          const taken = await take(store).catch((error: unknown) => error)
          if (taken instanceof Buffer) assert.ok(taken.equals(bytes.subarray(0, bytes.length - missing)))
          else assert.ok(isNonsense(taken), String(taken))
        }
        await until(() => s3.openSockets === 0)
      })

    for (const [what, fault] of broken) {
      it(`that ${what} is never taken for a whole one`, async () => {
        const { s3, store } = await stage()
        s3.always(fault)
        await assert.rejects(whole(store), isNonsense)
        await assert.rejects(inChunks(store), isNonsense)
        await until(() => s3.openSockets === 0)
        s3.heal()
        assert.ok((await whole(store)).equals(bytes))
      })
    }

    it('without a length is refused', async () => {
      const { s3, store } = await stage()
      s3.always({ kind: 'no-length' })
      await assert.rejects(store.read(place), isNonsense)
      await until(() => s3.openSockets === 0)
    })

    for (const after of [0, 100_000]) {
      it(`that stalls after ${after} bytes is abandoned, and its socket freed`, async () => {
        const { s3, store } = await stage({ times: shortTimes })
        s3.always({ kind: 'stall', after })
        for (const outcome of await Promise.all([whole, inChunks].map((take) => outcomeOf(take(store)))))
          assert.ok(isUnavailable(outcome), String(outcome))
        await until(() => s3.openSockets === 0)
      })
    }

    it('that is slow but never stalls is read to its end', async () => {
      const length = sized(600, 2_000)
      const { s3, store } = await stage()
      s3.put(bucket, place.name, bytes.subarray(0, length))
      s3.always({ kind: 'slow', bytesPerSecond: 2_000 })
      assert.equal((await whole(store)).length, length)
    })

    it('that is consumed slowly is not read ahead', async () => {
      const { s3 } = await stage()
      const { store } = await openStore(s3.endpoint, { times: {} })
      s3.put(bucket, place.name, Buffer.alloc(40_000_000))
      const reading = await opened(store)
      const before = process.memoryUsage().arrayBuffers
      let taken = 0
      for await (const piece of reading.chunks()) {
        if (taken === 0) await turns(2_000)
        taken += piece.length
        if (taken > 1_000_000) break
      }
      // The store is in this process, with its copy of what is under way.
      assert.ok(process.memoryUsage().arrayBuffers - before < 10_000_000)
      await until(() => s3.openSockets === 0)
    })

    it('that many readers leave unread holds only a few chunks in memory for each', async () => {
      const { s3 } = await stage()
      // Timeouts do not matter here, and a busy machine is slow.
      const { store } = await openStore(s3.endpoint, { times: {} })
      const before = process.memoryUsage().arrayBuffers
      const readings = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const pieces = (await opened(store)).chunks()[Symbol.asyncIterator]()
          await pieces.next()
          return pieces
        }),
      )
      // The store is in this process, with its copy of what is under way.
      assert.ok(process.memoryUsage().arrayBuffers - before < 40 * 2 * 131_072 + bytes.length)
      for (const pieces of readings) await pieces.return?.()
    })

    it('that nobody consumes frees its socket', async () => {
      const { s3, store } = await stage({ times: { idleMs: shortTimes.idleMs } })
      const reading = await opened(store)
      await until(() => s3.openSockets === 0)
      await assert.rejects(reading.whole())
    })

    it('is closed at once when discarded, when its loop is left, and by the signal', async () => {
      const { s3, store } = await stage()
      s3.always({ kind: 'stall', after: 1_000 })
      const long = await openStore(s3.endpoint, { times: {} })
      ;(await opened(long.store)).discard()
      await until(() => s3.openSockets === 0)
      for await (const _piece of (await opened(long.store)).chunks()) break
      await until(() => s3.openSockets === 0)
      const giveUp = new AbortController()
      const taken = (await opened(long.store, giveUp.signal)).whole()
      giveUp.abort(new Error('The visitor left'))
      await assert.rejects(taken, /The visitor left/)
      await until(() => s3.openSockets === 0)
      s3.heal()
      assert.ok((await whole(store)).equals(bytes))
    })
  })
