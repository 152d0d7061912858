import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReporter } from '../../src/reporter/reporter.ts'
import { describeInFull } from '../support/size.ts'
import { program } from './program.ts'
import { holds, resets, ScriptedWorker, takes, turns, until } from './worker-stage.ts'

describe('A flush', () => {
  it('resolves at once if nothing is queued, otherwise when everything is delivered', async () => {
    const worker = await ScriptedWorker.start()
    const reporter = createReporter({ url: worker.url })
    assert.equal(await reporter.flush(), true)
    worker.act = holds
    reporter.report('api', 'outage')
    const flushes = [reporter.flush(), reporter.flush()]
    let isOver = false
    void Promise.all(flushes).then(() => {
      isOver = true
    })
    await until(() => worker.asked.length === 1)
    await turns()
    assert.equal(isOver, false)
    for (const asked of worker.asked) takes(asked)
    assert.deepEqual(await Promise.all(flushes), [true, true])
    await worker.close()
  })

  it('retries at once what waits for its backoff', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const worker = await ScriptedWorker.start()
    const reporter = createReporter({ url: worker.url })
    worker.act = resets
    for (const id of ['api', 'database']) reporter.report(id, 'outage')
    await until(() => reporter.failures === 2)
    worker.act = takes
    assert.equal(await reporter.flush(), true)
    t.mock.timers.tick(60_000)
    await turns()
    assert.equal(worker.asked.length, 4)
    await worker.close()
  })

  it('resolves with false after its timeout; delivery continues', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const worker = await ScriptedWorker.start()
    const reporter = createReporter({ url: worker.url })
    worker.act = holds
    reporter.report('api', 'outage')
    const flushed = reporter.flush(500)
    await until(() => worker.asked.length === 1)
    t.mock.timers.tick(500)
    assert.equal(await flushed, false)
    for (const asked of worker.asked) takes(asked)
    assert.equal(await reporter.flush(), true)
    await worker.close()
  })

  it('ends when the reporter is closed, and so do its connections; later reports are ignored', async () => {
    const worker = await ScriptedWorker.start()
    const reporter = createReporter({ url: worker.url })
    worker.act = holds
    reporter.report('api', 'outage')
    await until(() => worker.asked.length === 1)
    const flushed = reporter.flush()
    reporter.close()
    assert.equal(await flushed, false)
    await until(() => worker.open.size === 0)
    reporter.report('api', 'operational')
    reporter.report('database', 'operational')
    assert.equal(await reporter.flush(), false)
    await turns()
    assert.deepEqual([worker.asked.length, reporter.failures], [1, 0])
    reporter.close()
    await worker.close()
  })
})

describeInFull('A program with the reporter', () => {
  it('stays alive until its flush has ended', async () => {
    const worker = await ScriptedWorker.start()
    const report = "reporter.report('backup', 'operational')\nconsole.log(await reporter.flush())"
    assert.deepEqual(await program(worker.url, report), [0, 'true\n'])
    assert.deepEqual(worker.told, ['backup operational'])
    await worker.stop()
    const away = "reporter.report('backup', 'operational')\nconsole.log(await reporter.flush(50))"
    assert.deepEqual(await program(worker.url, away), [0, 'false\n'])
    await worker.close()
  })

  it('exits although a retry or a check is due', async () => {
    const worker = await ScriptedWorker.start()
    worker.act = resets
    const lines = "reporter.report('backup', 'operational')\nreporter.every('db', 1_000, () => 'operational')"
    assert.deepEqual(await program(worker.url, lines), [0, ''])
    assert.deepEqual(worker.told, ['backup operational', 'db operational'])
    await worker.close()
  })
})
