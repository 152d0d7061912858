import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits, stage } from './reporter-stage.ts'
import { type Act, answers, holds, resets, takes, turns, until } from './worker-stage.ts'

const junk: Act = ({ response }) => void response.socket?.end('SSH-2.0-x\r\n\r\n')
const dropped: Act = ({ response }) => void response.socket?.destroy()
const upgraded: Act = ({ response }) =>
  void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')

describe('A report that failed', limits, () => {
  for (const [name, act, outcome] of [
    ['500', answers(500), 500],
    ['503', answers(503, { 'Retry-After': '3600' }), 503],
    ['408', answers(408), 408],
    ['429', answers(429), 429],
    ['a redirect', answers(307, { Location: '/elsewhere/api' }), 307],
    ['a reset', resets, 'ECONNRESET'],
    ['an end without an answer', dropped, 'ECONNRESET'],
    ['something that is not HTTP', junk, 'HPE_INVALID_CONSTANT'],
    ['another protocol', upgraded, 'ECONNRESET'],
  ] as const) {
    it(`is retried a second later: ${name}`, async (t) => {
      const { worker, reporter, log, pass } = await stage(t)
      worker.act = act
      reporter.report('api', 'outage')
      await until(() => reporter.failures === 1)
      worker.act = takes
      pass(999)
      await turns()
      assert.equal(worker.asked.length, 1)
      pass(1)
      await until(() => worker.asked.length === 2)
      assert.equal(await reporter.flush(), true)
      assert.deepEqual(worker.told, ['api outage', 'api outage'])
      assert.deepEqual(log.lines, [
        { level: 'warn', fields: { component: 'api', outcome }, message: 'the status worker did not accept a report' },
        { level: 'info', fields: {}, message: 'the status worker accepts reports again' },
      ])
    })
  }

  it('is retried over another connection after two seconds without a response', async (t) => {
    const { worker, reporter, pass } = await stage(t)
    worker.act = holds
    reporter.report('api', 'outage')
    await until(() => worker.asked.length === 1)
    pass(1_999)
    await turns()
    assert.deepEqual([reporter.failures, worker.open.size], [0, 1])
    pass(1)
    await until(() => reporter.failures === 1 && worker.open.size === 0)
    worker.act = takes
    pass(1_000)
    assert.equal(await reporter.flush(), true)
    assert.equal(worker.asked.length, 2)
  })

  it('is retried with exponential backoff, up to half a minute', async (t) => {
    const { worker, reporter, pass } = await stage(t)
    worker.act = resets
    reporter.report('api', 'outage')
    let failures = 0
    for (const seconds of [1, 2, 4, 8, 16, 30, 30, 30]) {
      failures += 1
      await until(() => reporter.failures === failures)
      pass(seconds * 1_000 - 1)
      await turns()
      assert.equal(worker.asked.length, failures, `${seconds} s`)
      pass(1)
      await until(() => worker.asked.length === failures + 1)
    }
    await until(() => reporter.failures === 9)
    worker.act = takes
    pass(30_000)
    await until(() => worker.asked.length === 10)
    assert.equal(await reporter.flush(), true)
    // Success resets the backoff.
    worker.act = resets
    reporter.report('api', 'outage')
    await until(() => reporter.failures === 10)
    worker.act = takes
    pass(1_000)
    await until(() => worker.asked.length === 12)
  })

  it('is replaced at once by another status, but not repeated; the backoff continues', async (t) => {
    const { worker, reporter, pass } = await stage(t)
    worker.act = resets
    reporter.report('api', 'outage')
    await until(() => reporter.failures === 1)
    pass(1_000)
    await until(() => reporter.failures === 2)
    reporter.report('api', 'outage')
    await turns()
    assert.equal(worker.asked.length, 2)
    reporter.report('api', 'degraded')
    await until(() => reporter.failures === 3)
    pass(3_999)
    await turns()
    assert.deepEqual(worker.told, ['api outage', 'api outage', 'api degraded'])
    worker.act = takes
    pass(1)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(worker.told.slice(3), ['api degraded'])
  })

  it('is followed at once by a status reported meanwhile; the backoff continues', async (t) => {
    const { worker, reporter, pass } = await stage(t)
    worker.act = holds
    reporter.report('api', 'outage')
    await until(() => worker.asked.length === 1)
    reporter.report('api', 'degraded')
    for (const asked of worker.asked) answers(503)(asked)
    await until(() => worker.asked.length === 2)
    assert.deepEqual([reporter.failures, worker.told], [1, ['api outage', 'api degraded']])
    for (const asked of worker.asked.slice(1)) answers(503)(asked)
    await until(() => reporter.failures === 2)
    worker.act = takes
    pass(1_999)
    await turns()
    assert.equal(worker.asked.length, 2)
    pass(1)
    await until(() => worker.asked.length === 3)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(worker.told.slice(2), ['api degraded'])
  })

  it('is retried even if the log throws', async (t) => {
    const broken = () => {
      throw new Error('the disk is full')
    }
    const { worker, reporter, pass } = await stage(t, { log: { info: broken, warn: broken } })
    worker.act = resets
    reporter.report('api', 'outage')
    await until(() => reporter.failures === 1)
    worker.act = takes
    pass(1_000)
    await until(() => worker.asked.length === 2)
    assert.equal(await reporter.flush(), true)
    for (let index = 0; index <= 1_000; index++) reporter.report(`part-${index}`, 'operational')
  })

  for (const [chance, ms] of [
    [0, 800],
    [0.75, 1_100],
    [1, 1_200],
  ] as const) {
    it(`is retried with a jitter of a fifth: ${ms} ms`, async (t) => {
      const { worker, reporter, pass } = await stage(t, { random: () => chance })
      worker.act = resets
      reporter.report('api', 'outage')
      await until(() => reporter.failures === 1)
      pass(ms - 1)
      await turns()
      assert.equal(worker.asked.length, 1)
      pass(1)
      await until(() => worker.asked.length === 2)
    })
  }

  for (const status of [400, 401, 403, 404, 413, 415]) {
    it(`is not retried after ${status}; the next report is sent`, async (t) => {
      const { worker, reporter, pass } = await stage(t)
      worker.act = answers(status)
      reporter.report('api', 'outage')
      await until(() => reporter.failures === 1)
      pass(120_000)
      await turns()
      assert.equal(worker.asked.length, 1)
      assert.equal(await reporter.flush(), false)
      worker.act = takes
      reporter.report('api', 'outage')
      assert.equal(await reporter.flush(), true)
    })
  }

  it('is delivered once an absent worker comes up', async (t) => {
    const { worker, reporter, log, pass } = await stage(t)
    await worker.stop()
    for (const id of ['api', 'database']) reporter.report(id, 'operational')
    await until(() => reporter.failures === 2)
    await worker.start()
    pass(1_000)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ['warn', 'info'],
    )
    assert.deepEqual(log.lines[0]?.fields, { component: 'api', outcome: 'ECONNREFUSED' })
    assert.deepEqual(worker.told.sort(), ['api operational', 'database operational'])
  })

  it('is logged once, although reports of other components succeed meanwhile', async (t) => {
    const { worker, reporter, log, pass } = await stage(t)
    worker.act = (asked) => (asked.id === 'many' ? answers(429) : takes)(asked)
    for (let round = 1; round <= 4; round++) {
      for (const id of ['api', 'many', 'database']) reporter.report(id, 'operational')
      await until(() => reporter.failures === round && worker.asked.length === round * 3)
      await turns()
      pass(30_000)
    }
    await until(() => reporter.failures === 5)
    assert.equal(log.lines.length, 1)
    worker.act = takes
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(
      log.lines.map(({ level, fields }) => [level, fields]),
      [
        ['warn', { component: 'many', outcome: 429 }],
        ['info', {}],
      ],
    )
  })
})

describe('A response', limits, () => {
  it('that never ends is aborted after two seconds, and counts as success', async (t) => {
    const { worker, reporter, pass } = await stage(t)
    worker.act = ({ response }) => void response.writeHead(200).write('{')
    reporter.report('api', 'operational')
    await until(() => worker.asked.length === 1)
    await turns()
    const told = reporter.flush()
    pass(2_000)
    assert.equal(await told, true)
    await until(() => worker.open.size === 0)
    assert.equal(reporter.failures, 0)
  })

  it('is read up to 4 KiB', async (t) => {
    const { worker, reporter } = await stage(t)
    worker.act = ({ response }) => void response.writeHead(200).write(Buffer.alloc(8 * 1024))
    reporter.report('api', 'operational')
    // No timer runs here: its size ends it.
    assert.equal(await reporter.flush(), true)
    await until(() => worker.open.size === 0)
    assert.equal(reporter.failures, 0)
  })
})
