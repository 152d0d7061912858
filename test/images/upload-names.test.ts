import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { ask, head } from '../http/wire.ts'
import { objectStores } from '../support/object-stores.ts'
import { refused } from '../support/people.ts'
import { anyCodePoint, assertProperty } from '../support/seed.ts'
import { someOf } from '../support/size.ts'
import { besideTheBucket, isOutside, withImages } from './admin-stage.ts'

const badName = refused(400, 'objectName is not a valid object name')
const badBucket = refused(400, 'bucketName is not a valid bucket name')

/** As written in the query. `canary` is the name that would appear outside. */
const badNames = [
  ...'../canary ..%2fcanary %2e%2e/canary %2E%2E%2Fcanary .. . / %2F ./canary fox/./canary fox/.. fox/.'.split(' '),
  ...'fox/../../canary fox%2f..%2f..%2f..%2fcanary /canary //canary %2Ftmp%2Fcanary fox//canary'.split(' '),
  ...'fox/canary/ ..%5Ccanary fox\\canary C:%5Ccanary %5C%5Cserver%5Ccanary %00 canary%00 canary%00.png'.split(' '),
  ...'fox/%0acanary fox/canary%0D%0ASet-Cookie:%20a=b fox/%1b[31mcanary fox/%7Fcanary fox/%C2%80canary'.split(' '),
  ...'fox/%C2%9Fcanary %01 fox/abc%01/%01def'.split(' '),
  'x'.repeat(1_025),
  `fox/${'x'.repeat(1_021)}`,
  '%C3%A9'.repeat(513),
  '%F0%9F%A6%8A'.repeat(257),
]

const badBuckets = [
  ...'../canary ..%2Fcanary .. . / .temporary .details images%2F..%2Fcanary images/fox images%00'.split(' '),
  ...'images%0a %20images images%20 images. -images Images IMAGES im_ages im%C3%A4ges ab'.split(' '),
  'x'.repeat(64),
  'x'.repeat(10_000),
  ...'a..b a.-b 192.168.0.1 xn--canary sthree-canary canary-s3alias __proto__ * %25 $(id) images?x'.split(' '),
  ...'http:%2F%2F127.0.0.1'.split(' '),
]

/** Names that are plain data, as written in the query. */
const oddNames: readonly (readonly [sent: string, name: string])[] = [
  ...'fox/a/b.png fox/%zz.png fox/... fox/..png fox/a..b.png ..fox/a.png .details/a .temporary/a ~/.ssh/id'
    .split(' ')
    .map((name) => [name, name] as const),
  ...'-rf __proto__ constructor/prototype fox/$(id);`id`|id fox/* fox/CON.png:stream'
    .split(' ')
    .map((name) => [name, name] as const),
  ['fox/..%252fcanary', 'fox/..%2fcanary'],
  ['%252e%252e%252fcanary', '%2e%2e%2fcanary'],
  ['fox/%2541.png', 'fox/%41.png'],
  ['fox/with%20space.png', 'fox/with space.png'],
  ['fox/with+space.png', 'fox/with space.png'],
  ['fox/%20', 'fox/ '],
  ['fox/a%2Bb.png', 'fox/a+b.png'],
  ['fox/a%3Fb%23c%26d%3De.png', 'fox/a?b#c&d=e.png'],
  ["fox/'%20OR%20'1'='1", "fox/' OR '1'='1"],
  ['fox/%3Cscript%3E%22', 'fox/<script>"'],
  ['fox/%E7%8B%90.png', 'fox/狐.png'],
  ['fox/%F0%9F%A6%8A.png', 'fox/🦊.png'],
  ['fox/%C3%A9.png', 'fox/\u00e9.png'],
  ['fox/e%CC%81.png', 'fox/e\u0301.png'],
  ['fox/%E2%80%AEgnp.exe', 'fox/\u202egnp.exe'],
  ['fox/%E2%80%A8', 'fox/\u2028'],
  ['fox/%EF%BB%BF', 'fox/\ufeff'],
  // Invalid UTF-8 is read as U+FFFD.
  ['fox/%ED%A0%80.png', 'fox/\ufffd\ufffd\ufffd.png'],
  ['fox/%ff.png', 'fox/\ufffd.png'],
  ['fox/%C0%AE%C0%AE%C0%AFcanary', 'fox/\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdcanary'],
  [`long/${'x'.repeat(1_019)}`, `long/${'x'.repeat(1_019)}`],
  [`${'long/'.repeat(204)}longer`.slice(0, 1_024), `${'long/'.repeat(204)}longer`.slice(0, 1_024)],
  [`unicode/${'%C3%A9'.repeat(508)}`, `unicode/${'é'.repeat(508)}`],
]

for (const objects of objectStores) {
  describe(`The name of an upload, ${objects.name}`, { skip: objects.skip }, () => {
    const images = withImages(objects)
    const { stage, place, owner, upload, get } = images
    const asked = async (query: string, body = 'bytes') => {
      const headers = { token: owner.token, 'Content-Type': 'image/png', 'Content-Length': body.length }
      const { status, json } = await ask(stage.service.port, head('POST', `/admin/s3/upload?${query}`, headers) + body)
      return [status, json]
    }
    const named = (objectName: string) => asked(`bucketName=${place.bucket}&objectName=${objectName}`)
    let beside: Record<string, string>
    before(() => {
      beside = besideTheBucket(place)
    })

    const assertNothingChanged = async () => {
      assert.deepEqual(await images.objects(), {})
      assert.deepEqual(besideTheBucket(place), beside)
      for (const name of ['canary', 'canary.png']) assert.equal(isOutside(place, name), false)
    }

    for (const name of someOf(13, badNames)) {
      it(`is refused as ${name.slice(0, 40)}, ${name.length} characters as sent`, async () => {
        assert.deepEqual(await named(name), badName)
      })
    }

    it('that is refused changes nothing', assertNothingChanged)

    for (const bucket of someOf(12, badBuckets)) {
      it(`is refused in a bucket ${bucket.slice(0, 40)}, ${bucket.length} characters as sent`, async () => {
        assert.deepEqual(await asked(`bucketName=${bucket}&objectName=fox/canary.png`), badBucket)
      })
    }

    it('is refused if the bucket does not exist', async () => {
      for (const bucket of ['constructor', 'objects', 'a.b', '0'.repeat(63), '127-0-0-1'])
        assert.deepEqual(
          await asked(`bucketName=${bucket}&objectName=canary`),
          refused(404, 'Bucket not found'),
          bucket,
        )
      await assertNothingChanged()
    })

    it('of any characters either stores the object of that name, or is 400 and stores nothing', async () => {
      const awkward = fc.constantFrom('.', '/', '\\', '%', '\0', '\u0001', 'é', '🦊', ' ', '+', 'a', '..', '\ud800')
      const names = fc.oneof(fc.string({ unit: anyCodePoint, maxLength: 40 }), fc.array(awkward, { maxLength: 12 }))
      await assertProperty(
        fc.asyncProperty(names, async (given) => {
          const name = typeof given === 'string' ? given : given.join('')
          const { status, body } = await upload(name, 'bytes')
          const found = await images.objects()
          assert.deepEqual(Object.keys(found), status === 200 ? [body.objectName] : [])
          assert.ok(status === 200 ? body.objectName === name.toWellFormed() : status === 400, `${status} for ${name}`)
          assert.deepEqual(besideTheBucket(place), beside)
          if (status === 200) await place.store.remove({ bucket: place.bucket, name: body.objectName })
        }),
        { numRuns: 150 },
      )
    })

    // Not earlier, since the deep ones leave folders, which make each later list slower.
    for (const [sent, name] of someOf(13, oddNames)) {
      it(`is plain data as ${sent.slice(0, 40)}, ${sent.length} characters as sent`, async () => {
        const [status, body] = await named(sent)
        assert.deepEqual([status, body.objectName], [200, name])
        assert.deepEqual(Object.keys(await images.objects()), [name])
        assert.deepEqual(besideTheBucket(place), beside)
        assert.deepEqual(await images.pool('fox'), [])
        const removed = await images.remove({ bucketName: place.bucket, objectName: name })
        assert.deepEqual([removed.status, removed.body.object], [200, name])
        assert.deepEqual(await images.objects(), {})
      })
    }

    it('joins the pool exactly if the proxy serves it', async () => {
      const served = ['kiss/a.png', 'kiss/A.b-c_d', 'kiss/.png', 'kiss/-', `kiss/${'x'.repeat(1_019)}`]
      const others = ['kis', 'kisses/a.png', 'Kiss/a.png', 'kiss/a/b.png', 'kiss/ä.png', 'kiss/a b', 'kiss/a..png']
      for (const name of [...served, ...others]) assert.equal((await upload(name, name)).status, 200, name)
      assert.deepEqual(await images.pool('kiss'), [...served].sort())
      for (const name of served) assert.equal((await get(`/i/${name}`)).text, name)
      for (const name of others) assert.equal((await get(`/i/${encodeURI(name)}`)).status, 404)
    })
  })
}
