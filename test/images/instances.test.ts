import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownRedis, ownRedisSkip } from '../drivers/counters/redis-stage.ts'
import { objectStores, putInto } from '../support/object-stores.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { queryServer, stores } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const [objects, database] = [objectStores[1], stores[1]]
const skip = objects?.skip || database?.skip || ownRedisSkip

/** Each makes the settings that instances share beside DATABASE_URL, and a way to end their connections. */
const channels = {
  async Redis() {
    const redis = await ownRedis()
    await redis.start()
    return { env: { REDIS_URL: redis.url }, kill: () => redis.send('CLIENT', 'KILL', 'TYPE', 'pubsub') }
  },
  async PostgreSQL(url: string) {
    const isTheirs = "application_name = 'menagerie image news' AND datname = current_database()"
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isTheirs}`
    return { env: {}, kill: () => queryServer(text, url) }
  },
}

for (const [name, open] of Object.entries(channels))
  describe(`Two instances over S3, PostgreSQL and the channel of ${name}`, { skip }, () => {
    it('follow what the other finds, changes and hides, and after a lost connection what they missed', async () => {
      if (!objects || !database) return
      const place = await database.make()
      const { env: shared, kill } = await open(place.env.DATABASE_URL as string)
      const { store, bucket, env } = await objects.make()
      const put = (each: string, text: string) => putInto(store, bucket)(`fox/${each}.png`, Buffer.from(text))
      for (const each of ['gone', 'deleted', 'replaced', 'unheard']) await put(each, 'first')

      const owner = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password }
      // Listed once; a second listing is that of a gap.
      const more = { ...env, ...shared, ...owner, CATALOGUE_REFRESH_SECONDS: '86400' }
      const start = () => startService({ place, env: { ...more, DATA_DIR: testFolder() } })
      const [one, two] = [await start(), await start()]
      const token: string = (await two.login('olivia')).body.accessToken
      const names = async (service: TestService): Promise<string[]> => {
        const { images } = (await service.request('GET', '/images/fox', { token })).body
        return images.map((image: { name: string }) => image.name.slice(4, -4))
      }
      const get = (service: TestService, each: string) => service.request('GET', `/i/fox/${each}.png`)
      const change = async (service: TestService, method: string, path: string, each: string, body: string | null) => {
        const query = `bucketName=${bucket}&objectName=fox/${each}.png`
        const headers = { 'content-type': 'image/png' }
        const reply = await service.request(method, `/admin/s3/${path}?${query}`, {
          token,
          ...(body && { headers, body }),
        })
        assert.equal(reply.status, 200, reply.text)
      }
      for (const service of [one, two]) await until(async () => (await names(service)).length === 4)
      for (const each of ['deleted', 'replaced', 'unheard']) await get(one, each)
      for (const each of await names(two)) assert.equal((await get(two, each)).text, 'first')

      await store.remove({ bucket, name: 'fox/gone.png' })
      assert.equal((await get(two, 'gone')).status, 200)
      assert.equal((await get(one, 'gone')).status, 404)
      await until(async () => (await get(two, 'gone')).status === 404)
      assert.deepEqual(await names(two), ['deleted', 'replaced', 'unheard'])

      await change(one, 'POST', 'upload', 'new', 'first')
      await until(async () => (await names(two)).includes('new'))
      await change(two, 'POST', 'upload', 'replaced', 'second')
      await until(async () => (await get(one, 'replaced')).text === 'second')
      await change(one, 'DELETE', 'delete', 'deleted', null)
      await until(async () => !(await names(two)).includes('deleted'))
      assert.equal((await get(two, 'deleted')).status, 404)

      const post = (service: TestService, path: string, body: object) => service.request('POST', path, { token, body })
      const name = 'fox/new.png'
      assert.equal((await get(two, 'new')).status, 200)
      await post(one, '/images/report', { name, reason: 'Not a fox' })
      const [report] = (await two.request('GET', '/admin/reports', { token })).body.reports
      const resolved = await post(one, `/admin/reports/${report.id}/resolve`, { action: 'hide' })
      assert.deepEqual([report.name, resolved.status, (await get(one, 'new')).status], [name, 200, 404])
      await until(async () => (await get(two, 'new')).status === 404)
      assert.ok(!(await names(two)).includes('new'))
      await post(two, '/admin/images/unhide', { name })
      await until(async () => (await get(one, 'new')).status === 200)
      for (const service of [one, two]) await until(async () => (await names(service)).includes('new'))

      // By another program, which tells nobody.
      await put('unheard', 'second')
      await put('also-unheard', 'first')
      await kill()
      for (const service of [one, two]) {
        await until(async () => (await names(service)).includes('also-unheard'))
        assert.equal((await get(service, 'unheard')).text, 'second')
      }
    })
  })
