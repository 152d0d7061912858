import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import type { ObjectStore } from '../../src/images/object-store.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { objectStores } from '../support/object-stores.ts'
import { answerOf, cast, refused } from '../support/people.ts'
import { until, withImages } from './admin-stage.ts'

const md5 = (bytes: string) => createHash('md5').update(bytes).digest('hex')
const failed = refused(500, 'Error deleting object')
const params = refused(400, 'bucketName and either objectName or etag are required')
const badName = refused(400, 'objectName is not a valid object name')
const notThere = refused(404, 'Object not found')

for (const objects of objectStores) {
  describe(`The removal of an object, ${objects.name}`, { skip: objects.skip }, () => {
    const broken: { remove?: ObjectStore['remove']; list?: ObjectStore['list'] } = {}
    const images = withImages(objects, {
      overrides: {
        images: {
          store: (real) => ({
            ...real,
            remove: (given) => (broken.remove ?? real.remove)(given),
            list: (...given) => (broken.list ?? real.list)(...given),
          }),
        },
      },
    })
    const { stage, place, owner, upload, remove, get } = images
    const names = ['fox/a.png', 'fox/b.png', 'odd/c d.png']
    const bytesOf = (name: string) => `the bytes of ${name}`
    const etagOf = (name: string) => md5(bytesOf(name))
    const inQuery = (given: Record<string, string>) =>
      stage.service.request('DELETE', `/admin/s3/delete?${new URLSearchParams(given)}`, { token: owner.token })
    const done = (object: string) => [200, { status: 200, message: 'Object deleted', bucketName: place.bucket, object }]
    const assertLeft = async (...expected: string[]) =>
      assert.deepEqual(Object.keys(await images.objects()).sort(), expected)

    beforeEach(async () => {
      delete broken.remove
      delete broken.list
      for (const name of Object.keys(await images.objects()))
        await remove({ bucketName: place.bucket, objectName: name })
      for (const name of names) await upload(name, bytesOf(name))
    })

    it('by name returns the name, and keeps the other objects', async () => {
      const reply = await remove({ bucketName: place.bucket, objectName: 'fox/a.png' })
      assert.deepEqual(answerOf(reply), done('fox/a.png'))
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      await assertLeft('fox/b.png', 'odd/c d.png')
    })

    it('by ETag returns the ETag without quotes', async () => {
      const etag = etagOf('fox/a.png')
      assert.deepEqual(answerOf(await remove({ bucketName: place.bucket, etag })), done(`object with etag ${etag}`))
      const other = etagOf('odd/c d.png')
      assert.deepEqual(
        answerOf(await remove({ bucketName: place.bucket, etag: `"${other}"` })),
        done(`object with etag ${other}`),
      )
      await assertLeft('fox/b.png')
    })

    it('removes nothing for one who asks for a dry run, which it does not offer', async () => {
      const wanted = { bucketName: place.bucket, objectName: 'fox/a.png' }
      for (const name of ['dryRun', 'dryrun', 'dry_run']) {
        const unknown = refused(400, `Unknown parameter: ${name}`)
        assert.deepEqual(answerOf(await inQuery({ ...wanted, [name]: 'true' })), unknown)
        assert.deepEqual(answerOf(await remove({ ...wanted, [name]: 'true' })), unknown)
      }
      await assertLeft(...names)
    })

    it('takes effect at the very next request: no bytes, no choice, no entry', async () => {
      const served = async () => {
        const paths = ['/i/fox/a.png', '/i/fox/b.png', '/images/fox/random', '/images/random?kinds=fox']
        const replies = await Promise.all(paths.map((path) => get(path)))
        return replies.map(({ status }) => status)
      }
      assert.deepEqual(await served(), [200, 200, 200, 200])
      await remove({ bucketName: place.bucket, objectName: 'fox/a.png' })
      assert.deepEqual(await served(), [404, 200, 200, 200])
      assert.deepEqual(await images.pool('fox'), ['fox/b.png'])
      await remove({ bucketName: place.bucket, etag: etagOf('fox/b.png') })
      assert.deepEqual(await served(), [404, 404, 404, 404])
      assert.equal((await get('/images/fox/random')).body.message, 'No fox images found in bucket')
    })

    it('by a missing name is 200', async () => {
      for (let time = 0; time < 2; time++)
        assert.deepEqual(
          answerOf(await remove({ bucketName: place.bucket, objectName: 'fox/none.png' })),
          done('fox/none.png'),
        )
      assert.equal((await remove({ bucketName: place.bucket, objectName: 'fox' })).status, 200)
      assert.equal((await remove({ bucketName: place.bucket, objectName: 'fox/a.png/b' })).status, 200)
      await assertLeft(...names)
    })

    it('prefers the name if both are given', async () => {
      const both = { bucketName: place.bucket, objectName: 'fox/a.png', etag: etagOf('fox/b.png') }
      assert.deepEqual(answerOf(await remove(both)), done('fox/a.png'))
      assert.deepEqual(answerOf(await remove({ ...both, objectName: 'fox/none.png' })), done('fox/none.png'))
      await assertLeft('fox/b.png', 'odd/c d.png')
    })

    it('takes its fields from the body, or else the query', async () => {
      const { bucket: bucketName } = place
      assert.deepEqual(answerOf(await inQuery({ bucketName, objectName: 'fox/a.png' })), done('fox/a.png'))
      const etag = etagOf('odd/c d.png')
      assert.deepEqual(answerOf(await inQuery({ bucketName, etag })), done(`object with etag ${etag}`))
      const mixed = await remove({ objectName: 'fox/b.png' }, `?bucketName=${bucketName}&objectName=fox/x.png`)
      assert.deepEqual(answerOf(mixed), done('fox/b.png'))
      await assertLeft()
    })

    it('needs a bucket, and a name or an ETag, as non-empty strings', async () => {
      const { bucket: bucketName } = place
      const etag = etagOf('fox/a.png')
      for (const body of [
        {},
        [],
        null,
        'text',
        [bucketName, 'fox/a.png'],
        { bucketName },
        { objectName: 'fox/a.png' },
        { etag },
        { bucketName: '', objectName: 'fox/a.png' },
        { bucketName, objectName: '', etag: '' },
        { bucketName: [bucketName], objectName: 'fox/a.png' },
        { bucketName: { toString: bucketName }, etag },
        { bucketName, objectName: ['fox/a.png'] },
        { bucketName, objectName: { length: 1 }, etag: 5 },
        { bucketName, objectName: true, etag: null },
        { bucketname: bucketName, objectname: 'fox/a.png' },
      ]) {
        const sent = JSON.stringify(body)
        const reply = await stage.service.request('DELETE', '/admin/s3/delete', { token: owner.token, body: sent })
        assert.deepEqual(answerOf(reply), params, sent)
      }
      assert.deepEqual(answerOf(await inQuery({})), params)
      assert.deepEqual(answerOf(await inQuery({ bucketName, objectName: '' })), params)
      await assertLeft(...names)
    })

    it('ignores a field that is not a string if another one names the object', async () => {
      const { bucket: bucketName } = place
      const etag = etagOf('fox/a.png')
      for (const objectName of [5, null, ['fox/b.png'], { name: 'fox/b.png' }, false]) {
        await upload('fox/a.png', bytesOf('fox/a.png'))
        assert.deepEqual(
          answerOf(await remove({ bucketName, objectName, etag })),
          done(`object with etag ${etag}`),
          JSON.stringify(objectName),
        )
      }
      assert.deepEqual(answerOf(await remove({ bucketName, objectName: 'fox/b.png', etag: 5 })), done('fox/b.png'))
      await assertLeft('odd/c d.png')
    })

    it('is refused for an invalid name, whatever the ETag', async () => {
      for (const objectName of [...'.. ../a /fox/a.png fox//a.png fox/ fox\\a a\0b'.split(' '), 'x'.repeat(1_025)]) {
        const { bucket: bucketName } = place
        assert.deepEqual(answerOf(await remove({ bucketName, objectName })), badName, objectName)
        assert.deepEqual(answerOf(await remove({ bucketName, objectName, etag: etagOf('fox/a.png') })), badName)
      }
      const lone = '{"bucketName":"images","objectName":"fox/\\ud800"}'
      const reply = await stage.service.request('DELETE', '/admin/s3/delete', { token: owner.token, body: lone })
      assert.deepEqual(answerOf(reply), badName)
      await assertLeft(...names)
    })

    it('from a missing bucket, or one of an invalid name, is 500', async () => {
      for (const bucketName of ['nowhere', 'a.b', 'No', '..', '../images', 'images/fox', '.details', '\ud800']) {
        assert.deepEqual(answerOf(await remove({ bucketName, objectName: 'fox/a.png' })), failed, bucketName)
        assert.deepEqual(answerOf(await remove({ bucketName, etag: etagOf('fox/a.png') })), failed, bucketName)
      }
      await assertLeft(...names)
    })

    it('by an unknown ETag is 404', async () => {
      const etag = etagOf('fox/a.png')
      for (const other of [
        'f'.repeat(32),
        etag.toUpperCase(),
        etag.slice(1),
        `${etag} `,
        `W/"${etag}"`,
        `"${etag}`,
        `""${etag}""`,
        ...'" "" * __proto__'.split(' '),
        'x'.repeat(10_000),
        '\0',
      ])
        assert.deepEqual(answerOf(await remove({ bucketName: place.bucket, etag: other })), notThere, other)
      await assertLeft(...names)
    })

    it('by an ETag that two objects share is 409, and neither is removed', async () => {
      await upload('bird/same.png', bytesOf('fox/a.png'))
      const etag = etagOf('fox/a.png')
      const shared = refused(409, 'More than one object has this etag')
      assert.deepEqual(answerOf(await remove({ bucketName: place.bucket, etag })), shared)
      assert.deepEqual(answerOf(await inQuery({ bucketName: place.bucket, etag: `"${etag}"` })), shared)
      await assertLeft('bird/same.png', ...names)
      await remove({ bucketName: place.bucket, objectName: 'bird/same.png' })
      assert.deepEqual(answerOf(await remove({ bucketName: place.bucket, etag })), done(`object with etag ${etag}`))
    })

    it('takes only JSON', async () => {
      const sent = JSON.stringify({ bucketName: place.bucket, objectName: 'fox/a.png' })
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'image/png']) {
        const headers = { 'content-type': type }
        const reply = await stage.service.request('DELETE', '/admin/s3/delete', {
          token: owner.token,
          headers,
          body: sent,
        })
        assert.deepEqual(answerOf(reply), refused(415, 'Content-Type must be application/json'))
      }
      await assertLeft(...names)
    })

    it('is for administrators and owners', async () => {
      const people = await cast(stage)
      const body = { bucketName: place.bucket, objectName: 'fox/a.png' }
      const by = (token: string) => stage.service.request('DELETE', '/admin/s3/delete', { token, body })
      for (const role of ['user', 'support', 'moderator'] as const)
        assert.deepEqual(
          answerOf(await by(people[role].accessToken)),
          refused(403, 'You do not have permission to access this resource'),
        )
      await assertLeft(...names)
      for (const role of ['admin', 'owner'] as const)
        assert.deepEqual(answerOf(await by(people[role].accessToken)), done('fox/a.png'))
    })

    it('is 500 if the store fails, without the reason', async () => {
      const away = () => Promise.reject(new Unavailable('object store', new Error('a detail of the store')))
      broken.remove = away
      const reply = await remove({ bucketName: place.bucket, objectName: 'fox/a.png' })
      assert.deepEqual(answerOf(reply), failed)
      delete broken.remove
      broken.list = () => ({ [Symbol.asyncIterator]: () => ({ next: away }) })
      assert.deepEqual(answerOf(await remove({ bucketName: place.bucket, etag: etagOf('fox/a.png') })), failed)
      delete broken.list
      await assertLeft(...names)
      assert.match(JSON.stringify(stage.service.logged()), /a detail of the store/)
    })

    it('whose response is lost is 500, and the object is no longer served', async () => {
      assert.equal((await get('/i/fox/a.png')).status, 200)
      broken.remove = async (given) => {
        await place.store.remove(given)
        throw new Unavailable('object store', new Error('the connection broke'))
      }
      assert.deepEqual(answerOf(await remove({ bucketName: place.bucket, objectName: 'fox/a.png' })), failed)
      assert.equal((await get('/i/fox/a.png')).status, 404)
      await until(async () => (await images.pool('fox')).join() === 'fox/b.png')
    })
  })
}
