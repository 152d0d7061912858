import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { NoSuchBucket, type ObjectStore, type Stored } from '../../src/images/object-store.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { ask, chunked, head, Wire } from '../http/wire.ts'
import { objectStores } from '../support/object-stores.ts'
import { answerOf, refused } from '../support/people.ts'
import { until, watchWrites, withImages } from './admin-stage.ts'

const failed = refused(500, 'Error uploading object')
const md5 = (bytes: string | Uint8Array) => createHash('md5').update(bytes).digest('hex')
const half = 50_000
const bytes = 'z'.repeat(2 * half)
const old = 'the old bytes'

for (const objects of objectStores) {
  describe(`A store that fails an upload, ${objects.name}`, { skip: objects.skip }, () => {
    const watched = watchWrites()
    const other: Partial<ObjectStore> = {}
    const images = withImages(objects, {
      overrides: {
        images: {
          store(real) {
            const store = watched.store(real)
            return {
              ...store,
              bucketExists: (bucket) => (other.bucketExists ?? real.bucketExists)(bucket),
              remove: (place) => (other.remove ?? real.remove)(place),
              head: (place, signal) => (other.head ?? real.head)(place, signal),
            }
          },
        },
      },
    })
    const { stage, place, owner, upload, uploadPath, get } = images
    const answers = (changed: Partial<Stored>) => {
      watched.change = async (real, given) => ({ ...(await real.write(given)), ...changed })
    }
    beforeEach(() => {
      watched.change = null
      for (const name of Object.keys(other)) delete other[name as keyof ObjectStore]
    })

    const inChunks = async (name: string) => {
      const headers = { token: owner.token, 'Content-Type': 'image/png', 'Transfer-Encoding': 'chunked' }
      const request = head('POST', uploadPath(name), headers) + chunked(bytes)
      const { status, json } = await ask(stage.service.port, request)
      return [status, json]
    }

    it('with an ETag that is not the MD5 of the bytes is 500, and the object is removed', async () => {
      await upload('fox/wrong.png', old)
      assert.equal((await get('/i/fox/wrong.png')).text, old)
      answers({ etag: '0'.repeat(32) })
      assert.deepEqual(answerOf(await upload('fox/wrong.png', bytes)), failed)
      assert.equal((await get('/i/fox/wrong.png')).status, 404)
      assert.deepEqual(await images.objects(), {})
      await until(async () => (await images.pool('fox')).length === 0)
      assert.match(JSON.stringify(stage.service.logged()), new RegExp(`0{32} .*${md5(bytes)}`))
    })

    for (const [title, changed] of Object.entries({
      'in capitals': { etag: md5(bytes).toUpperCase() },
      'of several parts': { etag: `${md5('parts')}-2` },
      'that is no hash': { etag: 'W-abc' },
      'of encrypted bytes': { etag: md5('encrypted'), isEtagOpaque: true },
    })) {
      it(`with an ETag ${title} is believed, and the reply has it unchanged`, async () => {
        answers(changed)
        const { status, body } = await upload('bird/believed.png', bytes)
        assert.deepEqual([status, body.etag], [200, changed.etag])
        assert.deepEqual(await images.pool('bird'), ['bird/believed.png'])
        assert.equal((await get('/i/bird/believed.png')).text, bytes)
      })
    }

    it('returns the version of an object in a versioned bucket', async () => {
      answers({ versionId: '3sL4kqtJlcpXroDTDmJ' })
      assert.equal((await upload('bird/version.png', bytes)).body.versionId, '3sL4kqtJlcpXroDTDmJ')
    })

    for (const before of ['an object', 'none']) {
      it(`half-way is 500, and leaves ${before} where ${before} was`, async () => {
        if (before === 'none') await images.remove({ bucketName: place.bucket, objectName: 'shibe/half.png' })
        else await upload('shibe/half.png', old)
        watched.change = (real, given) => {
          async function* broken() {
            let taken = 0
            for await (const chunk of given.body) {
              yield chunk.subarray(0, half - taken)
              taken += chunk.length
              if (taken >= half) throw new Error('the disk is full')
            }
          }
          return real.write({ ...given, body: broken() })
        }
        const replies = [answerOf(await upload('shibe/half.png', bytes)), await inChunks('shibe/half.png')]
        assert.deepEqual(replies, [failed, failed])
        watched.change = null
        assert.deepEqual(images.temporary(), [])
        const { status, text } = await get('/i/shibe/half.png')
        assert.deepEqual([status, status === 200 && text], before === 'none' ? [404, false] : [200, old])
        assert.deepEqual(await images.pool('shibe'), before === 'none' ? [] : ['shibe/half.png'])
      })
    }

    it('at once is 500, and the body is read off the connection', async () => {
      watched.change = () => Promise.reject(new Unavailable('object store', new Error('away')))
      const headers = { token: owner.token, 'Content-Type': 'image/png' }
      for (const request of [
        head('POST', uploadPath('hug/never.png'), { ...headers, 'Content-Length': bytes.length }) + bytes,
        head('POST', uploadPath('hug/never.png'), { ...headers, 'Transfer-Encoding': 'chunked' }) + chunked(bytes),
      ]) {
        const wire = new Wire(stage.service.port).send(request + head('GET', '/health'))
        const [first, second] = await wire.answers(2)
        wire.close()
        assert.deepEqual([first?.status, first?.json, second?.status], [...failed, 200])
      }
      assert.deepEqual(await images.pool('hug'), [])
    })

    it('after storing the object is 500, and the next request gets the new object', async () => {
      await upload('smug/lost.png', old)
      assert.equal((await get('/i/smug/lost.png')).text, old)
      watched.change = async (real, given) => {
        await real.write(given)
        throw new Unavailable('object store', new Error('the connection broke'))
      }
      assert.deepEqual(answerOf(await upload('smug/lost.png', bytes)), failed)
      assert.equal((await get('/i/smug/lost.png')).text, bytes)
      await until(async () => (await get('/images/smug/random')).body.etag === md5(bytes))
    })

    it('when asked whether the bucket exists is 500', async () => {
      other.bucketExists = () => Promise.reject(new Unavailable('object store', new Error('away')))
      assert.deepEqual(answerOf(await upload('kiss/never.png', bytes)), failed)
      assert.deepEqual(await images.pool('kiss'), [])
    })

    it('because its bucket vanishes is 404', async () => {
      watched.change = () => Promise.reject(new NoSuchBucket(place.bucket))
      assert.deepEqual(answerOf(await upload('kiss/never.png', bytes)), refused(404, 'Bucket not found'))
    })

    it('when removing a wrongly stored object is 500', async () => {
      answers({ etag: 'f'.repeat(32) })
      other.remove = () => Promise.reject(new Error('the removal failed'))
      assert.deepEqual(answerOf(await upload('kiss/wrong.png', bytes)), failed)
    })

    it('never appears in a response', async () => {
      watched.change = () => Promise.reject(new Error(`a detail of ${place.folder} and ${place.bucket}`))
      const { text, headers } = await upload('kiss/never.png', bytes)
      assert.deepEqual(JSON.parse(text), failed[1])
      assert.doesNotMatch(JSON.stringify([...headers]), /detail/)
      assert.match(JSON.stringify(stage.service.logged()), /a detail of/)
    })

    it('when rechecking the upload does not fail it', async () => {
      other.head = () => Promise.reject(new Unavailable('object store', new Error('away')))
      const { status } = await upload('slap/unseen.png', bytes)
      delete other.head
      assert.equal(status, 200)
      assert.equal((await get('/i/slap/unseen.png')).text, bytes)
    })
  })

  describe(`Uploads at the same time, ${objects.name}`, { skip: objects.skip }, () => {
    const watched = watchWrites()
    const heads: ((real: () => ReturnType<ObjectStore['head']>) => ReturnType<ObjectStore['head']>)[] = []
    const images = withImages(objects, {
      overrides: {
        images: {
          store(real) {
            const store = watched.store(real)
            const headOf: ObjectStore['head'] = (...given) => real.head(...given)
            return {
              ...store,
              head: (...given) => {
                const change = heads.shift()
                return change ? change(() => headOf(...given)) : headOf(...given)
              },
            }
          },
        },
      },
    })
    const { place, upload, get } = images

    /** Whatever the order was: list, description and bytes are of one version, and whole. */
    const assertOneVersion = async (kind: string, versions: readonly string[]) => {
      const { headers, text } = await get(`/i/${kind}/same.png`)
      assert.ok(versions.includes(text))
      assert.equal(headers.get('etag'), `"${md5(text)}"`)
      const { etag, size } = (await get(`/images/${kind}/random`)).body
      assert.deepEqual([etag, size], [md5(text), text.length])
    }

    it('of one name both succeed, and one of them is stored whole', async () => {
      for (let round = 0; round < 5; round++) {
        const versions = ['a', 'b'].map((letter, index) => `${round}${letter.repeat(half + index)}`)
        const bothWrite = Promise.withResolvers<void>()
        let writing = 0
        watched.change = async (real, given) => {
          if (++writing === 2) bothWrite.resolve()
          await bothWrite.promise
          return real.write(given)
        }
        const replies = await Promise.all(versions.map((version) => upload('fox/same.png', version)))
        assert.deepEqual(
          replies.map(({ status, body }) => [status, body.etag]),
          versions.map((version) => [200, md5(version)]),
        )
        await assertOneVersion('fox', versions)
      }
      watched.change = null
      assert.deepEqual(images.temporary(), [])
    })

    it('of 20 names all succeed', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `hug/${String(index).padStart(2, '0')}.png`)
      const replies = await Promise.all(names.map((name) => upload(name, name.repeat(5_000))))
      for (const [index, { status, body }] of replies.entries())
        assert.deepEqual([status, body.etag], [200, md5((names[index] ?? '').repeat(5_000))])
      assert.deepEqual(await images.pool('hug'), names)
      for (const name of names) assert.equal((await get(`/i/${name}`)).text, name.repeat(5_000))
      assert.deepEqual(images.temporary(), [])
    })

    it('leave the later one in the list, however late the recheck of the first ends', async () => {
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      heads.push(async (real) => {
        const found = await real()
        asked.resolve()
        await released.promise
        return found
      })
      const first = upload('bird/same.png', 'the first')
      await asked.promise
      const second = await upload('bird/same.png', 'the second')
      assert.equal((await get('/images/bird/random')).body.etag, md5('the second'))
      released.resolve()
      assert.deepEqual([(await first).status, second.status], [200, 200])
      await assertOneVersion('bird', ['the second'])
    })

    it('each show at the next request, even while a later recheck is in progress', async () => {
      const looks = [0, 1].map(() => ({
        asked: Promise.withResolvers<void>(),
        released: Promise.withResolvers<void>(),
      }))
      for (const { asked, released } of looks)
        heads.push(async (real) => {
          asked.resolve()
          await released.promise
          return real()
        })
      const replies: Promise<unknown>[] = []
      for (const [index, { asked }] of looks.entries()) {
        replies.push(upload('pat/same.png', `version ${index}`))
        await asked.promise
      }
      const seen = replies[0]?.then(() => images.pool('pat'))
      looks[0]?.released.resolve()
      // Whether the first waits for the second or not: what it shows then is there.
      for (let turn = 0; turn < 30; turn++) await get('/health')
      looks[1]?.released.resolve()
      assert.deepEqual(await seen, ['pat/same.png'])
      await Promise.all(replies)
    })

    it('and a delete leave none in the list, however late the recheck of the upload ends', async () => {
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      heads.push(async (real) => {
        const found = await real()
        asked.resolve()
        await released.promise
        return found
      })
      const first = upload('shibe/gone.png', 'the first')
      await asked.promise
      const removed = await images.remove({ bucketName: place.bucket, objectName: 'shibe/gone.png' })
      released.resolve()
      assert.deepEqual([(await first).status, removed.status], [200, 200])
      assert.deepEqual(await images.pool('shibe'), [])
      assert.equal((await get('/i/shibe/gone.png')).status, 404)
    })
  })
}
