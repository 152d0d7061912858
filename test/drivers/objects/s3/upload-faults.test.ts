import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { ObjectStore, Upload } from '../../../../src/images/object-store.ts'
import { NoSuchBucket } from '../../../../src/images/store-errors.ts'
import { ScriptedS3 } from '../../../support/scripted-s3.ts'
import { atLeast, turns } from '../../../support/until.ts'
import { bucket, isUnavailable, listening, openStore, pieces, place, shortTimes, until } from './s3-stage.ts'

const before = Buffer.from('the one before')
const bytes = Buffer.alloc(3_000_000, 'fox')

async function stage(more = {}) {
  const s3 = await ScriptedS3.open(bucket)
  s3.put(bucket, place.name, before)
  return { s3, ...(await openStore(s3.endpoint, more)) }
}

const write = (store: ObjectStore, more: Partial<Upload> = {}) =>
  store.write({
    ...place,
    type: 'image/png',
    size: bytes.length,
    body: pieces(bytes),
    signal: new AbortController().signal,
    ...more,
  })

const stored = (s3: ScriptedS3) => s3.objects.get(bucket)?.get(place.name)?.bytes ?? null

/** The previous object is there, and nothing is left behind. */
async function assertUntouched(s3: ScriptedS3, folder: string) {
  assert.ok(stored(s3)?.equals(before))
  assert.deepEqual(readdirSync(folder), [])
  await until(() => s3.openSockets === 0)
}

async function* stalling(first: Uint8Array, onStall = () => {}): AsyncGenerator<Uint8Array> {
  yield first
  onStall()
  await new Promise(() => {})
}

describe('An upload', () => {
  it('is stored with its type, and returns its MD5', async () => {
    for (const size of [bytes.length, null]) {
      const { s3, store, folder } = await stage()
      const { md5, etag, versionId, isEtagOpaque } = await write(store, { size })
      assert.equal(md5, createHash('md5').update(bytes).digest('hex'))
      assert.deepEqual({ etag, versionId, isEtagOpaque }, { etag: md5, versionId: null, isEtagOpaque: false })
      assert.ok(stored(s3)?.equals(bytes))
      assert.equal(s3.objects.get(bucket)?.get(place.name)?.type, 'image/png')
      assert.equal(s3.requests.at(-1)?.headers['content-length'], String(bytes.length))
      assert.deepEqual(readdirSync(folder), [])
    }
  })

  it('that is shorter or longer than announced leaves the old object', async () => {
    const { s3, store, folder } = await stage()
    for (const off of [-1, 1, -bytes.length + 1, 1_000_000])
      await assert.rejects(write(store, { size: bytes.length + off }), /the upload/, String(off))
    await assert.rejects(write(store, { body: pieces(bytes, 'x') }), /the upload/)
    await assert.rejects(write(store, { size: 0 }), /the upload/)
    await assertUntouched(s3, folder)
  })

  it('that continues after its announced end leaves the old object, however late the rest comes', async () => {
    const { s3, store, folder } = await stage()
    const late = async function* () {
      yield bytes
      await turns(2_000)
      yield Buffer.from('x')
    }
    await assert.rejects(write(store, { body: late() }), /the upload/)
    await assertUntouched(s3, folder)
  })

  it("whose source fails rejects with the source's error", async () => {
    const { s3, store, folder } = await stage()
    async function* failing() {
      yield bytes.subarray(0, 100_000)
      throw Object.assign(new Error('The visitor broke off'), { code: 'ECONNRESET' })
    }
    for (const size of [bytes.length, null])
      await assert.rejects(write(store, { size, body: failing() }), /The visitor broke off/)
    await assertUntouched(s3, folder)
  })

  it('whose source pauses longer than a store may is waited for', async () => {
    const { store } = await stage({ times: { idleMs: shortTimes.idleMs } })
    for (const size of [bytes.length, null]) {
      async function* pausing() {
        yield bytes.subarray(0, 100_000)
        await atLeast(2.5 * shortTimes.idleMs)
        yield bytes.subarray(100_000)
      }
      const { md5 } = await write(store, { size, body: pausing() })
      assert.equal(md5, createHash('md5').update(bytes).digest('hex'))
    }
  })

  it('is aborted by its signal at any time', async () => {
    const { s3, store, folder } = await stage({ times: {} })
    for (const size of [bytes.length, null]) {
      const giveUp = new AbortController()
      const body = stalling(bytes.subarray(0, 100_000), () => giveUp.abort(new Error('The visitor left')))
      await assert.rejects(write(store, { size, body, signal: giveUp.signal }), /The visitor left/)
    }
    await assert.rejects(write(store, { signal: AbortSignal.abort(new Error('Gone before')) }), /Gone before/)
    await assertUntouched(s3, folder)
  })

  it('of owned chunks arrives complete at a slow store, and the chunks are freed', async () => {
    const block = randomBytes(16_384)
    const count = 1_600
    const given: Buffer[] = []
    async function* givenAway() {
      for (let index = 0; index < count; index++) {
        const piece = Buffer.allocUnsafeSlow(block.length)
        block.copy(piece)
        piece.writeUInt32LE(index)
        given.push(piece)
        yield piece
      }
    }
    const expected = createHash('md5')
    for (let index = 0; index < count; index++) {
      block.writeUInt32LE(index)
      expected.update(block)
    }
    const size = count * block.length
    const found = createHash('md5')
    const port = await listening((socket) => {
      let left = -1
      socket.on('data', (piece: Buffer) => {
        const body = left < 0 ? piece.subarray(piece.indexOf('\r\n\r\n') + 4) : piece
        if (left < 0) left = size
        found.update(body)
        left -= body.length
        // Pending data fills the buffers of the kernel, the socket and the stream.
        socket.pause()
        setImmediate(() => socket.resume())
        if (left === 0) socket.write('HTTP/1.1 200 OK\r\nx-amz-request-id: a\r\nETag: "a"\r\nContent-Length: 0\r\n\r\n')
      })
    })
    const { store } = await openStore(`http://127.0.0.1:${port}`, { times: {} })
    const { md5 } = await write(store, {
      size,
      body: givenAway(),
      isGivenAway: true,
      signal: AbortSignal.timeout(30_000),
    })
    const sum = expected.digest('hex')
    assert.deepEqual([md5, found.digest('hex')], [sum, sum])
    assert.ok(given.filter(({ length }) => length > 0).length <= 32, 'all but the last')
  })

  it('that the store resets leaves the old object, and is not sent twice', async () => {
    const { s3, store, folder } = await stage()
    for (const after of [0, 1_000_000]) {
      s3.next({ kind: 'reset-on-put', after })
      await assert.rejects(write(store), isUnavailable)
    }
    assert.equal(s3.requests.length, 2)
    await assertUntouched(s3, folder)
  })

  it('that the store is too busy for is refused, and not sent twice', async () => {
    const { s3, store } = await stage()
    s3.always({ kind: 'status', status: 503 })
    await assert.rejects(write(store), /503 SlowDown/)
    assert.equal(s3.requests.length, 1)
  })

  it('that the store does not answer times out', async () => {
    const { s3, store } = await stage({ times: shortTimes })
    s3.next({ kind: 'silent' })
    await assert.rejects(write(store), isUnavailable)
    await until(() => s3.openSockets === 0)
  })

  it('that the store does not read times out', async () => {
    const port = await listening((socket) => void socket.pause())
    const { store } = await openStore(`http://127.0.0.1:${port}`, { times: shortTimes })
    const much = Buffer.alloc(40_000_000)
    await assert.rejects(write(store, { size: much.length, body: pieces(much) }), isUnavailable)
  })

  it('that is confirmed before its end is refused', async () => {
    const early = 'HTTP/1.1 200 OK\r\nETag: "a"\r\nx-amz-request-id: a\r\nContent-Length: 0\r\n\r\n'
    const port = await listening((socket) => void socket.once('data', () => socket.write(early)))
    const { store } = await openStore(`http://127.0.0.1:${port}`)
    await assert.rejects(write(store, { body: stalling(bytes.subarray(0, 100_000)) }))
  })

  it('that is answered by a page, an error document with status 200 or a redirect is not stored', async () => {
    const { s3, store, folder } = await stage()
    const other = await ScriptedS3.open(bucket)
    for (const fault of [
      { kind: 'html' },
      { kind: 'junk-xml' },
      { kind: 'status', status: 200, body: '' },
      { kind: 'redirect', to: `${other.endpoint}/${bucket}/a` },
    ] as const) {
      s3.next(fault)
      await assert.rejects(write(store))
    }
    assert.equal(other.requests.length, 0)
    assert.ok(stored(s3)?.equals(before))
    assert.deepEqual(readdirSync(folder), [])
  })

  it('to a missing bucket fails with an error that says so', async () => {
    const { store } = await stage()
    for (const size of [bytes.length, null])
      await assert.rejects(write(store, { bucket: 'no-bucket', size }), NoSuchBucket)
    for (const name of ['UPPER', '../up', 'a', '127.0.0.1'])
      await assert.rejects(write(store, { bucket: name }), NoSuchBucket)
  })

  it('of no bytes is an empty object', async () => {
    const { s3, store } = await stage()
    for (const size of [0, null]) {
      await write(store, { size, body: pieces() })
      assert.equal(stored(s3)?.length, 0)
    }
  })

  it('is signed with the credentials, if there are any', async () => {
    const s3 = await ScriptedS3.open(bucket)
    const theirs = {
      AWS_ACCESS_KEY_ID: 'theirs',
      AWS_SECRET_ACCESS_KEY: 'theirs',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    }
    Object.assign(process.env, theirs)
    for (const accessKeyId of ['ours', null]) {
      const { store } = await openStore(s3.endpoint, { accessKeyId, sessionToken: 'a token' })
      await write(store)
      await store.head(place)
      await store.remove(place)
    }
    for (const name of Object.keys(theirs)) delete process.env[name]
    const signers = s3.requests.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? null)
    assert.deepEqual(signers, ['ours', 'ours', 'ours', null, null, null])
    const tokens = s3.requests.map(({ headers }) => headers['x-amz-security-token'] ?? null)
    assert.deepEqual(tokens, ['a token', 'a token', 'a token', null, null, null])
  })
})
