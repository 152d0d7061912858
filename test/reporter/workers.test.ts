import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReporter } from '../../src/reporter/reporter.ts'
import { limits, stage } from './reporter-stage.ts'
import { answers, holds, ScriptedWorker, takes, turns, until } from './worker-stage.ts'

const standsBy = answers(503, { 'Retry-After': '2' })

describe('A reporter with two workers', limits, () => {
  it('finds the active one, and stays with it', async (t) => {
    const second = await ScriptedWorker.start()
    const { worker: first, reporter, log } = await stage(t, {}, [second.url])
    first.act = standsBy
    for (const id of ['api', 'api', 'db']) {
      reporter.report(id, 'operational')
      assert.equal(await reporter.flush(), true)
    }
    assert.deepEqual(first.told, ['api operational'])
    assert.deepEqual(second.told, ['api operational', 'api operational', 'db operational'])
    assert.deepEqual([reporter.failures, log.lines], [0, []])
  })

  it('follows the lease: if one is killed, hangs or stands by, the other is asked at once, with the newest status', async (t) => {
    const second = await ScriptedWorker.start()
    const { worker: first, reporter, pass } = await stage(t, {}, [second.url])
    reporter.report('api', 'operational')
    assert.equal(await reporter.flush(), true)
    await first.stop()
    reporter.report('api', 'degraded')
    assert.equal(await reporter.flush(), true)
    await first.start()
    second.act = holds
    reporter.report('api', 'outage')
    await until(() => second.asked.length === 2)
    reporter.report('api', 'partial')
    pass(2_000)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(first.told, ['api operational', 'api partial'])
    first.act = standsBy
    second.act = takes
    reporter.report('api', 'maintenance')
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(second.told, ['api degraded', 'api outage', 'api maintenance'])
    assert.equal(reporter.failures, 0)
  })

  it('retries with backoff if neither accepts the report', async (t) => {
    const second = await ScriptedWorker.start()
    const { worker: first, reporter, log, pass } = await stage(t, {}, [second.url])
    for (const worker of [first, second]) worker.act = standsBy
    reporter.report('api', 'operational')
    await until(() => reporter.failures === 1)
    second.act = takes
    pass(999)
    await turns()
    assert.deepEqual([first.asked.length, second.asked.length], [1, 1])
    pass(1)
    await until(() => second.asked.length === 2)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(log.lines[0]?.fields, { component: 'api', outcome: 503 })
  })

  it('does not ask the second one about what the first refused', async (t) => {
    const second = await ScriptedWorker.start()
    const { worker: first, reporter } = await stage(t, {}, [second.url])
    first.act = answers(403)
    reporter.report('api', 'operational')
    assert.equal(await reporter.flush(), false)
    assert.deepEqual([reporter.failures, second.asked.length], [1, 0])
  })

  it('cannot have none', () => {
    assert.throws(() => createReporter({ url: [] }), TypeError)
  })
})
