import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReporter, type ReportOptions, type Status, statuses } from '../../src/reporter/reporter.ts'
import { statuses as workersStatuses } from '../../src/status/statuses.ts'
import { limits, stage } from './reporter-stage.ts'
import { holds, takes, turns, until } from './worker-stage.ts'

describe('The reporter', limits, () => {
  it('sends the heartbeats that the worker expects, below the path of its URL', async (t) => {
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

  it('sends a status as often as it is reported: each is a heartbeat', async (t) => {
    const { worker, reporter } = await stage(t)
    for (let beat = 0; beat < 3; beat++) {
      reporter.report('api', 'operational')
      assert.equal(await reporter.flush(), true)
    }
    assert.deepEqual(worker.told, Array(3).fill('api operational'))
  })

  it('has one request in flight per component, and then sends the newest status', async (t) => {
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

  it('does not repeat the status that is in flight', async (t) => {
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

  it('limits concurrent requests over all components, and drops none', async (t) => {
    const { worker, reporter } = await stage(t, { maxConcurrent: 3 })
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

  it('never throws and never waits: an invalid report is counted, and was not accepted', async (t) => {
    const { worker, reporter } = await stage(t)
    for (const id of ['', '-a', 'a/b', '..', 'a b', 'é', 'x'.repeat(65), '\ud800', null, Symbol('a'), {}])
      assert.equal(reporter.report(id as string, 'operational'), undefined)
    for (const status of ['', 'up', 'toString', null, Symbol('a')]) reporter.report('api', status as Status)
    assert.equal(reporter.failures, 16)
    assert.equal(await reporter.flush(), false)
    assert.deepEqual(worker.told, [])
  })

  it('says when the next report is due, how late it may be, and why', async (t) => {
    const { worker, reporter } = await stage(t)
    const sent = async (status: Status, options?: ReportOptions) => {
      reporter.report('backup', status, options)
      assert.equal(await reporter.flush(), true)
      return JSON.parse(worker.asked.at(-1)?.body ?? '')
    }
    const terms = { expectWithinSeconds: 93_600, graceSeconds: 600, message: '41 GB' }
    assert.deepEqual(await sent('operational', terms), { status: 'operational', ...terms })
    assert.deepEqual(await sent('outage', { message: 'x'.repeat(501) }), { status: 'outage', message: 'x'.repeat(500) })
    const nightly = { schedule: '0 3 * * 1-5', tz: 'Europe/Berlin' }
    assert.deepEqual(await sent('operational', nightly), { status: 'operational', ...nightly })
    assert.deepEqual(await sent('degraded', { durationMs: 1_234.5 }), { status: 'degraded', durationMs: 1_234.5 })
    assert.deepEqual(await sent('operational'), { status: 'operational' })
    assert.deepEqual(await sent('operational', null as never), { status: 'operational' })
  })

  it('keeps the terms of a report that was not delivered, unless the newer one has its own', async (t) => {
    const { worker, reporter } = await stage(t)
    worker.act = holds
    reporter.report('backup', 'operational')
    await until(() => worker.asked.length === 1)
    reporter.report('backup', 'operational', { expectWithinSeconds: 93_600, graceSeconds: 600, message: 'first' })
    reporter.report('backup', 'degraded', { graceSeconds: 60 })
    reporter.report('door', 'operational', { expectWithinSeconds: 60 })
    reporter.report('door', 'operational', { schedule: '@daily' })
    reporter.report('door', 'degraded')
    reporter.report('fence', 'maintenance', { expectWithinSeconds: 3_600 })
    reporter.report('fence', 'operational')
    worker.act = takes
    takes(worker.asked[0] as never)
    assert.equal(await reporter.flush(), true)
    const [backup, door, fence] = ['backup', 'door', 'fence'].map(
      (name) => worker.asked.filter(({ id }) => id === name).at(-1)?.body,
    )
    assert.deepEqual(JSON.parse(backup ?? ''), { status: 'degraded', expectWithinSeconds: 93_600, graceSeconds: 60 })
    assert.deepEqual(JSON.parse(door ?? ''), { status: 'degraded', schedule: '@daily' })
    // How long a maintenance may last says nothing of the time after it.
    assert.deepEqual(JSON.parse(fence ?? ''), { status: 'operational' })
  })

  it('counts a report with an invalid option, and logs the first one', async (t) => {
    const { worker, reporter, log } = await stage(t)
    const invalid = [
      ...[Number.NaN, 9, 93_600.5, 2_678_401].map((expectWithinSeconds) => ({ expectWithinSeconds })),
      ...['60', 1n, -1].map((graceSeconds) => ({ graceSeconds })),
      ...[Number.NaN, -1, 86_400_001, '5', Number.POSITIVE_INFINITY].map((durationMs) => ({ durationMs })),
      ...[{ message: 5 }, { schedule: 5 }, { tz: 'UTC' }, { schedule: '@daily', expectWithinSeconds: 60 }],
    ]
    for (const options of invalid) reporter.report('backup', 'operational', options as never)
    assert.equal(reporter.failures, invalid.length)
    assert.deepEqual(worker.told, [])
    const message = 'not reported: invalid component, status or option'
    assert.deepEqual(log.lines, [{ level: 'warn', fields: { component: 'backup' }, message }])
  })

  it('is not delivered while the newest report of a component is invalid', async (t) => {
    const { reporter } = await stage(t)
    reporter.report('backup', 'fine' as never)
    assert.equal(await reporter.flush(), false)
    reporter.report('backup', 'operational')
    assert.equal(await reporter.flush(), true)
    reporter.report('bad name!', 'operational')
    assert.equal(await reporter.flush(), false)
  })

  it('has at most 1000 components, and logs that once', async (t) => {
    const { worker, reporter, log } = await stage(t)
    worker.act = holds
    for (let index = 0; index < 1_100; index++) reporter.report(`part-${index}`, 'operational')
    assert.equal(reporter.failures, 100)
    reporter.report('part-0', 'outage')
    assert.equal(reporter.failures, 100)
    assert.deepEqual(log.lines, [
      {
        level: 'warn',
        fields: { component: 'part-1000' },
        message: 'not reported: a reporter has at most 1000 components',
      },
    ])
  })

  for (const url of ['', 'localhost:3001', '/heartbeat', 'ftp://localhost', 'file:///x']) {
    it(`refuses the URL ${JSON.stringify(url)}`, () => {
      assert.throws(() => createReporter({ url }), TypeError)
    })
  }

  for (const name of ['timeoutMs', 'maxConcurrent']) {
    it(`refuses an invalid ${name}`, () => {
      for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '4', null])
        assert.throws(() => createReporter({ url: 'http://localhost', [name]: value }), {
          name: 'TypeError',
          message: new RegExp(name),
        })
    })
  }

  it('refuses a fractional maxConcurrent', () => {
    assert.throws(() => createReporter({ url: 'http://localhost', maxConcurrent: 1.5 }), TypeError)
    for (const instance of ['', 'a b', '-a', 'x'.repeat(65)])
      assert.throws(() => createReporter({ url: 'http://localhost', instance }), TypeError)
  })

  it('caps its timeout at the longest that timers support', async (t) => {
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
