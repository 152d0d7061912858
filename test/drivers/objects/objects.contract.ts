import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import type { ObjectHead, ObjectStore } from '../../../src/images/object-store.ts'
import { inPieces, md5Of, never, type ObjectStage, type Put, putInto } from '../../support/object-stores.ts'
import { isFullSize, sized } from '../../support/size.ts'

const mebibyte = 1_048_576

const oddNames = [
  'plain.png',
  'fox/with space.png',
  ...'fox/ü-日本語-🦊.png fox/e\u0301.png fox/100%.png fox/%2e%2e%2f.png fox/a+b&c=d;e,f.png'.split(' '),
  `fox/"double" 'single' \`back\`.png`,
  ...'fox/<tag>#fragment?query.png fox/... fox/.hidden fox/a..b a/b/c/d/e/f/g.png'.split(' '),
  `fox/${'a'.repeat(1020)}`,
  `fox/${'é'.repeat(510)}`,
  `${'x'.repeat(255)}/${'y'.repeat(256)}/${'z'.repeat(253)}..`,
  `${'deep/'.repeat(204)}end`,
]

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** What every object store promises of one object; run for the folder and for S3. */
export function objectStoreContract(stage: ObjectStage): void {
  describe(`the store of objects in ${stage.name}`, { skip: stage.skip }, () => {
    let place: Awaited<ReturnType<ObjectStage['make']>>
    let store: ObjectStore
    let bucket: string
    let put: Put
    before(async () => {
      place = await stage.make()
      ;({ store, bucket } = place)
      put = putInto(store, bucket)
    })

    const at = (name: string) => ({ bucket, name })
    async function read(name: string) {
      const reading = await store.read(at(name))
      assert.ok(reading, name)
      return reading
    }
    const bytesOf = async (name: string) => (await read(name)).whole()

    it('returns every byte, the type and the MD5 of uploads of known and unknown size', async () => {
      for (const size of [
        1,
        65_535,
        65_536,
        65_537,
        ...(isFullSize ? [5 * mebibyte + 1, 9 * mebibyte] : [mebibyte + 1]),
      ]) {
        const bytes = randomBytes(size)
        for (const announced of [size, null]) {
          const stored = await put('fox/sized.webp', bytes, { size: announced, type: 'image/webp' })
          assert.deepEqual([stored.md5, stored.etag], [md5Of(bytes), md5Of(bytes)], `${size} ${announced}`)
          const reading = await read('fox/sized.webp')
          const { etag, type } = reading.head
          assert.deepEqual([etag, reading.head.size, type], [stored.etag, size, 'image/webp'])
          assert.ok(bytes.equals(await reading.whole()), `${size} ${announced}`)
          assert.ok(bytes.equals(await gather((await read('fox/sized.webp')).chunks())), `${size} ${announced}`)
        }
      }
    })

    it('describes an object alike by head and by read, with its time', async () => {
      const since = Date.now()
      await put('fox/head.png', randomBytes(10))
      const head = await store.head(at('fox/head.png'))
      const reading = await read('fox/head.png')
      reading.discard()
      assert.deepEqual(reading.head, head)
      assert.ok(head && Number.isInteger(head.modified))
      // A store may keep whole seconds.
      assert.ok(head.modified >= since - 1_001 && head.modified <= Date.now() + 1_000, String(head.modified))
    })

    it('keeps all valid keys apart', async () => {
      for (const [index, name] of oddNames.entries()) await put(name, Buffer.from(`object ${index}`))
      for (const [index, name] of oddNames.entries())
        assert.equal(String(await bytesOf(name)), `object ${index}`, `${index}`)
      for (const name of oddNames) await store.remove(at(name))
      for (const name of oddNames) assert.equal(await store.head(at(name)), null)
    })

    it('shows the new object after an overwrite, with its own type', async () => {
      await put('fox/over.png', Buffer.from('old'), { type: 'image/gif' })
      await store.head(at('fox/over.png'))
      await put('fox/over.png', Buffer.from('new one'), { type: 'image/avif' })
      const reading = await read('fox/over.png')
      assert.deepEqual([reading.head.type, reading.head.size], ['image/avif', 7])
      assert.equal(String(await reading.whole()), 'new one')
    })

    it('gives a slow reader the whole old object while it is overwritten and removed', async () => {
      const old = randomBytes(sized(2, 9) * mebibyte)
      for (const act of [() => put('fox/slow.png', randomBytes(1_000)), () => store.remove(at('fox/slow.png'))]) {
        await put('fox/slow.png', old)
        const pieces: Uint8Array[] = []
        for await (const piece of (await read('fox/slow.png')).chunks()) {
          if (pieces.push(piece) === 2) await act()
        }
        assert.ok(old.equals(Buffer.concat(pieces)))
      }
      assert.equal(await store.read(at('fox/slow.png')), null)
    })

    it('reads a part of the requested version, and none of another', async () => {
      const bytes = randomBytes(200_000)
      await put('fox/part.png', bytes)
      const head = (await store.head(at('fox/part.png'))) as ObjectHead
      const part = async (first: number, last: number) => {
        const reading = await store.readRange(at('fox/part.png'), head, { first, last })
        assert.equal(reading?.head.etag, head.etag)
        return reading
      }
      for (const [first, last] of [
        [0, 0],
        [0, 199_999],
        [199_999, 199_999],
        [65_535, 131_073],
      ] as const) {
        assert.ok(bytes.subarray(first, last + 1).equals((await (await part(first, last))?.whole()) ?? Buffer.of()))
        assert.ok(
          bytes.subarray(first, last + 1).equals(await gather((await part(first, last))?.chunks() ?? [].values())),
        )
      }
      ;(await part(1, 2))?.discard()
      await put('fox/part.png', randomBytes(200_000))
      assert.equal(await store.readRange(at('fox/part.png'), head, { first: 0, last: 1 }), null)
      await store.remove(at('fox/part.png'))
      assert.equal(await store.readRange(at('fox/part.png'), head, { first: 0, last: 1 }), null)
    })

    it('keeps the old object when an upload is aborted at any time, without waiting for its body', async () => {
      const old = randomBytes(1_000)
      await put('fox/given-up.png', old)
      const bytes = randomBytes(9 * mebibyte)
      for (const size of [bytes.length, null]) {
        for (const pieces of [0, 1, 2, 100]) {
          const giveUp = new AbortController()
          const body = async function* () {
            let seen = 0
            for await (const piece of inPieces(bytes)) {
              if (seen++ === pieces) giveUp.abort(new Error('given up'))
              // The rest never comes.
              if (giveUp.signal.aborted) await new Promise(() => {})
              yield piece
            }
          }
          await assert.rejects(put('fox/given-up.png', bytes, { size, body: body(), signal: giveUp.signal }))
        }
        await assert.rejects(put('fox/given-up.png', bytes, { size, signal: AbortSignal.abort(new Error('before')) }))
      }
      assert.ok(old.equals(await bytesOf('fox/given-up.png')))
    })

    it('keeps the old object when a body fails, or is shorter or longer than announced', async () => {
      const old = randomBytes(1_000)
      await put('fox/broken.png', old)
      const bytes = randomBytes(200_000)
      const broken = async function* () {
        yield bytes
        throw new Error('broken off')
      }
      for (const size of [300_000, null])
        await assert.rejects(put('fox/broken.png', bytes, { size, body: broken() }), /broken off/)
      for (const size of [199_999, 200_001]) await assert.rejects(put('fox/broken.png', bytes, { size }))
      assert.ok(old.equals(await bytesOf('fox/broken.png')))
      await assert.rejects(put('fox/never.png', bytes, { size: null, body: broken() }))
      assert.equal(await store.head(at('fox/never.png')), null)
    })

    it('keeps one of two concurrent writes to a key, whole and with its own type', async () => {
      for (let round = 0; round < sized(4, 10); round++) {
        const both = ['image/png', 'image/gif'].map((type) => ({ type, bytes: randomBytes(100_000) }))
        await Promise.all(both.map(({ type, bytes }) => put('fox/both.png', bytes, { type })))
        const reading = await read('fox/both.png')
        const winner = both.find(({ bytes }) => md5Of(bytes) === reading.head.etag)
        assert.equal(reading.head.type, winner?.type)
        assert.ok(winner?.bytes.equals(await reading.whole()))
      }
    })

    it('accepts removing a missing object', async () => {
      await put('fox/twice.png', randomBytes(10))
      await store.remove(at('fox/twice.png'))
      await store.remove(at('fox/twice.png'))
      await store.remove(at('nowhere/at/all.png'))
      assert.equal(await store.read(at('fox/twice.png')), null)
    })

    it('returns null for a missing object, and for a mere prefix of a key', async () => {
      await put('fox/there/a.png', randomBytes(10))
      for (const name of ['fox/nothing.png', 'fox/there', 'fox', 'fox/there/a.png/b', 'FOX/THERE/A.PNG']) {
        assert.equal(await store.head(at(name)), null, name)
        assert.equal(await store.read(at(name)), null, name)
      }
    })

    it('closes reads that are discarded, or abandoned before or after their first chunk', async () => {
      const bytes = randomBytes(300_000)
      await put('fox/left.png', bytes)
      for (let round = 0; round < sized(25, 100); round++) {
        ;(await read('fox/left.png')).discard()
        for await (const _ of (await read('fox/left.png')).chunks()) break
        await (await read('fox/left.png')).chunks()[Symbol.asyncIterator]().return?.()
      }
      assert.ok(bytes.equals(await bytesOf('fox/left.png')))
    })

    it('starts no read if the signal is aborted', async () => {
      await put('fox/gone.png', randomBytes(10))
      const signal = AbortSignal.abort(new Error('gone'))
      await assert.rejects(store.read(at('fox/gone.png'), signal))
      await assert.rejects(store.head(at('fox/gone.png'), signal))
    })

    it('reports a missing bucket, and returns null for its objects', async () => {
      const missing = `${bucket}-missing`
      const noSuchBucket = { name: 'NoSuchBucket' }
      const upload = { bucket: missing, name: 'a.png', type: 'image/png', size: 1, signal: never }
      await assert.rejects(store.write({ ...upload, body: inPieces(Buffer.of(1)) }), noSuchBucket)
      await assert.rejects(store.remove({ bucket: missing, name: 'fox/a.png' }), noSuchBucket)
      await assert.rejects(Array.fromAsync(store.list(missing, { prefix: '', isFlat: false })), noSuchBucket)
      await assert.rejects(store.check(missing))
      assert.equal(await store.bucketExists(missing), false)
      assert.equal(await store.head({ bucket: missing, name: 'fox/a.png' }), null)
      assert.equal(await store.read({ bucket: missing, name: 'fox/a.png' }), null)
    })

    it('can use a bucket that was created once or twice', async () => {
      await put('fox/kept.png', Buffer.from('kept'))
      await store.createBucket(bucket)
      assert.equal(await store.bucketExists(bucket), true)
      await store.check(bucket)
      assert.equal(String(await bytesOf('fox/kept.png')), 'kept')
    })
  })
}
