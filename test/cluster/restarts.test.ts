import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { haproxy, missing, nginx } from '../support/balancer-programs.ts'
import { startBalancer } from '../support/balancers.ts'
import { send } from '../support/send.ts'
import { isFullSize, sized } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Sent, startLoad } from './load.ts'
import { missingServices, startServices } from './services.ts'
import { prepare } from './under-load.ts'

const perSecond = 200
const count = Number(process.env.RESTARTS || sized(4, 4, 20))
const skip = isFullSize ? missing(haproxy) || missing(nginx) || missingServices() : 'in npm run test:all'

/** Requests of every kind; one of a hundred is a login. */
async function requestsOf({ url, instances, bucket }: Cluster, token: string): Promise<(index: number) => Sent> {
  // Each login holds the row of its user, and those of one user wait for each other.
  const people = Array.from({ length: 8 }, (_, person) => ({
    username: `u-${bucket}-${person}`.slice(0, 32),
    password: 'correct horse battery',
  }))
  for (const body of people) assert.equal((await send('POST', `${url}/auth/register`, { body })).status, 201)
  const headers = { authorization: token }
  const isSeen = async () => {
    const seen = instances.map((each) => send('GET', `${each.url}/images/pat/random`, { headers }))
    return (await Promise.all(seen)).every(({ status }) => status === 200)
  }
  await until(isSeen, 'both instances know the image')
  const kinds: readonly Sent[] = [
    { method: 'GET', path: '/images/pat/random', token },
    { method: 'GET', path: '/i/pat/a.png' },
    { method: 'GET', path: '/auth/me', token },
    { method: 'GET', path: '/images/pat/random?as=bytes', token },
  ]
  return (index) =>
    index % 100 === 0
      ? { method: 'POST', path: '/auth/login', body: people[(index / 100) % people.length] ?? assert.fail() }
      : (kinds[index % kinds.length] ?? assert.fail())
}

describe(`${count} rolling restarts in a row`, { skip }, () => {
  it(`fail no request, under ${perSecond} a second through haproxy and as many through nginx`, {
    timeout: 600_000,
  }, async (t) => {
    const services = await startServices()
    atEnd(services.stop)
    // As docs/proxy.md says.
    const env = {
      SHUTDOWN_DELAY_SECONDS: '3',
      RATE_LIMIT_REGISTER_MAX: '0',
      RATE_LIMIT_REGISTER_SLOW_AFTER: '100',
    }
    const cluster = await startCluster({ ...services, folder: testFolder(), balancer: haproxy, env })
    atEnd(cluster.close)
    const { url, instances } = cluster
    const ports = instances.map(({ port }) => port)
    const next = await requestsOf(cluster, await prepare(cluster))
    const loads = [url, `http://127.0.0.1:${await startBalancer(nginx, ports)}`].map((front) =>
      startLoad({ url: front, perSecond, next, isKeptAlive: true }),
    )
    const stop = () => Promise.all(loads.map((load) => load.stop()))
    t.after(stop)
    for (let restart = 0; restart < count; restart++) await cluster.restart(instances[restart % 2] ?? assert.fail())
    await stop()
    for (const { failed } of loads) assert.deepEqual(failed, [])
    t.diagnostic(`${loads.map((load) => load.count).join(' and ')} requests`)
  })
})
