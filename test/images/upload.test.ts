import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { ask, chunked, type Head, head, Wire } from '../http/wire.ts'
import { objectStores } from '../support/object-stores.ts'
import { answerOf, cast, refused } from '../support/people.ts'
import { withImages } from './admin-stage.ts'

const md5 = (bytes: string | Uint8Array) => createHash('md5').update(bytes).digest('hex')
const params = refused(400, 'bucketName, objectName and path query params are required')
const notAnImage = refused(400, 'Content-Type must be an image/* mime type')
const badBucket = refused(400, 'bucketName is not a valid bucket name')
const badName = refused(400, 'objectName is not a valid object name')
const empty = refused(400, 'Request body must contain image bytes')
const noBucket = refused(404, 'Bucket not found')
const tooLarge = refused(413, 'Request body is too large')
const compressed = refused(415, 'Content-Encoding is not supported')

for (const objects of objectStores) {
  describe(`An upload, ${objects.name}`, { skip: objects.skip }, () => {
    const images = withImages(objects, { env: { UPLOAD_MAX_BYTES: '100000' } })
    const { stage, place, owner, upload, uploadPath, get } = images
    let people: Awaited<ReturnType<typeof cast>>
    before(async () => {
      people = await cast(stage)
    })

    const raw = async (path: string, headers: Head, body = '') => {
      const sent = { token: owner.token, ...(body !== '' && { 'Content-Length': body.length }), ...headers }
      const { status, json } = await ask(stage.service.port, head('POST', path, sent) + body)
      return [status, json]
    }
    const typed = (type: string, name: string) => raw(uploadPath(name), { 'Content-Type': type }, 'bytes')
    const plainly = (name: string, headers: Head = {}, body = 'bytes') =>
      raw(uploadPath(name), { 'Content-Type': 'image/png', ...headers }, body)

    it('returns bucket, name and ETag, and joins the pool', async () => {
      const bytes = Buffer.from([0, 255, 128, 10, 13, 0])
      const reply = await upload('fox/a.png', bytes)
      assert.deepEqual(answerOf(reply), [
        200,
        {
          status: 200,
          message: 'Object uploaded',
          bucketName: place.bucket,
          objectName: 'fox/a.png',
          etag: md5(bytes),
          versionId: null,
        },
      ])
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.equal(reply.headers.get('x-upload-warning'), 'its first bytes are not those of a known type of image')
      const descriptor = (await get('/images/fox/random')).body
      assert.deepEqual([descriptor.name, descriptor.etag, descriptor.size], ['fox/a.png', md5(bytes), 6])
      const served = await fetch(`${stage.service.url}/i/fox/a.png`)
      assert.deepEqual(Buffer.from(await served.arrayBuffer()), bytes)
      assert.equal(served.headers.get('content-type'), 'image/png')
      assert.equal(served.headers.get('etag'), `"${md5(bytes)}"`)
    })

    it('is for administrators and owners', async () => {
      for (const role of ['user', 'support', 'moderator'] as const) {
        const reply = await upload(`bird/${role}.png`, 'bytes', { token: people[role].accessToken })
        assert.deepEqual(answerOf(reply), refused(403, 'You do not have permission to access this resource'))
      }
      for (const role of ['admin', 'owner'] as const)
        assert.equal((await upload(`bird/${role}.png`, 'bytes', { token: people[role].accessToken })).status, 200)
      assert.deepEqual(await images.pool('bird'), ['bird/admin.png', 'bird/owner.png'])
    })

    it('has a length or is chunked, in chunks of any size', async () => {
      const bytes = 'x'.repeat(70_000)
      const headers = { token: owner.token, 'Content-Type': 'image/png', 'Transfer-Encoding': 'chunked' }
      for (const [index, parts] of [[bytes], [bytes.slice(1), 'x'], ['x', bytes.slice(1)]].entries()) {
        const request = head('POST', uploadPath(`shibe/${index}.png`), headers) + chunked(...parts)
        const { status, json } = await ask(stage.service.port, request)
        assert.deepEqual([status, json.etag], [200, md5(bytes)])
      }
      const slowly = head('POST', uploadPath('shibe/slow.png'), headers) + chunked(...'many a chunk')
      assert.equal((await ask(stage.service.port, slowly)).json.etag, md5('many a chunk'))
      assert.equal((await upload('shibe/length.png', bytes)).body.etag, md5(bytes))
      const served = await get('/i/shibe/1.png')
      assert.equal(served.text, bytes)
      assert.deepEqual(images.temporary(), [])
    })

    it('replaces the old object for the very next request', async () => {
      await upload('smug/same.png', 'the first bytes')
      assert.equal((await get('/i/smug/same.png')).text, 'the first bytes')
      for (const bytes of ['the second', 'and the third, longer ones', '3']) {
        const type = `image/${bytes.length}`
        const { etag } = (await upload('smug/same.png', bytes, { type })).body
        const served = await get('/i/smug/same.png', { 'if-none-match': `"${md5('the first bytes')}"` })
        assert.deepEqual([served.status, served.text], [200, bytes])
        assert.deepEqual([served.headers.get('etag'), served.headers.get('content-type')], [`"${md5(bytes)}"`, type])
        const descriptor = (await get('/images/smug/random')).body
        assert.deepEqual([descriptor.etag, descriptor.size, etag], [md5(bytes), bytes.length, md5(bytes)])
      }
    })

    it('gets 100 Continue if the client expects it, but not if its head is refused', async () => {
      const asking = { token: owner.token, 'Content-Type': 'image/png', Expect: '100-continue' }
      for (const [headers, body] of [
        [{ 'Content-Length': 5 }, 'bytes'],
        [{ 'Transfer-Encoding': 'chunked' }, chunked('by', 'tes')],
      ] as const) {
        const wire = new Wire(stage.service.port)
        wire.send(head('POST', uploadPath('hug/asked.png'), { ...asking, ...headers }))
        assert.equal((await wire.answer()).status, 100)
        const [, last] = await wire.send(body).answers(2)
        wire.close()
        assert.deepEqual([last?.status, last?.json.etag], [200, md5('bytes')])
      }
      const long = { ...asking, 'Content-Length': 5 }
      const path = uploadPath('hug/refused.png')
      for (const [request, status] of [
        [head('POST', path, { ...long, token: undefined }), 401],
        [head('POST', path, { ...long, token: people.user.accessToken }), 403],
        [head('POST', '/admin/s3/upload', long), 400],
        [head('POST', path, { ...long, 'Content-Type': 'text/html' }), 400],
        [head('POST', uploadPath('../x'), long), 400],
        [head('POST', uploadPath('hug/x.png', 'No'), long), 400],
        [head('POST', path, { ...long, 'Content-Encoding': 'br' }), 415],
        [head('POST', path, { ...long, 'Content-Length': 100_001 }), 413],
        [head('POST', uploadPath('hug/x.png', 'nowhere'), long), 404],
      ] as const)
        assert.equal((await ask(stage.service.port, request)).status, status)
      assert.deepEqual(await images.pool('hug'), ['hug/asked.png'])
    })

    it('is refused for its first fault, in this order: caller, parameters, type, bucket name, name, encoding, length, missing bucket', async () => {
      // A body that is announced and never sent: who waited for it would not answer.
      const long = { 'Content-Length': 100_001, 'Content-Encoding': 'gzip' }
      const wrong = { ...long, 'Content-Type': 'text/html' }
      const image = { ...long, 'Content-Type': 'image/png' }
      const path = '/admin/s3/upload?bucketName=No&objectName=..'
      const nowhere = '/admin/s3/upload?bucketName=nowhere&objectName=a'
      const mayNot = refused(403, 'You do not have permission to access this resource')
      assert.deepEqual(await raw(path, { ...wrong, token: undefined }), refused(401, 'Access token is required'))
      assert.deepEqual(await raw('/admin/s3/upload', { ...wrong, token: people.support.accessToken }), mayNot)
      assert.deepEqual(await raw('/admin/s3/upload', wrong), params)
      assert.deepEqual(await raw(path, wrong), notAnImage)
      assert.deepEqual(await raw(path, image), badBucket)
      assert.deepEqual(await raw('/admin/s3/upload?bucketName=nowhere&objectName=..', image), badName)
      assert.deepEqual(await raw(nowhere, image), compressed)
      assert.deepEqual(await raw(nowhere, { 'Content-Type': 'image/png', 'Content-Length': 100_001 }), tooLarge)
      assert.deepEqual(await raw(nowhere, { 'Content-Type': 'image/png' }), empty)
      assert.deepEqual(await raw(nowhere, { 'Content-Type': 'image/png' }, 'bytes'), noBucket)
    })

    it('needs both parameters, neither of them empty', async () => {
      for (const query of [
        '',
        '?',
        `?bucketName=${place.bucket}`,
        '?objectName=fox/x.png',
        `?bucketName=${place.bucket}&objectName=`,
        '?bucketName=&objectName=fox/x.png',
        `?bucketname=${place.bucket}&objectname=fox/x.png`,
        `?bucketName[]=${place.bucket}&objectName[]=fox/x.png`,
        `?BUCKETNAME=${place.bucket};objectName=fox/x.png`,
      ])
        assert.deepEqual(await raw(`/admin/s3/upload${query}`, { 'Content-Type': 'image/png' }, 'bytes'), params, query)
    })

    it('uses the first of two equal parameters and ignores unknown ones', async () => {
      const query = `bucketName=${place.bucket}&objectName=kiss/1.png&objectName=kiss/2.png&path=kiss/3.png&bucketName=No`
      const [status, body] = await raw(`/admin/s3/upload?${query}`, { 'Content-Type': 'image/png' }, 'bytes')
      assert.deepEqual([status, body.objectName], [200, 'kiss/1.png'])
      assert.deepEqual(await images.pool('kiss'), ['kiss/1.png'])
    })

    for (const [type, stored] of Object.entries({
      'image/png': 'image/png',
      'IMAGE/PNG': 'image/png',
      'image/png; charset=utf-8': 'image/png',
      'image/png;a="b;c"': 'image/png',
      'image/png ;': 'image/png',
      'image/png; a="\xe9"': 'image/png',
      '\timage/webp ': 'image/webp',
      'image/svg+xml': 'image/svg+xml',
      'image/x.y-z+w': 'image/x.y-z+w',
    })) {
      it(`of type ${JSON.stringify(type)} is stored as ${stored}`, async () => {
        const [status] = await typed(type, 'pat/typed')
        assert.equal(status, 200)
        const { headers } = await get('/i/pat/typed')
        assert.equal(headers.get('content-type'), stored)
        const isRaster = /png|webp/.test(stored)
        assert.equal(headers.get('content-disposition'), isRaster ? null : 'attachment')
      })
    }

    for (const type of [
      ...['', 'image', 'image/', '/png', 'images/png', 'ximage/png', 'text/html', 'application/octet-stream'],
      ...['multipart/form-data; boundary=image/png', 'text/html; image/png', 'image/png, text/html'],
      ...['image/png,image/gif', 'image/png; a=b, text/html', 'image/png text/html', 'image/png/x', 'image//png'],
      ...['image/p\xe9g', '"image/png"', 'image/"png"', 'image/<script>', 'image/*', 'image/*; q=1'],
    ]) {
      it(`of type ${JSON.stringify(type)} is refused`, async () => {
        assert.deepEqual(await typed(type, 'pat/refused'), notAnImage)
      })
    }

    it('without a type is refused, and no refused upload is stored', async () => {
      assert.deepEqual(await raw(uploadPath('pat/refused'), {}, 'bytes'), notAnImage)
      assert.deepEqual(await images.pool('pat'), ['pat/typed'])
    })

    it('with a Content-Encoding is refused, except identity', async () => {
      const chunks = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'image/png', token: owner.token }
      for (const coding of ['gzip', 'br', 'identity, gzip', 'x', '']) {
        assert.deepEqual(await plainly('slap/coded.png', { 'Content-Encoding': coding }), compressed, coding)
        const request = head('POST', uploadPath('slap/coded.png'), { ...chunks, 'Content-Encoding': coding })
        const { status, json } = await ask(stage.service.port, request + chunked('bytes'))
        assert.deepEqual([status, json], compressed, coding)
      }
      assert.deepEqual(await images.pool('slap'), [])
      assert.equal((await plainly('slap/coded.png', { 'Content-Encoding': 'Identity' }))[0], 200)
    })

    it('without bytes is refused: of length 0, without a length, and with no chunks', async () => {
      const headers = { 'Content-Type': 'image/png' }
      const path = uploadPath('slap/empty.png')
      assert.deepEqual(await raw(path, headers), empty)
      assert.deepEqual(await raw(path, { ...headers, 'Content-Length': 0 }), empty)
      assert.deepEqual(await raw(path, { ...headers, 'Content-Length': 0, 'Content-Encoding': 'gzip' }), empty)
      const chunks = head('POST', path, { ...headers, token: owner.token, 'Transfer-Encoding': 'chunked' })
      const { status, json } = await ask(stage.service.port, chunks + chunked())
      assert.deepEqual([status, json], empty)
      assert.equal((await get('/i/slap/empty.png')).status, 404)
    })

    it('goes into any existing bucket; only that of the images is served', async () => {
      const other = await objects.make()
      // The other folder's bucket has the name of ours.
      const bucket = other.bucket === place.bucket ? 'other-images' : other.bucket
      await place.store.createBucket(bucket)
      const { status, body } = await upload('weiner-dog/there.png', 'bytes', { bucket })
      assert.deepEqual([status, body.bucketName], [200, bucket])
      const head = await place.store.head({ bucket, name: 'weiner-dog/there.png' })
      assert.deepEqual([head?.etag, head?.type], [md5('bytes'), 'image/png'])
      assert.equal((await get('/i/weiner-dog/there.png')).status, 404)
      assert.deepEqual(await images.pool('weiner-dog'), [])
    })
  })
}
