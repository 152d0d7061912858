import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownRedis, ownRedisSkip } from '../drivers/counters/redis-stage.ts'
import { fakeClock } from '../support/clock.ts'
import { objectStores, putInto } from '../support/object-stores.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { sized } from '../support/size.ts'
import { stores } from '../support/stores.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const [objects, database] = [objectStores[1], stores[1]]
const skip = objects?.skip || database?.skip || ownRedisSkip
const rounds = sized(1, 5)

describe('An instance that was cut off from Redis', { skip }, () => {
  it('has the upload and the delete that it missed once it is reconnected, before its clock advances', async (t) => {
    if (!objects || !database) return
    const place = await database.make()
    const { store, bucket, env } = await objects.make()
    await putInto(store, bucket)('fox/0.png', Buffer.from('GIF89a 0'))
    const redis = await ownRedis()
    await redis.start()
    const proxy = await startTcpProxy(redis.url)
    const clock = fakeClock(Date.now())
    const owner = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password }
    const shared = { ...env, ...owner, CATALOGUE_REFRESH_SECONDS: '86400' }
    const start = (REDIS_URL: string, overrides = {}) =>
      startService({ place, overrides, env: { ...shared, REDIS_URL, DATA_DIR: testFolder() } })
    const [one, two] = [await start(redis.url), await start(proxy.url, { clock })]
    const token: string = (await one.login('olivia')).body.accessToken
    const names = async (service: TestService): Promise<string[]> => {
      const { images } = (await service.request('GET', '/images/fox', { token })).body
      return images.map(({ name }: { name: string }) => name)
    }
    const change = async (act: 'upload' | 'delete', name: string, body?: string) => {
      const path = `/admin/s3/${act}?bucketName=${bucket}&objectName=${name}`
      const upload = { headers: { 'content-type': 'image/gif' }, body }
      const reply = await one.request(body ? 'POST' : 'DELETE', path, { token, ...(body && upload) })
      assert.equal(reply.status, 200, reply.text)
    }
    const listeners = async () => Number(((await redis.send('PUBSUB', 'NUMSUB', 'menagerie:images:0')) as unknown[])[1])
    const took: number[] = []

    for (let round = 1; round <= rounds; round++) {
      const [old, added] = [`fox/${round - 1}.png`, `fox/${round}.png`]
      await until(async () => (await listeners()) === 2, 'both listen')
      for (const service of [one, two]) await until(async () => (await names(service))[0] === old)
      assert.equal((await two.request('GET', `/i/${old}`)).status, 200)
      proxy.be('resetting')
      // Only a listing that is still in progress may show it the upload.
      await until(async () => (await listeners()) === 1, 'one listens')
      await change('upload', added, `GIF89a ${round}`)
      await change('delete', old)
      proxy.be('open')
      await until(async () => (await listeners()) === 2, 'both listen again')
      const connectedAt = performance.now()
      await until(async () => (await names(two)).join() === added)
      assert.equal((await two.request('GET', `/i/${old}`)).status, 404)
      assert.equal((await two.request('GET', `/i/${added}`)).text, `GIF89a ${round}`)
      took.push(performance.now() - connectedAt)
    }
    t.diagnostic(`at most ${Math.round(Math.max(...took))} ms after the connection`)
  })
})
