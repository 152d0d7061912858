import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatOf } from '../../../src/images/sizes/size.ts'
import { objectStores } from '../../support/object-stores.ts'
import { colourAt, painted } from '../../support/real-images.ts'
import { password, startService, type TestService } from '../../support/service.ts'
import { sized } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { testFolder } from '../../support/test-folder.ts'
import { until } from '../../support/until.ts'
import { get } from '../client.ts'

const [objects, database] = [objectStores[1], stores[1]]
const skip = objects?.skip || database?.skip || false
const replacements = sized(8, 40)
const path = '/i/fox/changing.png'

describe('Two instances over S3 and PostgreSQL', { skip }, () => {
  it('never send an old version under a new ETag while both replace an image and its sizes are made, and then send only the last', async () => {
    if (!objects || !database) return
    const place = await database.make()
    const { bucket, env } = await objects.make()
    const shared = { ...env, OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password, CATALOGUE_REFRESH_SECONDS: '86400' }
    const start = () => startService({ place, env: { ...shared, DATA_DIR: testFolder() } })
    const services = [await start(), await start()] as const
    const token: string = (await services[0].login('olivia')).body.accessToken
    /** Each version has a brightness of its own. */
    const versions = await Promise.all(
      Array.from({ length: replacements }, (_, index) =>
        painted(200, 150)
          .modulate({ brightness: 0.3 + index / replacements })
          .png()
          .toBuffer(),
      ),
    )
    const replace = async (service: TestService, version: number) => {
      const query = `bucketName=${bucket}&objectName=fox/changing.png`
      const headers = { 'content-type': 'image/png' }
      const body = versions[version] as Buffer
      assert.equal((await service.request('POST', `/admin/s3/upload?${query}`, { token, headers, body })).status, 200)
    }
    /** The bytes that were sent under each ETag. */
    const sent = new Map<string, Buffer>()
    const ask = async (service: TestService, query: string) => {
      const { status, headers, bytes } = await get(service.port, `${path}?${query}`)
      if (status === 404 || status === 503) return null
      assert.deepEqual([status, formatOf(bytes)], [200, 'png'])
      const etag = headers.etag as string
      assert.deepEqual(sent.get(etag) ?? bytes, bytes)
      sent.set(etag, bytes)
      return { etag, bytes }
    }

    await replace(services[0], 0)
    let isOver = false
    const asking = services.flatMap((service) =>
      ['w=160', 'w=20'].map(async (query) => {
        for (let turn = 0; !isOver || turn < 5; turn++) await ask(service, query)
      }),
    )
    for (let version = 1; version < replacements; version++)
      await replace(services[version % 2] as TestService, version)
    isOver = true
    await Promise.all(asking)

    const [expected, other] = await Promise.all(services.map((service) => ask(service, 'w=160')))
    const colour = await colourAt(expected?.bytes as Buffer, 80, 60)
    const original = await get(services[0].port, path)
    assert.deepEqual(original.bytes, versions.at(-1))
    assert.ok(other)
    await until(async () => (await ask(services[0], 'w=160'))?.etag === (await ask(services[1], 'w=160'))?.etag)
    const last = await ask(services[1], 'w=160')
    assert.deepEqual(await colourAt(last?.bytes as Buffer, 80, 60), await colourAt(versions.at(-1) as Buffer, 100, 75))
    assert.deepEqual(colour, await colourAt(last?.bytes as Buffer, 80, 60))
  })

  it('send no size of an image that the other has deleted or hidden, as soon as it follows', async () => {
    if (!objects || !database) return
    const place = await database.make()
    const { store, bucket, env } = await objects.make()
    const shared = { ...env, OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password, CATALOGUE_REFRESH_SECONDS: '86400' }
    const start = () => startService({ place, env: { ...shared, DATA_DIR: testFolder() } })
    const [one, two] = [await start(), await start()]
    const token: string = (await one.login('olivia')).body.accessToken
    const image = await painted(200, 150).png().toBuffer()
    const put = async (name: string) => {
      const query = `bucketName=${bucket}&objectName=${name}`
      await one.request('POST', `/admin/s3/upload?${query}`, {
        token,
        headers: { 'content-type': 'image/png' },
        body: image,
      })
      assert.equal((await get(two.port, `/i/${name}?w=160`)).status, 200)
    }
    await put('fox/deleted.png')
    await put('fox/hidden.png')
    const body = { bucketName: bucket, objectName: 'fox/deleted.png' }
    assert.equal((await one.request('DELETE', '/admin/s3/delete', { token, body })).status, 200)
    assert.equal((await get(one.port, '/i/fox/deleted.png?w=160')).status, 404)
    await until(async () => (await get(two.port, '/i/fox/deleted.png?w=160')).status === 404)
    await one.request('POST', '/images/report', { token, body: { name: 'fox/hidden.png', reason: 'no' } })
    const [report] = (await one.request('GET', '/admin/reports', { token })).body.reports
    await one.request('POST', `/admin/reports/${report.id}/resolve`, { token, body: { action: 'hide' } })
    assert.equal((await get(one.port, '/i/fox/hidden.png?w=160')).status, 404)
    await until(async () => (await get(two.port, '/i/fox/hidden.png?w=160')).status === 404)
    assert.ok(await store.head({ bucket, name: 'fox/hidden.png' }))
  })
})
