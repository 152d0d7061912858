import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { picture } from '../cli/pictures.ts'
import { toolJson } from '../cli/tool.ts'
import { ownRedis, ownRedisSkip } from '../drivers/counters/redis-stage.ts'
import { objectStores, putInto } from '../support/object-stores.ts'
import { password, type Reply, startService, type TestService } from '../support/service.ts'
import { queryServer, stores } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const [objects, database] = [objectStores[1], stores[1]]
const skip = objects?.skip || database?.skip || ownRedisSkip

/** Each returns the settings that instances share beside DATABASE_URL, and a way to cut them off while `act` runs. */
const channels = {
  async Redis() {
    const redis = await ownRedis()
    await redis.start()
    const cut = async (act: () => Promise<void>) => {
      await redis.signal('SIGKILL')
      await act()
      await redis.start()
    }
    return { env: { REDIS_URL: redis.url }, cut }
  },
  async PostgreSQL(url: string) {
    const isTheirs = "application_name = 'menagerie image news' AND datname = current_database()"
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isTheirs}`
    const cut = async (act: () => Promise<void>) => {
      await queryServer(text, url)
      await act()
    }
    return { env: {}, cut }
  },
}

/** Two instances with four foxes, listed once: a second listing is that of a gap. What has no signature leaves the pool. */
async function openPair(open: (typeof channels)[keyof typeof channels]) {
  if (!objects || !database) throw new Error('skipped')
  const place = await database.make()
  const { env: shared, cut } = await open(place.env.DATABASE_URL as string)
  const { store, bucket, env } = await objects.make()
  const put = (each: string, text: string) => putInto(store, bucket)(`fox/${each}.png`, Buffer.from(text))
  for (const each of ['gone', 'deleted', 'replaced', 'unheard']) await put(each, `GIF89a first ${each}`)

  const owner = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password }
  const more = { ...env, ...shared, ...owner, CATALOGUE_REFRESH_SECONDS: '86400' }
  const start = () => startService({ place, env: { ...more, DATA_DIR: testFolder() } })
  const [one, two] = [await start(), await start()]
  const token: string = (await two.login('olivia')).body.accessToken
  const ask = (service: TestService, method: string, path: string, more = {}) =>
    service.request(method, path, { token, ...more })
  return {
    one,
    two,
    cut,
    put,
    ask,
    remove: (each: string) => store.remove({ bucket, name: `fox/${each}.png` }),
    async names(service: TestService): Promise<string[]> {
      const { images } = (await ask(service, 'GET', '/images/fox')).body
      return images.map((image: { name: string }) => image.name.slice(4, -4))
    },
    get: (service: TestService, each: string) => service.request('GET', `/i/fox/${each}.png`),
    async change(service: TestService, method: string, each: string, body: string | null = null) {
      const path = `/admin/s3/${method === 'POST' ? 'upload' : 'delete'}?bucketName=${bucket}&objectName=fox/${each}.png`
      const upload = { headers: { 'content-type': 'image/png' }, body }
      const reply = await ask(service, method, path, body === null ? {} : upload)
      assert.equal(reply.status, 200, reply.text)
    },
  }
}

for (const [name, open] of Object.entries(channels))
  describe(`Two instances over S3, PostgreSQL and the channel of ${name}`, { skip }, () => {
    it('show no image twice to a user who asks each in turn', async () => {
      if (!objects || !database) return
      const place = await database.make()
      const { env: shared } = await open(place.env.DATABASE_URL as string)
      const { store, bucket, env } = await objects.make()
      for (let index = 0; index < 20; index++) await putInto(store, bucket)(`fox/${index}.png`, Buffer.from('a fox'))
      const overrides = { images: { readsShapes: false } }
      const start = () => startService({ place, overrides, env: { ...env, ...shared, DATA_DIR: testFolder() } })
      const services = [await start(), await start()] as const
      const { accessToken: token } = await services[0].register('person')
      const ask = (service: TestService, method: string) =>
        service.request(method, '/images/fox/random?repeat=no', { token })
      const leftOf = ({ headers }: Reply) => Number(headers.get('x-images-remaining'))
      const seen = new Set<string>()
      for (let left = 19; left >= 0; left--) {
        const [service, other] = left % 2 ? services : [services[1], services[0]]
        const reply = await ask(service, 'GET')
        assert.equal(leftOf(reply), left)
        seen.add(reply.body.name)
        // What the other instance would show: it knows before anything is saved.
        await until(async () => leftOf(await ask(other, 'HEAD')) === (left + 19) % 20)
      }
      assert.equal(seen.size, 20)
    })

    it('follow what the other, or the tool, changes, finds and hides, and then what they missed while cut off', async () => {
      const { one, two, cut, put, remove, ask, names, get, change } = await openPair(open)
      for (const service of [one, two]) await until(async () => (await names(service)).length === 4)
      for (const each of ['deleted', 'replaced', 'unheard'])
        assert.equal((await get(one, each)).text, `GIF89a first ${each}`)
      for (const each of await names(two)) assert.equal((await get(two, each)).text, `GIF89a first ${each}`)
      const { url } = (await ask(one, 'POST', '/auth/embed', { body: { kind: 'fox' } })).body
      /** Bytes by the link and by a random choice, which come from the cache. */
      const chosen = async (service: TestService) => {
        const paths = Array.from({ length: 10 }, () => [new URL(url).pathname, '/images/fox/random?as=bytes']).flat()
        return new Set(await Promise.all(paths.map(async (path) => (await ask(service, 'GET', path)).text)))
      }

      await remove('gone')
      assert.equal((await get(two, 'gone')).status, 200)
      assert.equal((await get(one, 'gone')).status, 404)
      await until(async () => (await get(two, 'gone')).status === 404)
      assert.deepEqual(await names(two), ['deleted', 'replaced', 'unheard'])

      await change(one, 'POST', 'new', 'GIF89a first new')
      await until(async () => (await names(two)).includes('new'))
      await change(two, 'POST', 'replaced', 'GIF89a second replaced')
      await until(async () => (await get(one, 'replaced')).text === 'GIF89a second replaced')
      assert.ok(!(await chosen(one)).has('GIF89a first replaced'))
      await change(one, 'DELETE', 'deleted')
      await until(async () => !(await names(two)).includes('deleted'))
      assert.equal((await get(two, 'deleted')).status, 404)
      assert.ok(!(await chosen(two)).has('GIF89a first deleted'))

      const report = { name: 'fox/new.png', reason: 'Not a fox' }
      assert.equal((await get(two, 'new')).status, 200)
      await ask(one, 'POST', '/images/report', { body: report })
      const [{ id }] = (await ask(two, 'GET', '/admin/reports')).body.reports
      await ask(one, 'POST', `/admin/reports/${id}/resolve`, { body: { action: 'hide' } })
      assert.equal((await get(one, 'new')).status, 404)
      await until(async () => (await get(two, 'new')).status === 404)
      assert.ok(!(await names(two)).includes('new'))
      await ask(two, 'POST', '/admin/images/unhide', { body: { name: report.name } })
      await until(async () => (await get(one, 'new')).status === 200)
      for (const service of [one, two]) await until(async () => (await names(service)).includes('new'))

      const file = join(testFolder(), 'new.png')
      writeFileSync(file, picture('png'))
      await toolJson(one.env, ['images', 'upload', file, 'fox/new.png', '--yes'])
      for (const service of [one, two])
        await until(async () => (await get(service, 'new')).text === picture('png').toString())
      await toolJson(two.env, ['images', 'delete', 'fox/new.png', '--yes'])
      for (const service of [one, two]) await until(async () => (await get(service, 'new')).status === 404)

      await cut(async () => {
        await change(one, 'POST', 'replaced', 'GIF89a third replaced')
        // By another program, which tells nobody.
        await put('unheard', 'GIF89a second unheard')
        await put('also-unheard', 'GIF89a first also-unheard')
      })
      for (const service of [one, two]) {
        await until(async () => (await names(service)).includes('also-unheard'))
        await until(async () => (await get(service, 'replaced')).text === 'GIF89a third replaced')
        assert.equal((await get(service, 'unheard')).text, 'GIF89a second unheard')
      }
    })
  })

describe('Two instances over PostgreSQL without S3', { skip: database?.skip ?? false }, () => {
  it('warn that each has images of its own', async () => {
    const place = (await database?.make()) ?? assert.fail()
    const start = () => startService({ place, env: { DATA_DIR: testFolder() } })
    for (const { logged } of [await start(), await start()])
      await until(() => logged().some(({ msg }) => /images elsewhere.*S3_ENDPOINT/.test(String(msg))))
  })
})
