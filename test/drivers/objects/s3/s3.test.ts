import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { readConfig } from '../../../../src/config/config.ts'
import type { S3Options } from '../../../../src/drivers/objects/s3/s3.ts'
import type { ObjectStore } from '../../../../src/images/object-store.ts'
import { atEnd } from '../../../support/at-end.ts'
import { freePort } from '../../../support/free-port.ts'
import { openStore, pieces } from './s3-stage.ts'

const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY_ID, TEST_S3_SECRET_ACCESS_KEY } = readConfig()
const keys = { accessKeyId: TEST_S3_ACCESS_KEY_ID, secretAccessKey: TEST_S3_SECRET_ACCESS_KEY, times: {} }
const bytes = randomBytes(1_000)

const open = async (more: Partial<S3Options> = {}) => (await openStore(endpoint ?? '', { ...keys, ...more })).store

const put = (store: ObjectStore, bucket: string, name: string) =>
  store.write({
    bucket,
    name,
    type: 'image/png',
    size: bytes.length,
    body: pieces(bytes),
    signal: new AbortController().signal,
  })

async function stage() {
  const store = await open()
  const bucket = `menagerie-s3-${randomBytes(6).toString('hex')}`
  await store.createBucket(bucket)
  await put(store, bucket, 'fox/a.png')
  return { store, bucket, place: { bucket, name: 'fox/a.png' } }
}

const skip = endpoint === null ? 'TEST_S3_ENDPOINT is not set' : false

describe('A real S3', { skip }, () => {
  it('accepts our signatures for keys of any characters', async () => {
    const { store, bucket } = await stage()
    const names = [
      'a b+c.png',
      'ü/é/日本/😀.png',
      "we!r'd(x)*&=?#%25.png",
      ...'x/%2F/y ~-_. a//b "q"<>&;:@$, [brackets]{x}|^`'.split(' '),
      'tab\tx\u0001y',
      `${'k'.repeat(250)}/`.repeat(4),
    ]
    for (const name of names) {
      await put(store, bucket, name)
      const reading = await store.read({ bucket, name })
      assert.ok((await reading?.whole())?.equals(bytes), name)
      assert.equal((await store.head({ bucket, name }))?.size, bytes.length, name)
    }
    const listed = (await Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false }))).flat()
    assert.deepEqual(listed.map(({ name }) => name).sort(), ['fox/a.png', ...names].sort())
  })

  it('refuses wrong credentials with an error, not as a missing object', async () => {
    const { bucket, place } = await stage()
    for (const wrong of [{ secretAccessKey: 'wrong' }, { accessKeyId: 'wrong' }, { accessKeyId: null }]) {
      const store = await open(wrong)
      await assert.rejects(store.read(place), /403/)
      await assert.rejects(store.head(place), /403/)
      await assert.rejects(store.check(bucket), /403/)
      await assert.rejects(put(store, bucket, 'fox/b.png'), /403/)
      await assert.rejects(store.remove(place), /403/)
      await assert.rejects(Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false })), /403/)
      // A bucket that denies anonymous access exists; wrong credentials prove nothing.
      if ('accessKeyId' in wrong && wrong.accessKeyId === null) assert.equal(await store.bucketExists(bucket), true)
      else await assert.rejects(store.bucketExists(bucket), /403/)
    }
  })

  it('refuses a clock that is an hour wrong', async () => {
    const { place } = await stage()
    const store = await open({ clock: { now: () => Date.now() - 3_600_000, monotonic: () => performance.now() } })
    await assert.rejects(store.read(place), /403 RequestTimeTooSkewed/)
  })

  it('works with any region name', async () => {
    const { place } = await stage()
    const store = await open({ region: 'somewhere-7' })
    assert.ok((await (await store.read(place))?.whole())?.equals(bytes))
    const bucket = `menagerie-s3-${randomBytes(6).toString('hex')}`
    await store.createBucket(bucket)
    await put(store, bucket, 'a')
    await store.remove({ bucket, name: 'a' })
  })

  it('has the same time for an object in a listing and in a HEAD', async () => {
    const { store, bucket, place } = await stage()
    const [[listed] = []] = await Array.fromAsync(store.list(bucket, { prefix: 'fox/', isFlat: true }))
    const head = await store.head(place)
    assert.ok(head && listed)
    assert.deepEqual({ ...listed, type: 'image/png' }, { ...head, name: place.name })
  })
})

describe('A store with host-style buckets', () => {
  it("gets all requests at the bucket's host", async () => {
    const seen = new Set<string>()
    const port = await freePort()
    const server = createServer((request, response) => {
      seen.add(`${request.method} ${request.headers.host} ${request.url?.split('?')[0]}`)
      request.resume().on('end', () => response.writeHead(403, { 'x-amz-request-id': 'a' }).end())
    }).listen(port)
    await once(server, 'listening')
    atEnd(() => server.close().closeAllConnections())
    const { store } = await openStore(`http://localhost:${port}/store`, { pathStyle: false })
    await assert.rejects(store.read({ bucket: 'images', name: 'fox/a b.png' }), /403/)
    await assert.rejects(store.check('images'), /403/)
    await assert.rejects(put(store, 'images', 'fox/a b.png'), /403/)
    assert.deepEqual(
      [...seen],
      [
        `GET images.localhost:${port} /store/fox/a%20b.png`,
        `HEAD images.localhost:${port} /store/`,
        `PUT images.localhost:${port} /store/fox/a%20b.png`,
      ],
    )
  })
})
