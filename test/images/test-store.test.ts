import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { ObjectStore } from '../../src/images/object-store.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { freePort } from '../support/free-port.ts'
import { objectStores } from '../support/object-stores.ts'
import { answerOf, cast, refused } from '../support/people.ts'
import { password, startService } from '../support/service.ts'
import { testFolder } from '../support/test-folder.ts'
import { withImages } from './admin-stage.ts'

const reachable = [200, { status: 200, message: 'Object store is reachable' }]
const exists = (bucketExists: boolean) => [200, { status: 200, bucketExists }]
const notText = refused(400, 'bucketExists must be a string')
const storeAway = refused(503, 'Object store is not reachable')

for (const objects of objectStores) {
  describe(`The test of the object store, ${objects.name}`, { skip: objects.skip }, () => {
    const changed: Partial<Pick<ObjectStore, 'check' | 'bucketExists'>> = {}
    const images = withImages(objects, {
      overrides: {
        images: {
          store: (real) => ({
            ...real,
            check: (bucket) => (changed.check ?? real.check)(bucket),
            bucketExists: (bucket) => (changed.bucketExists ?? real.bucketExists)(bucket),
          }),
        },
      },
    })
    const { stage, place, owner } = images
    const test = async (body?: unknown, query = '') =>
      answerOf(await stage.service.request('GET', `/admin/s3/test${query}`, { token: owner.token, body }))
    beforeEach(() => {
      delete changed.check
      delete changed.bucketExists
    })

    it('says that the store is reachable', async () => {
      assert.deepEqual(await test(), reachable)
    })

    it('ignores an absent or empty name and unknown fields', async () => {
      for (const body of ['', '{}', '[]', 'null', '5', '"images"', '{"bucketExists":""}', '{"bucketexists":5}'])
        assert.deepEqual(await test(body), reachable, body)
      for (const query of ['?', '?bucketExists', '?bucketExists=', '?bucketexists=x', '?bucketExists[]=x'])
        assert.deepEqual(await test(undefined, query), reachable, query)
    })

    it('says whether a bucket exists, given in the body or the query', async () => {
      for (const [name, isThere] of [
        [place.bucket, true],
        ['nowhere', false],
        [`${place.bucket}x`, false],
      ] as const) {
        assert.deepEqual(await test({ bucketExists: name }), exists(isThere))
        assert.deepEqual(await test(undefined, `?bucketExists=${name}`), exists(isThere))
      }
    })

    it('prefers the body to the query', async () => {
      assert.deepEqual(await test({ bucketExists: 'nowhere' }, `?bucketExists=${place.bucket}`), exists(false))
      assert.deepEqual(await test({ bucketExists: place.bucket }, '?bucketExists=nowhere'), exists(true))
      assert.deepEqual(await test({}, `?bucketExists=${place.bucket}`), exists(true))
    })

    it('reports an invalid bucket name as not existing', async () => {
      for (const name of [
        ...'.. . / ../images .details .temporary'.split(' '),
        `${place.bucket}/`,
        `${place.bucket}/fox`,
        `${place.bucket}\0`,
        ` ${place.bucket}`,
        'IMAGES',
        'ab',
        'x'.repeat(10_000),
        ...'192.168.0.1 __proto__ \ud800 *'.split(' '),
      ]) {
        assert.deepEqual(await test({ bucketExists: name }), exists(false), name)
        const query = `?bucketExists=${encodeURIComponent(name.slice(0, 2_000).toWellFormed())}`
        assert.deepEqual(await test(undefined, query), exists(false), name)
      }
    })

    it('refuses a name that is not a string', async () => {
      for (const bucketExists of [5, 0, null, [], ['images'], {}, { name: 'images' }, true, false])
        assert.deepEqual(await test({ bucketExists }), notText, JSON.stringify(bucketExists))
      assert.deepEqual(await test({ bucketExists: 5 }, '?bucketExists=nowhere'), notText)
    })

    it('is 503 in each form while the store is away', async () => {
      const away = () => Promise.reject(new Unavailable('object store', new Error('a detail of the store')))
      const answers = () => Promise.all([test(), ...['nowhere', 'No'].map((bucketExists) => test({ bucketExists }))])
      changed.bucketExists = away
      assert.deepEqual(await answers(), [storeAway, storeAway, storeAway])
      changed.bucketExists = () => Promise.reject(new Error('what makes no sense'))
      assert.deepEqual(await answers(), [storeAway, storeAway, storeAway])
      delete changed.bucketExists
      changed.check = away
      assert.deepEqual(await answers(), [storeAway, exists(false), exists(false)])
      delete changed.check
      assert.deepEqual(await answers(), [reachable, exists(false), exists(false)])
    })

    it('succeeds even if the bucket of the images is missing', async () => {
      changed.bucketExists = async () => false
      changed.check = () => Promise.reject(new Error('there is no bucket'))
      assert.deepEqual(await test(), reachable)
      assert.deepEqual(await test({ bucketExists: place.bucket }), exists(false))
    })

    it('is for administrators and owners', async () => {
      const people = await cast(stage)
      const mayNot = refused(403, 'You do not have permission to access this resource')
      for (const [role, { accessToken: token }] of Object.entries(people)) {
        const reply = await stage.service.request('GET', '/admin/s3/test', { token })
        assert.deepEqual(answerOf(reply), role === 'admin' || role === 'owner' ? reachable : mayNot, role)
      }
    })
  })
}

describe('A service whose store is away from the start', () => {
  it('starts, and the test is 503 in each form', async () => {
    const folder = testFolder()
    const env = {
      DATA_DIR: folder,
      OWNER_USERNAME: 'olivia',
      OWNER_PASSWORD: password,
      S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    }
    const service = await startService({ env })
    const token = (await service.login('olivia')).body.accessToken
    for (const query of ['', '?bucketExists=images', '?bucketExists=No']) {
      const reply = await service.request('GET', `/admin/s3/test${query}`, { token })
      assert.deepEqual(answerOf(reply), storeAway, query)
    }
    const upload = await service.request('POST', '/admin/s3/upload?bucketName=images&objectName=fox/a.png', {
      token,
      headers: { 'content-type': 'image/png' },
      body: 'bytes',
    })
    assert.deepEqual(answerOf(upload), refused(500, 'Error uploading object'))
    const body = { bucketName: 'images', objectName: 'fox/a.png' }
    const removed = await service.request('DELETE', '/admin/s3/delete', { token, body })
    assert.deepEqual(answerOf(removed), refused(500, 'Error deleting object'))
    assert.doesNotMatch(upload.text + removed.text, /127\.0\.0\.1/)
  })
})
