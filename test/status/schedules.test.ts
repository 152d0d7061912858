import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timeouts } from '../../src/config/formats.ts'
import { noSchedule, type TimeoutRules, timeoutSource, timeoutsOf } from '../../src/status/schedule.ts'
import { fakeClock } from '../support/clock.ts'
import { deadline, heartbeat, published, type Stage } from './component-stage.ts'
import { openWorker } from './worker-stage.ts'

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]
const graceMs = 10 * minute

/** A component with a schedule, last heard at `at`. */
function scheduled(expression: string, tz: string, at: string): Stage {
  const stage = published()
  stage.wall = Date.parse(at)
  return stage.happen(heartbeat('operational', { cron: { expression, tz } }))
}

const check = (stage: Stage, afterMs: number) => stage.wait(afterMs).happen(deadline)

/** Checks every ten seconds, like the worker. */
function watch(stage: Stage, ms: number): Stage {
  for (let passed = 0; passed < ms; passed += 10 * second) check(stage, 10 * second)
  return stage
}

const isoOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString().slice(0, 16))

describe('A component with a schedule', () => {
  it('is missed ten minutes after the run that brings no heartbeat, in nights that change the clocks too', () => {
    const nights = [
      // The night loses 02:30, has it twice, is ordinary.
      ['30 2 * * *', 'Europe/Berlin', '2026-03-28T01:35Z', '2026-03-29T01:10'],
      ['30 2 * * *', 'Europe/Berlin', '2026-10-24T00:35Z', '2026-10-25T00:40'],
      ['30 2 * * *', 'America/New_York', '2026-03-07T07:35Z', '2026-03-08T07:10'],
      ['30 1 * * *', 'America/New_York', '2026-10-31T05:35Z', '2026-11-01T05:40'],
      ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T15:50Z', '2026-10-03T15:40'],
      ['0 3 * * 1-5', 'Europe/Berlin', '2026-11-20T02:05Z', '2026-11-23T02:10'],
      ['0 0 29 2 *', 'UTC', '2028-02-27T12:00Z', '2028-02-29T00:10'],
      ['0 0 31 * *', 'UTC', '2027-01-31T00:05Z', '2027-03-31T00:10'],
      ['59 23 31 12 *', 'UTC', '2026-12-31T12:00Z', '2027-01-01T00:09'],
      ['@yearly', 'Asia/Tokyo', '2026-12-31T16:00Z', '2027-12-31T15:10'],
    ] as const
    for (const [expression, tz, heardAt, missedAt] of nights) {
      const stage = scheduled(expression, tz, heardAt)
      const ms = Date.parse(`${missedAt}Z`) - stage.wall
      stage.wait(ms - second).happen(deadline)
      assert.equal(stage.incidents.length, 0, `${expression} ${tz}`)
      stage.wait(second).happen(deadline)
      assert.equal(isoOf(stage.incidents[0]?.startedAt), missedAt, `${expression} ${tz}`)
    }
  })

  it('that is heard after each run is never missed, over both changes of the clocks', () => {
    for (const [tz, from] of [
      ['Europe/Berlin', '2026-03-28T00:00Z'],
      ['America/New_York', '2026-10-31T00:00Z'],
      ['Australia/Lord_Howe', '2026-04-03T00:00Z'],
    ] as const) {
      const stage = scheduled('*/30 * * * *', tz, from)
      for (let run = 0; run < 3 * 48; run++) check(stage, 30 * minute).happen(heartbeat('operational'))
      assert.equal(stage.incidents.length, 0, tz)
    }
  })

  it('may be heard 60 s before the run that is meant, and not earlier', () => {
    for (const [at, missedAt] of [
      ['2026-06-01T02:59:00Z', '2026-06-02T03:10'],
      ['2026-06-01T02:58:59Z', '2026-06-01T03:10'],
    ] as const) {
      const stage = scheduled('0 3 * * *', 'UTC', at)
      check(stage, 2 * day)
      assert.equal(isoOf(stage.incidents[0]?.startedAt), missedAt)
    }
  })

  it('has the grace period that it asks for, and a timeout again once it asks for that', () => {
    const stage = scheduled('0 3 * * *', 'UTC', '2026-06-01T03:00Z').happen(heartbeat('operational', { graceMs: hour }))
    check(stage, day + hour - minute)
    assert.deepEqual(stage.incidents, [])
    assert.equal(check(stage, minute).incidents.length, 1)
    stage.happen(heartbeat('operational', { expectWithinMs: minute, graceMs: 0 }))
    assert.equal(check(stage, minute).incidents.length, 2)
    assert.equal(stage.component.schedule.cron, null)
  })

  it('is waited for after a restart until its run, or 120 s if that has passed', () => {
    const stage = scheduled('0 3 * * *', 'UTC', '2026-06-01T03:00Z')
      .wait(23 * hour)
      .restart()
    check(stage, hour + graceMs - minute)
    assert.deepEqual(stage.incidents, [])
    assert.equal(check(stage, minute).incidents.length, 1)
    const late = scheduled('0 3 * * *', 'UTC', '2026-06-01T03:00Z')
      .wait(2 * day)
      .restart()
    assert.deepEqual(watch(late, 110 * second).incidents, [])
    assert.equal(watch(late, 10 * second).incidents.length, 1)
  })

  it('is not accused by an hour of restarts every 20 s, after which what is silent is told within 130 s', () => {
    const heard = scheduled('*/5 * * * *', 'UTC', '2026-06-01T03:00Z')
    const silent = scheduled('*/5 * * * *', 'UTC', '2026-06-01T03:00Z')
    const byTimeout = published()
    for (let passed = 0; passed < hour; passed += 20 * second) {
      for (const stage of [heard, silent, byTimeout])
        stage
          .wait(10 * second)
          .happen(deadline)
          .wait(10 * second)
          .restart()
      if (passed % (5 * minute) === 0) heard.happen(heartbeat('operational'))
    }
    for (const stage of [heard, silent, byTimeout]) assert.deepEqual(stage.incidents, [])
    for (const stage of [silent, byTimeout]) assert.equal(watch(stage, 130 * second).incidents.length, 1)
    assert.deepEqual(watch(heard, 130 * second).incidents, [])
  })

  it('is waited for anew if the wall clock is set back, and does not get stuck if it is set back by years', () => {
    const stage = scheduled('0 3 * * *', 'UTC', '2026-06-01T02:00Z').wait(30 * minute)
    stage.wall -= hour
    assert.deepEqual(check(stage, 99 * minute).incidents, [])
    assert.equal(isoOf(check(stage, minute).incidents[0]?.startedAt), '2026-06-01T03:10')
    const years = scheduled('0 3 * * *', 'UTC', '2026-06-01T02:00Z').wait(30 * minute)
    years.wall = Date.parse('2016-06-01T12:00Z')
    assert.equal(isoOf(check(check(years, hour), day).incidents[0]?.startedAt), '2016-06-02T03:10')
  })

  it('whose time zone the system no longer knows is waited for a year, over restarts', () => {
    const stage = scheduled('0 3 * * *', 'Europe/Nowhere', '2026-06-01T02:00Z').wait(360 * day)
    assert.deepEqual(stage.happen(deadline).restart().happen(deadline).incidents, [])
    assert.equal(stage.wait(8 * day).happen(deadline).incidents.length, 1)
  })

  it('is not missed by version 0.2 after a rollback: that waits 31 days', () => {
    const { schedule } = scheduled('@monthly', 'UTC', '2026-06-01T02:00Z').component
    assert.equal(schedule.timeoutMs, 31 * day)
  })

  it('names the setting as the source if STATUS_TIMEOUTS has a schedule, which overrides its own', () => {
    const all = timeouts.read('a=cron(0 3,15 * * 1-5 Europe/Berlin)+15m, b=cron( @daily ), c=26h+1h')
    const rules = (id: string): TimeoutRules => ({
      timeoutMs: 180_000,
      maintenanceTimeoutMs: 4 * hour,
      configured: all?.get(id) ?? assert.fail(),
    })
    const own = { ...noSchedule, cron: { expression: '* * * * *', tz: 'UTC' } }
    const at = Date.parse('2026-06-01T02:00Z')
    assert.deepEqual(timeoutsOf(own, 'operational', rules('a'), at), { timeoutMs: 11 * hour, graceMs: 15 * minute })
    assert.deepEqual(timeoutsOf(own, 'operational', rules('b'), at), { timeoutMs: 22 * hour, graceMs })
    assert.deepEqual(timeoutsOf(own, 'operational', rules('c'), at), { timeoutMs: 26 * hour, graceMs: hour })
    assert.equal(timeoutSource(own, 'operational', rules('a'), at), 'setting')
    for (const text of ['a=cron(0 3 * *)', 'a=cron(0 0 30 2 *)', 'a=cron(0 3 * * * Berlin)', 'a=cron(0 3 * * * UTC x)'])
      assert.equal(timeouts.read(text), undefined, text)
    for (const text of ['a=cron()', 'a=cron(0 3 * * *', 'a=cron(0 3 * * *)1h', 'a=cron(0 3 * * *)+', '=cron(@daily)'])
      assert.equal(timeouts.read(text), undefined, text)
  })
})

describe('The schedule of a component', () => {
  it('is read from JSON, forms and queries, shown, and changed by PATCH, which is audited', async () => {
    const clock = fakeClock(Date.parse('2026-06-01T12:00:00.250Z'))
    const worker = await openWorker({ overrides: { clock } })
    const shown = async () => {
      const [{ schedule, tz, nextRunAt, deadlineAt, timeoutFrom }] = (await worker.ask('GET', '/components')).body
        .components
      return [schedule, tz, nextRunAt, deadlineAt, timeoutFrom]
    }
    const berlin = { schedule: ' 0  3 * * 1-5 ', tz: 'Europe/Berlin' }
    const { status, body } = await worker.ask('POST', '/heartbeat/backup', { status: 'operational', ...berlin })
    assert.deepEqual([status, body], [200, { ok: true, componentId: 'backup', status: 'operational' }])
    const [nextRunAt, deadlineAt] = ['2026-06-02T01:00:00.000Z', '2026-06-02T01:10:00.000Z']
    assert.deepEqual(await shown(), ['0 3 * * 1-5', 'Europe/Berlin', nextRunAt, deadlineAt, 'heartbeat'])
    // To the next run, in whole seconds.
    assert.equal((await worker.ask('GET', '/components')).body.components[0].timeoutSeconds, 13 * 3_600)
    const form = await worker.ask('POST', '/heartbeat/backup', 'status=operational&schedule=@monthly&graceSeconds=60', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.equal(form.status, 200, JSON.stringify(form.body))
    const july = ['@monthly', 'UTC', '2026-07-01T00:00:00.000Z', '2026-07-01T00:01:00.000Z', 'heartbeat']
    assert.deepEqual(await shown(), july)
    await worker.ask('POST', `/heartbeat/backup/operational?schedule=${encodeURIComponent('0 3 * * *')}`)
    assert.deepEqual((await shown()).slice(0, 2), ['0 3 * * *', 'UTC'])

    const changed = await worker.ask('PATCH', '/components/backup', { expectWithinSeconds: 7200 })
    assert.deepEqual([changed.status, changed.body.component.timeoutSeconds], [200, 7200])
    assert.deepEqual((await shown()).slice(0, 3), [null, null, null])
    const { records } = (await worker.ask('GET', '/audit')).body
    assert.deepEqual(
      records.map(({ action, target, before, after }: Record<string, unknown>) => [action, target, before, after]),
      [
        [
          ...['change-component', 'backup'],
          { schedule: '0 3 * * *', tz: 'UTC', expectWithinSeconds: null },
          { schedule: null, tz: null, expectWithinSeconds: 7200 },
        ],
      ],
    )
    await worker.close()
  })

  it('keeps its time zone in a PATCH without one, and its expression in one with a time zone alone', async () => {
    const worker = await openWorker()
    const changed = async (id: string, terms: Record<string, unknown>) => {
      const { status, body } = await worker.ask('PATCH', `/components/${id}`, terms)
      return status === 200 ? [body.component.schedule, body.component.tz, body.component.graceSeconds] : body.error
    }
    const berlin = { schedule: '0 3 * * *', tz: 'Europe/Berlin' }
    await worker.ask('POST', '/heartbeat/backup', { status: 'operational', ...berlin })
    assert.deepEqual(await changed('backup', { schedule: '0 4 * * *' }), ['0 4 * * *', 'Europe/Berlin', 600])
    const { nextRunAt } = (await worker.ask('GET', '/components')).body.components[0]
    assert.match(nextRunAt, /T0[23]:00:00.000Z$/)
    assert.deepEqual(await changed('backup', { tz: 'Asia/Tokyo', graceSeconds: 60 }), ['0 4 * * *', 'Asia/Tokyo', 60])
    assert.deepEqual(await changed('backup', { schedule: '0 5 * * *', tz: 'UTC' }), ['0 5 * * *', 'UTC', 60])
    assert.deepEqual(await changed('backup', { graceSeconds: 90 }), ['0 5 * * *', 'UTC', 90])
    const { records } = (await worker.ask('GET', '/audit')).body
    assert.deepEqual(
      [records[1].before, records[1].after],
      [
        { tz: 'Europe/Berlin', graceSeconds: null },
        { tz: 'Asia/Tokyo', graceSeconds: 60 },
      ],
    )
    const badTz = 'tz must be an IANA time zone such as Europe/Berlin, with a schedule'
    assert.equal(await changed('backup', { tz: 'Mars/Olympus' }), badTz)
    assert.equal(await changed('backup', { tz: 'Asia/Tokyo', expectWithinSeconds: 60 }), badTz)
    // A heartbeat says all of its schedule.
    await worker.ask('POST', '/heartbeat/backup', { status: 'operational', ...berlin })
    await worker.ask('POST', '/heartbeat/backup', { status: 'operational', schedule: '0 6 * * *' })
    assert.deepEqual(await changed('backup', {}), ['0 6 * * *', 'UTC', 90])
    assert.deepEqual(await changed('backup', { expectWithinSeconds: 60 }), [null, null, 90])
    assert.equal(await changed('backup', { tz: 'Asia/Tokyo' }), badTz)
    assert.deepEqual(await changed('backup', { schedule: '@daily' }), ['@daily', 'UTC', 90])
    await worker.close()
  })

  it('that is wrong is refused with the place, by heartbeats and PATCH alike', async () => {
    const worker = await openWorker({ env: { STATUS_GET_HEARTBEATS: 'true' } })
    await worker.beat('backup')
    const wrong = 'schedule must be a cron expression of five fields: '
    const badTz = 'tz must be an IANA time zone such as Europe/Berlin, with a schedule'
    const cases: [Record<string, unknown>, string][] = [
      [{ schedule: '0 25 * * *' }, `${wrong}hour "25" is invalid`],
      [{ schedule: '0 0 30 2 *' }, `${wrong}it never fires`],
      [{ schedule: '0 3 * * *', tz: 'Mars/Olympus' }, badTz],
      [{ tz: 'Europe/Berlin' }, badTz],
      [{ schedule: '' }, 'schedule must be a cron expression, such as 0 3 * * 1-5'],
      [{ schedule: '@daily', expectWithinSeconds: 60 }, 'schedule and expectWithinSeconds cannot be combined'],
    ]
    for (const [terms, error] of cases) {
      const query = new URLSearchParams(terms as Record<string, string>)
      for (const [method, path, body] of [
        ['POST', '/heartbeat/new', { status: 'operational', ...terms }],
        ['POST', `/heartbeat/new/operational?${query}`, undefined],
        ['GET', `/heartbeat/backup/operational?${query}`, undefined],
        ['PATCH', '/components/backup', terms],
      ] as const)
        assert.deepEqual((await worker.ask(method, path, body)).body, { ok: false, error }, `${method} ${path}`)
    }
    const { body } = await worker.ask('PATCH', '/components/backup', { schedule: 5 })
    assert.equal(body.error, 'schedule must be a cron expression, such as 0 3 * * 1-5')
    assert.equal((await worker.ask('PATCH', '/components/new', { schedule: '@daily' })).status, 404)
    assert.equal((await worker.ask('GET', '/health')).body.components.length, 1)
    await worker.close()
  })
})
