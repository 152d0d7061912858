import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { createReporter, type Status } from '../../src/reporter/reporter.ts'
import { openWorker } from '../status/worker-stage.ts'
import { limits, stage } from './reporter-stage.ts'
import { turns, until } from './worker-stage.ts'

describe('A repeated check', limits, () => {
  it('reports its status at once and at every interval, until it is stopped', async (t) => {
    const { worker, reporter, pass } = await stage(t)
    let status: Status = 'operational'
    const stop = reporter.every('db', 30_000, () => status)
    await until(() => worker.asked.length === 1)
    pass(29_999)
    await turns()
    assert.equal(worker.asked.length, 1)
    status = 'degraded'
    pass(1)
    await until(() => worker.asked.length === 2)
    stop()
    pass(90_000)
    await turns()
    assert.deepEqual(worker.told, ['db operational', 'db degraded'])
  })

  for (const [how, check] of [
    ['throws', () => assert.fail('down')],
    ['rejects', () => Promise.reject(new Error('down'))],
  ] as const) {
    it(`reports an outage, and why, if it ${how}`, async (t) => {
      const { worker, reporter } = await stage(t)
      reporter.every('db', 30_000, check)
      await until(() => worker.asked.length === 1)
      assert.deepEqual(worker.told, ['db outage'])
      assert.equal(JSON.parse(worker.asked[0]?.body ?? '').message, 'down')
    })
  }

  it('that fails says the cause too, as of a fetch, and nothing if no error was thrown', async (t) => {
    const { worker, reporter } = await stage(t)
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    reporter.every('service', 30_000, async () =>
      (await fetch(`http://127.0.0.1:${port}`)).ok ? 'operational' : 'outage',
    )
    const odd = [Object.create(null), null, 'text', { message: { a: 1 } }]
    for (const [index, thrown] of odd.entries()) reporter.every(`odd-${index}`, 30_000, () => Promise.reject(thrown))
    await until(() => worker.asked.length === 1 + odd.length)
    const messages = new Map(worker.asked.map(({ id, body }) => [id, JSON.parse(body).message]))
    assert.match(messages.get('service'), /^fetch failed: .*ECONNREFUSED/)
    for (const index of odd.keys()) assert.equal(messages.get(`odd-${index}`), undefined)
    assert.deepEqual(new Set(worker.asked.map(({ body }) => JSON.parse(body).status)), new Set(['outage']))
  })

  it('of over a minute tells the worker when to expect the next report', async (t) => {
    const { worker, reporter } = await stage(t)
    // It must compile: TypeScript takes what an async function returns for a string if it may also return no promise.
    reporter.every('minutely', 60_000, async () => 'operational')
    reporter.every('longer', 60_001, () => 'operational')
    reporter.every('hourly', 3_600_000, async () => ((await worker.url) ? 'operational' : 'degraded'))
    reporter.every('own', 3_600_000, async () => 'operational', { expectWithinSeconds: 4_000, graceSeconds: 60 })
    reporter.every('yearly', 366 * 86_400_000, async () => 'operational')
    reporter.every('nightly', 86_400_000, async () => 'operational', { schedule: '0 3 * * *' })
    await until(() => worker.asked.length === 6)
    const bodies = worker.asked.map(({ id, body }) => [id, { ...JSON.parse(body), status: undefined }])
    const expected = {
      minutely: undefined,
      longer: 181,
      hourly: 7_260,
      own: 4_000,
      nightly: undefined,
      yearly: 2_678_400,
    }
    for (const [id, { expectWithinSeconds }] of bodies)
      assert.equal(expectWithinSeconds, expected[id as keyof typeof expected], id)
    assert.equal(worker.asked.find(({ id }) => id === 'own')?.body.includes('"graceSeconds":60'), true)
  })

  it('that is timed reports how long it took, as the worker takes it', async (t) => {
    const { worker, reporter } = await stage(t)
    const [taken, real] = [Promise.withResolvers<Status>(), await openWorker()]
    reporter.every('timed', 3_600_000, () => taken.promise, { isTimed: true })
    reporter.every('not', 3_600_000, () => 'operational')
    await until(() => worker.asked.length === 1)
    taken.resolve('operational')
    await until(() => worker.asked.length === 2)
    const [not, timed] = worker.asked.map(({ id, body }) => [id, JSON.parse(body).durationMs])
    assert.deepEqual([not, timed?.[0]], [['not', undefined], 'timed'])
    assert.ok(timed?.[1] > 0, String(timed?.[1]))
    const direct = createReporter({ url: real.url })
    direct.report('timed', 'operational', { durationMs: timed?.[1] })
    assert.equal(await direct.flush(), true)
    direct.close()
  })

  it('reports nothing while it hangs, runs once at a time, and not after the reporter was closed', async (t) => {
    const { worker, reporter, pass } = await stage(t)
    const checks: ((status: Status) => void)[] = []
    reporter.every('db', 1_000, () => new Promise((resolve) => checks.push(resolve)))
    pass(10_000)
    await turns()
    assert.deepEqual([checks.length, worker.asked.length], [1, 0])
    checks[0]?.('operational')
    await until(() => worker.asked.length === 1)
    pass(1_000)
    await until(() => checks.length === 2)
    reporter.close()
    checks[1]?.('outage')
    pass(10_000)
    await turns()
    reporter.every('db', 1_000, () => assert.fail())
    assert.deepEqual([checks.length, worker.told, reporter.failures], [2, ['db operational'], 0])
  })

  it('counts a result that is not a status, and refuses an invalid interval', async (t) => {
    const { reporter } = await stage(t)
    reporter.every('db', 1_000, () => 'up' as Status)
    await until(() => reporter.failures === 1)
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '4', null])
      assert.throws(() => reporter.every('db', value as number, () => 'operational'), TypeError)
  })
})
