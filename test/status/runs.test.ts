import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Event } from '../../src/status/component.ts'
import { wantedOf } from '../../src/status/wanted.ts'
import { fakeClock } from '../support/clock.ts'
import { stores } from '../support/stores.ts'
import { deadline, heartbeat, partsOf, published, type Stage } from './component-stage.ts'
import { drivenWorker } from './driven-worker.ts'
import { openWorker, type Place, type TestWorker } from './worker-stage.ts'

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]
const startOf = (rid: string | null = null, more = {}): Event => ({ kind: 'run', rid, body: null, ...more })
const endOf = (exitCode: number | null, rid: string | null = null): Event =>
  heartbeat(exitCode === 0 ? 'operational' : 'outage', { end: { rid, exitCode, body: null } })
const nightly = { cron: { expression: '0 3 * * *', tz: 'UTC' } }
const ran = ({ effects }: Stage) =>
  effects.flatMap((effect) => (effect.kind === 'ran' ? [`${effect.run.rid} ${effect.run.outcome}`] : []))

/** A component with a nightly job, at 03:00. */
function job(): Stage {
  const stage = published()
  stage.wall = Date.parse('2026-06-01T03:00Z')
  return stage.happen(heartbeat('operational', nightly)).wait(day)
}

describe('A run', () => {
  it('that has started fulfils the schedule, and is an incident if it does not end in time', () => {
    const stage = job().happen(startOf(null, { maxRunMs: 2 * hour }))
    stage.wait(2 * hour - second).happen(deadline)
    assert.equal(stage.incidents.length, 0)
    stage.wait(second).happen(deadline)
    assert.equal(stage.incidents[0]?.message, 'The run of 2026-06-02 03:00:00 UTC did not end within 7200 s')
    assert.deepEqual([ran(stage), partsOf(stage).opened.length], [['null lost'], 1])
    const { source, lostRun } = wantedOf(stage.component, stage.rules)
    assert.deepEqual([source, lostRun], ['silence', stage.incidents[0]?.message])
    // It ends after all.
    stage.wait(minute).happen(endOf(0))
    assert.deepEqual([ran(stage), stage.component.incident], [['null succeeded'], null])
    assert.equal(stage.component.lastRun?.startedAt, Date.parse('2026-06-02T03:00Z'))
    stage.wait(Date.parse('2026-06-03T03:10Z') - stage.wall).happen(deadline)
    assert.equal(stage.incidents.length, 2)
    assert.equal('lostRun' in wantedOf(stage.component, stage.rules), false)
  })

  it('that starts reports no status: an incident stays open, and status and last heartbeat are as before', () => {
    const stage = job()
      .happen(endOf(3))
      .wait(day + hour)
      .happen(deadline)
    const { incident, lastHeartbeatAt } = stage.component
    stage.happen(startOf())
    assert.notEqual(incident, null)
    assert.deepEqual(
      [stage.component.incident, stage.component.lastHeartbeatAt, stage.component.lastReportedStatus],
      [incident, lastHeartbeatAt, 'outage'],
    )
    assert.equal(stage.happen(endOf(0)).component.incident, null)
  })

  it('is found by its id if runs overlap, and by age without one', () => {
    const stage = job().happen(startOf('a')).wait(minute).happen(startOf('b'))
    assert.deepEqual(
      stage.component.runs.map(({ rid, overlaps }) => [rid, overlaps]),
      [
        ['a', false],
        ['b', true],
      ],
    )
    stage.happen(endOf(0, 'a'))
    assert.deepEqual([ran(stage), stage.component.runs.map(({ rid }) => rid)], [['a succeeded'], ['b']])
    stage.happen(endOf(7, 'b'), startOf(), startOf())
    const [older] = stage.component.runs
    stage.happen(endOf(0))
    assert.deepEqual(stage.component.runs, [older])
    assert.deepEqual([stage.component.exitCode, stage.component.lastRun?.exitCode], [0, 0])
  })

  it('whose start or end is sent again under its id is the same run; a later start under it is another one', () => {
    const stage = job().happen(startOf('a')).wait(minute)
    const [first] = stage.component.runs
    assert.deepEqual([ran(stage.happen(startOf('a'))), stage.component.runs], [[], [first]])
    stage.happen(endOf(0, 'a'))
    assert.deepEqual(ran(stage.happen(endOf(0, 'a'))), [])
    assert.deepEqual(ran(stage.happen(startOf('a'))), ['a running'])
    assert.equal(stage.component.runs[0]?.startedAt, (first?.startedAt ?? 0) + minute)
    // Another outcome under an id that has ended belongs to a run whose start was not told.
    stage.happen(endOf(0, 'a'), endOf(1, 'a'))
    assert.deepEqual([ran(stage), stage.component.lastRun?.startedAt], [['a failed'], null])
  })

  it('is waited for over restarts, 120 s at least', () => {
    const stage = job()
      .happen(startOf(null, { maxRunMs: hour }))
      .wait(50 * minute)
      .restart()
    stage.wait(10 * minute - second).happen(deadline)
    assert.equal(stage.incidents.length, 0)
    assert.equal(stage.wait(second).happen(deadline).incidents.length, 1)
    const late = job()
      .happen(startOf(null, { maxRunMs: hour }))
      .wait(day)
      .restart()
    late.wait(120 * second - 1).happen(deadline)
    assert.equal(late.incidents.length, 0)
    assert.equal(late.wait(1).happen(deadline).incidents.length, 1)
  })

  it('is not disturbed by heartbeats: those neither end it nor move its deadline', () => {
    const stage = job().happen(startOf(null, { maxRunMs: hour }), heartbeat('operational', { expectWithinMs: minute }))
    stage.wait(hour - 1).happen(heartbeat('degraded'), deadline)
    assert.deepEqual([stage.incidents.length, stage.component.runs.length], [0, 1])
    assert.equal(stage.wait(1).happen(deadline).incidents.length, 1)
  })
})

it('A run that cannot be saved is refused, and blames nobody', async () => {
  const { disk, store, worker, beat, pass, end } = await drivenWorker()
  await beat('job')
  disk.isFull = true
  const refused = () => worker.startRun('job', { rid: null, body: null }).catch(({ refusal }) => refusal.status)
  assert.equal(await refused(), 503)
  await pass(50_000)
  disk.isFull = false
  assert.equal(await worker.startRun('job', { rid: 'a', body: 'x' }), 1)
  assert.deepEqual(await store.incidents({ componentId: 'job', isOpen: null, limit: 9 }), [])
  assert.deepEqual(
    (await store.runs('job')).map(({ rid, outcome, body }) => [rid, outcome, body]),
    [['a', 'running', 'x']],
  )
  await end()
})

for (const store of stores)
  describe(`Runs, with the state on ${store.name},`, { skip: store.skip }, () => {
    const clock = fakeClock(Date.parse('2026-06-01T03:00:00Z'))
    let worker: TestWorker
    let place: Place
    before(async () => {
      place = await store.make()
      worker = await openWorker({ place, overrides: { clock } })
    })
    after(async () => {
      await worker.close()
      await place.drop()
    })
    const send = (path: string, body?: unknown, type = 'text/plain') =>
      worker.ask('POST', `/heartbeat/${path}`, body, { 'content-type': type })
    const runsOf = async (id: string) => (await worker.ask('GET', `/components/${id}/runs`)).body.runs

    it('are the last 20, and go with their component', async () => {
      for (let code = 0; code < 23; code++) await send(`many/${code}?rid=r${code}`, `${code}`)
      const kept = await runsOf('many')
      assert.deepEqual([kept.length, kept[0].body, kept[19].body], [20, '22', '3'])
      await worker.ask('DELETE', '/components/many?publish=nothing')
      assert.equal((await worker.ask('GET', '/components/many/runs')).status, 404)
      await send('many/0')
      assert.equal((await runsOf('many')).length, 1)
    })

    it('keep 10 kB of control characters as text without them, and refuse more', async () => {
      const bytes = Buffer.from(Array.from({ length: 10_240 }, (_, index) => index % 33))
      assert.equal((await send('noisy/1', bytes)).status, 200)
      const [{ body }] = await runsOf('noisy')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
      assert.doesNotMatch(body, /[\u0000-\u0008\u000b-\u001f\u007f]/)
      const { message } = (await worker.ask('GET', '/components?componentId=noisy')).body.components[0]
      assert.ok(message.length <= 500 && message.isWellFormed())
      const tooLarge = await send('noisy/1', 'x'.repeat(10_241))
      assert.deepEqual([tooLarge.status, tooLarge.body], [413, { ok: false, error: 'Request body is too large' }])
      assert.equal((await runsOf('noisy')).length, 1)
      for (const secret of [body.slice(0, 40), message])
        assert.ok(!JSON.stringify((await worker.ask('GET', '/summary')).body).includes(secret))
    })

    it('refuse a word that is neither a status nor an exit code, and a bad run id or limit', async () => {
      for (const word of ['256', '-1', '00', '1.5', 'end', 'START', '1e1', '%00']) {
        const { status, body } = await send(`new/${word}`)
        const error = 'status must be one of operational, degraded, partial, outage, maintenance'
        assert.deepEqual([status, body], [400, { ok: false, error }], word)
      }
      for (const path of ['new/start', 'new/0', 'new/fail']) {
        for (const rid of ['rid=a%20b', 'rid=a&rid=b', 'rid=a&rid='])
          assert.match((await send(`${path}?${rid}`)).body.error, /^rid must be 1 to 64/, rid)
        assert.match((await send(`${path}?maxRunSeconds=0`)).body.error, /^maxRunSeconds must be a whole number from 1/)
        assert.match((await send(`${path}?schedule=0`)).body.error, /it has 1 field instead of 5$/)
      }
      assert.equal((await worker.ask('GET', '/health/new')).status, 404)
    })

    it('are kept with duration, exit code and output, and shown as running until then, over a restart', async () => {
      const started = await send('backup/start?maxRunSeconds=7200', '{"status":', 'application/json')
      assert.deepEqual([started.status, started.body], [200, { ok: true, componentId: 'backup', running: 1 }])
      assert.equal((await worker.component('backup')).lastReportedStatus, 'operational')
      clock.advance(90_000)
      await worker.close()
      worker = await openWorker({ place, overrides: { clock } })
      const [running] = await runsOf('backup')
      assert.deepEqual([running.outcome, running.durationSeconds, running.body], ['running', 90, '{"status":'])
      const failed = await send('backup/3', '1 GB\rat 41 GB\r\ndisk full\n\n', 'image/png')
      assert.deepEqual(failed.body, { ok: true, componentId: 'backup', status: 'outage' })
      const { id, ...run } = (await runsOf('backup'))[0]
      assert.equal(id, running.id)
      assert.deepEqual(run, {
        rid: null,
        outcome: 'failed',
        startedAt: '2026-06-01T03:00:00.000Z',
        endedAt: '2026-06-01T03:01:30.000Z',
        durationSeconds: 90,
        exitCode: 3,
        overlaps: false,
        body: '1 GB\nat 41 GB\ndisk full\n\n',
      })
      const reported = (await worker.ask('GET', '/components')).body.components[0]
      assert.deepEqual([reported.message, reported.exitCode], ['disk full', 3])
      await send('backup/fail?message=killed')
      const [last] = await runsOf('backup')
      assert.deepEqual([last.outcome, last.exitCode, last.startedAt, last.body], ['failed', null, null, null])
      assert.equal((await worker.ask('GET', '/components')).body.components[0].message, 'killed')
    })
  })
