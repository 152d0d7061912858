import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createReporter, type ReporterOptions, type Status, statuses } from '../../src/reporter/reporter.ts'
import { statuses as workersStatuses } from '../../src/status/statuses.ts'
import { type Act, answers, heardLog, holds, resets, ScriptedWorker, takes, turns, until } from './worker-stage.ts'

const limits = { concurrency: 1, timeout: 30_000 }

async function stage(t: TestContext, options: Partial<ReporterOptions> = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const worker = await ScriptedWorker.start()
  const log = heardLog()
  const reporter = createReporter({ url: worker.url, log, random: () => 0.5, ...options })
  t.after(async () => {
    reporter.close()
    await worker.close()
  })
  return { worker, reporter, log, pass: (ms: number) => t.mock.timers.tick(ms) }
}

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

  it('knows a thousand components and no more', async (t) => {
    const { worker, reporter } = await stage(t)
    worker.act = holds
    for (let index = 0; index < 1_100; index++) reporter.report(`part-${index}`, 'operational')
    assert.equal(reporter.failures, 100)
    reporter.report('part-0', 'outage')
    assert.equal(reporter.failures, 100)
  })

  for (const url of ['', 'localhost:3001', '/heartbeat', 'ftp://localhost', 'file:///x']) {
    it(`is refused with the address ${JSON.stringify(url)}`, () => {
      assert.throws(() => createReporter({ url }), TypeError)
    })
  }
})

const junk: Act = ({ response }) => void response.socket?.end('SSH-2.0-x\r\n\r\n')
const dropped: Act = ({ response }) => void response.socket?.destroy()
const upgraded: Act = ({ response }) =>
  void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')

describe('A report that the worker did not take', limits, () => {
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
    it(`is told again a second later: ${name}`, async (t) => {
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
        { level: 'warn', fields: { component: 'api', outcome }, message: 'the status worker does not take reports' },
        { level: 'info', fields: {}, message: 'the status worker takes reports again' },
      ])
    })
  }

  it('is told again when it had no answer for two seconds, over another connection', async (t) => {
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

  it('waits longer each time, up to half a minute, and then tells the newest', async (t) => {
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
    for (const status of ['degraded', 'operational'] as const) reporter.report('api', status)
    await turns()
    assert.equal(worker.asked.length, 9)
    worker.act = takes
    pass(30_000)
    assert.equal(await reporter.flush(), true)
    assert.deepEqual(worker.told.slice(8), ['api outage', 'api operational'])
    // From the beginning again.
    worker.act = resets
    reporter.report('api', 'outage')
    await until(() => reporter.failures === 10)
    worker.act = takes
    pass(1_000)
    await until(() => worker.asked.length === 12)
  })

  for (const [chance, ms] of [
    [0, 800],
    [0.75, 1_100],
    [1, 1_200],
  ] as const) {
    it(`waits a fifth more or less, by chance: ${ms} ms`, async (t) => {
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
    it(`is not told again where it was refused with ${status}; the next one is`, async (t) => {
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

  it('waits for a worker that is not there, and holds up nobody', async (t) => {
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

  it('is one line in the log, and not one at each turn where other components have luck', async (t) => {
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

describe('An answer', limits, () => {
  it('that never ends is left after two seconds, and the report was taken', async (t) => {
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

  it('is read up to 4 KB and no further', async (t) => {
    const { worker, reporter } = await stage(t)
    worker.act = ({ response }) => void response.writeHead(200).write(Buffer.alloc(8 * 1024))
    reporter.report('api', 'operational')
    // No timer runs here: it is left because of what it is.
    assert.equal(await reporter.flush(), true)
    await until(() => worker.open.size === 0)
    assert.equal(reporter.failures, 0)
  })
})
