import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { type Balancer, haproxy, missing, nginx } from '../support/balancer-programs.ts'
import { png } from '../support/pictures.ts'
import { send } from '../support/send.ts'
import { isFullSize } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { startCluster } from './cluster.ts'
import { type Sent, startLoad } from './load.ts'
import { startServices } from './services.ts'

const perSecond = 200
const skip = !isFullSize && 'in npm run test:all'

describe(`Rolling restarts under ${perSecond} requests a second`, { skip }, () => {
  const restarts = async (balancer: Balancer, count: number) => {
    const services = await startServices()
    atEnd(services.stop)
    const cluster = await startCluster({ ...services, folder: testFolder(), balancer })
    atEnd(cluster.close)
    const { url, owner, bucket, instances } = cluster
    const token = (await send('POST', `${url}/auth/login`, { body: owner })).body.accessToken
    const upload = `${url}/admin/s3/upload?bucketName=${bucket}&objectName=fox/a.png`
    const headers = { authorization: token, 'content-type': 'image/png' }
    assert.equal((await send('POST', upload, { headers, body: png(2, 1) })).status, 200)
    const other = { username: `u-${bucket}`, password: 'correct horse battery' }
    assert.equal((await send('POST', `${url}/auth/register`, { body: other })).status, 201)
    const kinds: readonly Sent[] = [
      { method: 'GET', path: '/images/fox/random', token },
      { method: 'GET', path: '/i/fox/a.png' },
      { method: 'GET', path: '/auth/me', token },
      { method: 'GET', path: '/images/fox/random?as=bytes', token },
    ]
    const isSeen = async () => {
      const seen = instances.map((each) => send('GET', `${each.url}/images/fox/random`, { headers }))
      return (await Promise.all(seen)).every(({ status }) => status === 200)
    }
    await until(isSeen, 'both instances know the image')
    const next = (index: number): Sent =>
      index % 100 === 0
        ? { method: 'POST', path: '/auth/login', body: other }
        : (kinds[index % kinds.length] ?? assert.fail())
    // nginx ends idle connections when it reads its configuration again.
    const load = startLoad({ url, perSecond, next, isKeptAlive: balancer.reload === undefined })
    for (let restart = 0; restart < count; restart++) await cluster.restart(instances[restart % 2] ?? assert.fail())
    await load.stop()
    assert.deepEqual(load.failed, [])
    return load.count
  }

  for (const [balancer, count] of [
    [haproxy, Number(process.env.RESTARTS || 20)],
    [nginx, Number(process.env.RESTARTS || 4)],
  ] as const)
    it(`fail no request through ${balancer.name}: ${count} in a row`, {
      skip: missing(balancer),
      timeout: 300_000,
    }, async (t) => {
      t.diagnostic(`${await restarts(balancer, count)} requests`)
    })
})
