import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { allObjectStores, md5Of } from '../support/object-stores.ts'
import { withImages } from './admin-stage.ts'

for (const objects of allObjectStores) {
  describe(`The service over ${objects.name}`, { skip: objects.skip }, () => {
    const { stage, place, owner, get, upload, remove, pool, objects: stored } = withImages(objects)
    const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${stage.service.url}${path}`, { method, headers: { authorization: owner.token, ...headers } })

    it('reaches the store and its bucket', async () => {
      assert.equal((await get('/admin/s3/test')).status, 200)
      for (const [bucket, exists] of [
        [place.bucket, true],
        [`${place.bucket}-none`, false],
      ] as const)
        assert.equal((await get(`/admin/s3/test?bucketExists=${bucket}`)).body.bucketExists, exists)
    })

    it('accepts uploads with and without a length, and serves both at once', async () => {
      const bytes = randomBytes(300_000)
      const { status, body } = await upload('fox/a.png', bytes)
      assert.deepEqual([status, body.etag, body.versionId], [200, md5Of(bytes), null])
      const chunked = await fetch(
        `${stage.service.url}/admin/s3/upload?bucketName=${place.bucket}&objectName=fox/b.webp`,
        {
          method: 'POST',
          headers: { authorization: owner.token, 'content-type': 'image/webp' },
          body: new Blob([bytes]).stream(),
          duplex: 'half',
        } as RequestInit,
      )
      assert.equal(chunked.status, 200)
      assert.deepEqual(await pool('fox'), ['fox/a.png', 'fox/b.webp'])
      for (const [name, type] of [
        ['fox/a.png', 'image/png'],
        ['fox/b.webp', 'image/webp'],
      ] as const) {
        const found = await ask(`/i/${name}`)
        assert.deepEqual([found.status, found.headers.get('content-type')], [200, type])
        assert.equal(found.headers.get('etag'), `"${md5Of(bytes)}"`)
        assert.ok(bytes.equals(Buffer.from(await found.arrayBuffer())))
      }
      const part = await ask('/i/fox/a.png', { range: 'bytes=10-19' })
      assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, bytes.subarray(10, 20)])
    })

    it('serves ranges and HEAD of an image too large to cache', async () => {
      const bytes = randomBytes(9_000_000)
      assert.equal((await upload('bird/large.png', bytes)).status, 200)
      const head = await ask('/i/bird/large.png', {}, 'HEAD')
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, '9000000'])
      const part = await ask('/i/bird/large.png', { range: 'bytes=8999990-' })
      assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, bytes.subarray(8_999_990)])
      const whole = await ask('/i/bird/large.png')
      assert.ok(bytes.equals(Buffer.from(await whole.arrayBuffer())))
    })

    it('chooses from the stored images, and applies a delete by name or ETag at once', async () => {
      const texts = ['one', 'two', 'three']
      for (const text of texts) assert.equal((await upload(`hug/${text}.png`, text)).status, 200)
      const { body } = await get('/images/hug/random?count=30')
      assert.deepEqual(
        body.images.map(({ name }: { name: string }) => name).sort(),
        texts.map((text) => `hug/${text}.png`).sort(),
      )
      assert.ok(texts.includes((await get('/images/hug/random?as=bytes')).text))
      assert.equal((await remove({ bucketName: place.bucket, objectName: 'hug/one.png' })).status, 200)
      assert.equal((await remove({ bucketName: place.bucket, etag: md5Of(Buffer.from('two')) })).status, 200)
      assert.equal((await remove({ bucketName: place.bucket, objectName: 'hug/never.png' })).status, 200)
      assert.deepEqual(await pool('hug'), ['hug/three.png'])
      for (const name of ['hug/one.png', 'hug/two.png']) assert.equal((await get(`/i/${name}`)).status, 404)
      assert.ok(!('hug/one.png' in (await stored())))
    })

    it('reports a missing bucket', async () => {
      const bucket = `${place.bucket}-none`
      assert.equal((await upload('fox/a.png', 'x', { bucket })).status, 404)
      assert.equal((await remove({ bucketName: bucket, objectName: 'fox/a.png' })).status, 500)
    })
  })
}
