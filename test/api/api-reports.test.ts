import assert from 'node:assert/strict'
import http from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import type { ApiOverrides } from '../../src/api/api.ts'
import { ownRedis, ownRedisSkip } from '../drivers/counters/redis-stage.ts'
import { holds, ScriptedWorker, takes, turns, until } from '../reporter/worker-stage.ts'
import { fakeClock } from '../support/clock.ts'
import { type ServiceSpec, startService } from '../support/service.ts'
import { describeInFull, itInFull } from '../support/size.ts'

const up = { status: 200, message: 'Ready', checks: { database: 'up', objectStore: 'up', statusWorker: 'up' } }
const allUp = ['api operational', 'database operational', 'object-store operational']

/** An API that checks its parts when the test says so. */
async function stage(t: TestContext, { env = {}, overrides = {} }: ServiceSpec = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const worker = await ScriptedWorker.start()
  const service = await startService({ env: { ...env, STATUS_WORKER_URL: worker.url }, overrides })
  return {
    worker,
    service,
    /** Checks the parts, and waits for these reports. */
    async look(...told: string[]) {
      worker.asked.length = 0
      t.mock.timers.tick(2_000)
      await until(() => worker.asked.length >= told.length)
      await turns()
      assert.deepEqual(worker.told.sort(), told)
    },
    async close() {
      t.mock.timers.reset()
      await service.close()
      await worker.close()
    },
  }
}

describe('The API', { concurrency: 1 }, () => {
  it('reports itself, its database and its object store, and leaves /ready unchanged', async (t) => {
    const { worker, service, close } = await stage(t)
    await until(() => worker.asked.length === 3)
    assert.deepEqual(worker.told.sort(), allUp)
    assert.deepEqual((await service.request('GET', '/ready')).body, up)
    await close()
    assert.equal(worker.asked.length, 3)
  })

  it('reports nothing without STATUS_WORKER_URL', async (t) => {
    const asks = t.mock.method(http, 'request')
    const service = await startService()
    assert.equal((await service.request('GET', '/ready')).status, 200)
    await service.close()
    assert.equal(asks.mock.callCount(), 0)
  })

  it('counts failed reports in /metrics', async () => {
    const worker = await ScriptedWorker.start()
    await worker.close()
    const service = await startService({ env: { STATUS_WORKER_URL: worker.url } })
    const counted = async () => {
      const { text } = await service.request('GET', '/metrics')
      return Number(/^menagerie_reports_failed_total (\d+)$/m.exec(text)?.[1])
    }
    await until(async () => (await counted()) >= 3)
  })

  it('reports a change at once, as /ready sees it', async (t) => {
    const clock = fakeClock()
    let act = async () => {}
    const { worker, service, look, close } = await stage(t, {
      overrides: {
        clock,
        probes: (real) =>
          real.map((probe) => ({ ...probe, check: async () => (probe.name === 'database' ? act() : undefined) })),
      },
    })
    await until(() => worker.asked.length === 3)
    act = () => Promise.reject(new Error('gone'))
    await look('database outage')
    assert.equal((await service.request('GET', '/ready')).status, 503)
    act = async () => clock.advance(1_001)
    await look('database degraded')
    assert.deepEqual((await service.request('GET', '/ready')).body, up)
    act = async () => clock.advance(1_000)
    await look('database operational')
    await close()
  })

  itInFull('answers normally while the worker hangs', async () => {
    const worker = await ScriptedWorker.start()
    worker.act = holds
    const service = await startService({ env: { STATUS_WORKER_URL: worker.url } })
    await until(() => worker.asked.length === 3)
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.request('GET', '/ready')))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(50).fill(200),
    )
    // All of them were sent while no report had a reply.
    assert.deepEqual(worker.told.slice(0, 3).sort(), allUp)
    assert.ok(worker.asked.every(({ response }) => !response.writableEnded))
    worker.act = takes
    for (const asked of worker.asked) if (!asked.response.destroyed) takes(asked)
  })

  it('starts, answers and stops while the worker is down, and logs it once', async (t) => {
    const worker = await ScriptedWorker.start()
    await worker.stop()
    t.mock.timers.enable({ apis: ['setInterval'] })
    const service = await startService({ env: { STATUS_WORKER_URL: worker.url } })
    const said = () => service.logged().filter(({ msg }) => msg === 'the status worker did not accept a report')
    await until(() => said().length === 1)
    const { status, body } = await service.request('GET', '/ready')
    assert.deepEqual([status, body], [200, { ...up, checks: { ...up.checks, statusWorker: 'degraded' } }])
    t.mock.timers.reset()
    await service.close()
    const [line] = said()
    assert.deepEqual([said().length, line?.level, line?.outcome], [1, 'warn', 'ECONNREFUSED'])
  })
})

describeInFull('The API with Redis', { skip: ownRedisSkip }, () => {
  it('reports Redis too, and is ready but degraded without it', async (t) => {
    const redis = await ownRedis()
    await redis.start()
    const clock = fakeClock()
    // A check of a real part would seem to have taken as long as the clock is advanced.
    const probes: ApiOverrides['probes'] = (real) =>
      real.map((probe) => (probe.name === 'redis' ? probe : { ...probe, check: async () => {} }))
    const { worker, service, close } = await stage(t, { env: { REDIS_URL: redis.url }, overrides: { clock, probes } })
    const isToldAs = (status: string) =>
      until(() => {
        clock.advance(2_000)
        t.mock.timers.tick(2_000)
        return worker.told.findLast((each) => each.startsWith('redis ')) === `redis ${status}`
      })
    const isReadyWith = async (redis: 'up' | 'degraded') => {
      const { status, body } = await service.request('GET', '/ready')
      assert.deepEqual([status, body], [200, { ...up, checks: { ...up.checks, redis } }])
    }
    await isToldAs('operational')
    await isReadyWith('up')
    await redis.signal('SIGKILL')
    await isToldAs('outage')
    await isReadyWith('degraded')
    await redis.start()
    await isToldAs('operational')
    assert.deepEqual([...new Set(worker.told)].filter((each) => !each.startsWith('redis ')).sort(), allUp)
    await close()
    await redis.close()
  })
})
