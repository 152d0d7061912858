import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReporter, type Status, statuses } from '../../src/reporter/reporter.ts'
import { statuses as workersStatuses } from '../../src/status/statuses.ts'
import { limits, stage } from './reporter-stage.ts'
import { holds, takes, turns, until } from './worker-stage.ts'

describe('The reporter', limits, () => {
  it('says what the worker takes, under the path of its address', async (t) => {
    const { worker, reporter } = await stage(t)
    const under = createReporter({ url: `${worker.url}/status/?key=1` })
    reporter.report('object-store', 'degraded')
    assert.equal(await reporter.flush(), true)
    under.report('api', 'operational')
    assert.equal(await under.flush(), true)
    const heard = worker.asked.map(({ request, body }) => [request.method, request.url, body])
    assert.deepEqual(heard, [
      ['POST', '/heartbeat/object-store', '{"status":"degraded"}'],
      ['POST', '/status/heartbeat/api?key=1', '{"status":"operational"}'],
    ])
    for (const { request } of worker.asked) {
      const { 'content-type': type, connection, origin } = request.headers
      assert.deepEqual([type, connection, origin], ['application/json', 'close', undefined])
    }
    assert.equal(reporter.failures, 0)
  })

  it('knows the statuses that the worker knows', () => {
    assert.deepEqual(statuses, workersStatuses)
  })

  it('tells the same status as often as it is reported: each is a sign of life', async (t) => {
    const { worker, reporter } = await stage(t)
    for (let beat = 0; beat < 3; beat++) {
      reporter.report('api', 'operational')
      assert.equal(await reporter.flush(), true)
    }
    assert.deepEqual(worker.told, Array(3).fill('api operational'))
  })

  it('has one request under way for a component, and then tells the newest', async (t) => {
    const { worker, reporter } = await stage(t)
    worker.act = holds
    reporter.report('api', 'degraded')
    await until(() => worker.asked.length === 1)
    for (const status of ['outage', 'maintenance', 'partial'] as const) reporter.report('api', status)
    reporter.report('fence', 'operational')
    await until(() => worker.asked.length === 2)
    assert.deepEqual(worker.told, ['api degraded', 'fence operational'])
    worker.act = takes
    for (const asked of [...worker.asked]) takes(asked)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(worker.told, ['api degraded', 'fence operational', 'api partial'])
  })

  it('does not repeat what is being told just now', async (t) => {
    const { worker, reporter } = await stage(t)
    worker.act = holds
    reporter.report('api', 'degraded')
    await until(() => worker.asked.length === 1)
    reporter.report('api', 'outage')
    reporter.report('api', 'degraded')
    for (const asked of worker.asked) takes(asked)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(worker.told, ['api degraded'])
  })

  it('has few requests under way, over all components, and forgets none', async (t) => {
    const { worker, reporter } = await stage(t, { mostAtOnce: 3 })
    worker.act = holds
    const ids = Array.from({ length: 12 }, (_, index) => `part-${index}`)
    for (const id of ids) reporter.report(id, 'operational')
    for (let index = 0; index < ids.length; index++) {
      await until(() => worker.asked.length === Math.min(index + 3, ids.length))
      takes(worker.asked[index] as never)
    }
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(worker.told.sort(), ids.map((id) => `${id} operational`).sort())
    assert.equal(worker.most, 3)
  })

  it('never throws and never waits: what cannot be a report is counted', async (t) => {
    const { worker, reporter } = await stage(t)
    for (const id of ['', '-a', 'a/b', '..', 'a b', 'é', 'x'.repeat(65), '\ud800', null, Symbol('a'), {}])
      assert.equal(reporter.report(id as string, 'operational'), undefined)
    for (const status of ['', 'up', 'toString', null, Symbol('a')]) reporter.report('api', status as Status)
    assert.equal(reporter.failures, 16)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(worker.told, [])
  })

  it('knows a thousand components and no more, and says so once', async (t) => {
    const { worker, reporter, log } = await stage(t)
    worker.act = holds
    for (let index = 0; index < 1_100; index++) reporter.report(`part-${index}`, 'operational')
    assert.equal(reporter.failures, 100)
    reporter.report('part-0', 'outage')
    assert.equal(reporter.failures, 100)
    assert.deepEqual(log.lines, [
      { level: 'warn', fields: { component: 'part-1000' }, message: 'no more than 1000 components are reported' },
    ])
  })

  for (const url of ['', 'localhost:3001', '/heartbeat', 'ftp://localhost', 'file:///x']) {
    it(`is refused with the address ${JSON.stringify(url)}`, () => {
      assert.throws(() => createReporter({ url }), TypeError)
    })
  }

  for (const name of ['timeoutMs', 'mostAtOnce']) {
    it(`is refused with a ${name} that none can be`, () => {
      for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '4', null])
        assert.throws(() => createReporter({ url: 'http://localhost', [name]: value }), {
          name: 'TypeError',
          message: new RegExp(name),
        })
    })
  }

  it('is refused with a part of an exchange at a time', () => {
    assert.throws(() => createReporter({ url: 'http://localhost', mostAtOnce: 1.5 }), TypeError)
  })

  it('waits for an answer as long as timers can, where it may wait longer', async (t) => {
    const { worker, reporter, pass } = await stage(t, { timeoutMs: 2 ** 40 })
    worker.act = holds
    reporter.report('api', 'operational')
    await until(() => worker.asked.length === 1)
    pass(2 ** 31 - 2)
    await turns()
    assert.equal(reporter.failures, 0)
    pass(1)
    await until(() => reporter.failures === 1)
  })
})
