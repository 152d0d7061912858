import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { redisTimes } from '../../../src/drivers/counters/redis-link.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { atEnd } from '../../support/at-end.ts'
import { sized } from '../../support/size.ts'
import { instanceOn, ownRedis, ownRedisSkip, until } from './redis-stage.ts'

/** A proxy to Redis that delays each reply as the test says. */
async function slowWay(to: string) {
  const { hostname, port } = new URL(to)
  const way = { delayMs: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}))
    near.pipe(far)
    far.on('data', (piece) => setTimeout(() => near.writable && near.write(piece), way.delayMs))
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { way, url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

describe('A Redis that responds too late for the limits', { skip: ownRedisSkip }, () => {
  it('counts as slow, not as unavailable, until it is fast again or stops responding', async () => {
    const redis = await ownRedis()
    await redis.start()
    const { way, url, close } = await slowWay(redis.url)
    way.delayMs = 300
    const retries = { retryMs: sized(200, 1_000), maxRetryMs: sized(400, 4_000), steadyMs: sized(200, 1_000) }
    const { counters, close: closeInstance } = await instanceOn(url, systemClock, { ...redisTimes, ...retries })
    await until(() => counters.health === 'slow')
    assert.equal(counters.isUp, false)
    way.delayMs = 0
    await until(() => counters.isUp)
    await until(() => counters.health === 'up')
    await redis.signal('SIGKILL')
    await until(() => counters.health === 'down')
    await closeInstance()
    await close()
    await redis.close()
  })
})
