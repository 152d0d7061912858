import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, chunked, head, Wire } from '../http/wire.ts'
import { allObjectStores, md5Of } from '../support/object-stores.ts'
import { answerOf, refused } from '../support/people.ts'
import { until, withImages } from './admin-stage.ts'
import { chunk, examples, jpeg, png, pngSignature } from './metadata-files.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

for (const objects of allObjectStores)
  describe(`With UPLOAD_STRIP_METADATA=true, ${objects.name}`, { skip: objects.skip }, () => {
    const images = withImages(objects, {
      env: { UPLOAD_STRIP_METADATA: 'true', CORS_ORIGINS: 'https://pages.example' },
    })
    const { place, stage, owner, upload, uploadPath } = images
    const served = async (name: string) => {
      const reply = await fetch(`${stage.service.url}/i/${name}`)
      return Buffer.from(await reply.arrayBuffer())
    }

    it('stores JPEG, PNG and WebP without metadata, under the checksum of what is stored', async () => {
      for (const [type, example] of Object.entries(examples)) {
        const { sent, stored } = example(6)
        const name = `fox/a.${type}`
        for (const [body, became] of [
          [sent, 'removed'],
          [stored, 'none'],
        ] as const) {
          const { status, body: reply, headers } = await upload(name, body, { type: `image/${type}` })
          assert.deepEqual([status, reply.etag, headers.get('x-upload-metadata')], [200, md5Of(stored), became])
          assert.deepEqual(await served(name), stored)
        }
        const { size } = (await place.store.head({ bucket: place.bucket, name })) ?? assert.fail()
        assert.equal(size, stored.length)
      }
      assert.deepEqual(images.temporary(), [])
    })

    it('does so for a chunked body, however small its pieces, and by the bytes, not by the type', async () => {
      const { sent, stored } = png(3)
      const pieces = Array.from(sent, (byte) => String.fromCharCode(byte))
      const headers = { token: owner.token, 'Content-Type': 'image/x-own', 'Transfer-Encoding': 'chunked' }
      const request = latin1(head('POST', uploadPath('bird/a'), headers) + chunked(...pieces))
      assert.equal((await ask(stage.service.port, request)).json.etag, md5Of(stored))
      assert.deepEqual(await served('bird/a'), stored)
    })

    it('stores other types as sent, and says so to pages of other origins too', async () => {
      const bytes = 'GIF89a with SECRET'
      const options = { token: owner.token, headers: { 'content-type': 'image/gif', origin: 'https://pages.example' } }
      const reply = await stage.service.request('POST', uploadPath('hug/a.gif'), { ...options, body: bytes })
      assert.deepEqual([reply.status, reply.headers.get('x-upload-metadata')], [200, 'kept'])
      assert.match(reply.headers.get('access-control-expose-headers') ?? '', /X-Upload-Metadata, X-Upload-Duplicate-Of/)
      assert.equal((await served('hug/a.gif')).toString(), bytes)
    })

    it('refuses what is damaged before its first pixels, and the old image stays', async () => {
      assert.equal((await upload('pat/a.png', png(1).sent)).status, 200)
      const damaged = Buffer.concat([pngSignature, chunk('tEXt', 'SECRET', 70_000), chunk('IDAT')])
      const told = refused(400, 'The image is damaged; its metadata cannot be removed')
      assert.deepEqual(answerOf(await upload('pat/a.png', damaged)), told)
      assert.deepEqual(await served('pat/a.png'), png(1).stored)
    })

    it('leaves nothing behind of a body that breaks off', async () => {
      const { sent } = jpeg(6)
      const headers = { token: owner.token, 'Content-Type': 'image/jpeg', 'Content-Length': sent.length + 1 }
      const wire = new Wire(stage.service.port)
      wire.send(latin1(head('POST', uploadPath('kiss/a.jpg'), headers)))
      wire.send(sent)
      wire.close()
      assert.equal((await upload('kiss/b.jpg', sent, { type: 'image/jpeg' })).status, 200)
      assert.deepEqual(await images.pool('kiss'), ['kiss/b.jpg'])
      await until(() => images.temporary().length === 0)
    })
  })
