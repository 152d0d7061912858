import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toolJson } from '../cli/tool.ts'
import { kinds } from '../contract.ts'
import { objectStores, putInto } from '../support/object-stores.ts'
import { type Reply, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { answerOf, refused } from './image-stage.ts'

/** Names of prototypes, of the proxy's path, and what looks like an option. */
const own = ['cat', 'constructor', 'i', '-3d']
const picture = Buffer.from('a picture')

for (const objects of objectStores)
  describe(`Custom kinds on ${objects.name}`, { skip: objects.skip }, () => {
    it('behave like the nine, and are added and removed by a restart that keeps all images', async () => {
      const { store, bucket, env } = await objects.make()
      const put = putInto(store, bucket)
      await put('fox/a.png', picture)
      await put('cat/old.png', picture)

      const start = async (extra: string) => {
        const more = { IMAGE_KINDS_EXTRA: extra, OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'a keeper of many kinds' }
        const service = await startService({ env: { ...env, ...more } })
        const token = (await service.login('keeper', more.OWNER_PASSWORD)).body.accessToken
        const get = (path: string): Promise<Reply> => service.request('GET', path, { token })
        const counts = async () =>
          (await get('/images')).body.kinds.map(({ kind, count }: Record<string, unknown>) => [kind, count])
        return { service, token, get, counts }
      }

      const none = await start('')
      const unmatched = refused(404, 'Not Found - GET /images/cat/random')
      assert.deepEqual(answerOf(await none.get('/images/cat/random')), unmatched)
      assert.deepEqual(await none.counts(), [['fox', 1], ...kinds.slice(1).map((kind) => [kind, 0])])
      await none.service.close()

      const { service, token, get, counts } = await start(own.join(', '))
      for (const kind of own.slice(1)) {
        const missing = refused(404, `No ${kind} images found in bucket`)
        assert.deepEqual(answerOf(await get(`/images/${kind}/random`)), missing)
        const target = `/admin/s3/upload?bucketName=${bucket}&objectName=${kind}/new.png`
        const { status } = await service.request('POST', target, {
          token,
          headers: { 'content-type': 'image/png' },
          body: picture,
        })
        assert.equal(status, 200)
        assert.equal((await get(`/images/${kind}/random`)).body.name, `${kind}/new.png`)
        assert.equal((await get(`/images/${kind}`)).body.images.length, 1)
        assert.equal((await get(`/i/${kind}/new.png`)).text, 'a picture')
      }
      await until(async () => (await get('/images/cat')).body.images.length === 1)
      assert.deepEqual(
        (await counts()).slice(kinds.length),
        own.map((kind) => [kind, 1]),
      )
      assert.match((await get('/images/random?kinds=cat,-3d')).body.name, /^(cat\/old|-3d\/new)\.png$/)
      const all = [...kinds, ...own]
      const badKinds = refused(400, `kinds must be a list of ${all.join(', ')}`)
      assert.deepEqual(answerOf(await get('/images/random?kinds=dog')), badKinds)

      const { paths } = (await get('/openapi.json')).body
      for (const path of ['/images/{kind}', '/images/{kind}/random'])
        assert.deepEqual(paths[path].get.parameters[0].schema.enum, all)
      for (const page of ['/docs', '/docs.md']) assert.match((await get(page)).text, /-3d/)
      const metrics = (await get('/metrics')).text
      assert.match(metrics, /menagerie_catalogue_objects\{kind="constructor"\} 1\n/)
      assert.match(metrics, /route="\/images\/-3d\/random"/)
      const listed = await toolJson(service.env, ['images', 'list', '--kind', '-3d'])
      assert.deepEqual(
        listed.images.map(({ name }: { name: string }) => name),
        ['-3d/new.png'],
      )
      await service.close()

      const fewer = await start('i')
      assert.deepEqual((await fewer.counts()).slice(kinds.length), [['i', 1]])
      assert.equal((await fewer.get('/i/cat/old.png')).status, 404)
      assert.equal((await fewer.get('/i/i/new.png')).status, 200)
      assert.notEqual(await store.head({ bucket, name: 'cat/old.png' }), null)
    })

    it('named tags or report keep the routes of the contract', async () => {
      const { store, bucket, env } = await objects.make()
      const put = putInto(store, bucket)
      const reserved = ['tags', 'report']
      for (const kind of reserved) await put(`${kind}/a.png`, picture)
      const service = await startService({ env: { ...env, IMAGE_KINDS_EXTRA: reserved.join() } })
      const token = (await service.register('keeper')).accessToken
      for (const kind of reserved) {
        const { name } = (await service.request('GET', `/images/${kind}/random`, { token })).body
        assert.equal(name, `${kind}/a.png`)
        assert.equal((await service.request('GET', `/i/${name}`)).text, 'a picture')
      }
      const { tags, images } = (await service.request('GET', '/images/tags', { token })).body
      assert.deepEqual([tags, images], [[], undefined])
      const body = { name: 'report/a.png', reason: 'No report' }
      assert.equal((await service.request('POST', '/images/report', { token, body })).status, 201)
    })
  })
