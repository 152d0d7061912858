import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isId } from '../../src/lib/ids.ts'
import { occurrenceId, startsOf } from '../../src/status/recurring-maintenance.ts'
import { stores } from '../support/stores.ts'
import { drivenWorker, sender, settled, timeoutMs } from './driven-worker.ts'
import { openWorker } from './worker-stage.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const cronOf = (expression: string, tz = 'UTC') => ({ expression, tz })

describe('Recurring maintenance', () => {
  it('begins by the clocks of its zone and lasts as long as ever, in the nights when they change', async () => {
    const nights = [
      ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
      ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
      ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['2026-11-01T05:30', '2026-11-02T06:30']],
      ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T12:00Z', ['2026-10-03T15:30', '2026-10-04T15:15']],
    ] as const
    const { clock, wall, worker, beat, pass, end } = await drivenWorker()
    await beat('a')
    const toTime = async (at: number) => {
      wall.steppedMs += at - clock.now()
      await pass(500)
      return worker.find('a')?.maintenanceId ?? null
    }
    for (const [tz, expression, now, expected] of nights) {
      await toTime(Date.parse(now))
      const terms = { components: ['a'], cron: cronOf(expression, tz), durationMs: 2 * hour, text: null }
      const { id } = await worker.recurring.announce(terms, sender)
      const [first, second] = worker.recurring.windowsOf(id)
      assert.deepEqual([iso(first?.from ?? 0), iso(second?.from ?? 0)], expected, tz)
      for (const { id: windowId, from } of [first, second].flatMap((each) => each ?? [])) {
        assert.equal(await toTime(from - minute), null, tz)
        assert.equal(await toTime(from + 1_000), windowId, tz)
        assert.equal(await toTime(from + 2 * hour - minute), windowId, tz)
        assert.equal(await toTime(from + 2 * hour), null, tz)
      }
      assert.equal(worker.recurring.windowsOf(id).length, 5, 'two more were planned')
      await worker.recurring.end(id, sender)
      assert.deepEqual(worker.recurring.windowsOf(id), [])
    }
    await end()
  })

  it('suppresses silence while it lasts, and plans nothing that was cancelled', async () => {
    const { clock, store, worker, beat, pass, end } = await drivenWorker()
    await beat('a')
    const start = clock.now()
    const terms = { components: ['a'], cron: cronOf('*/5 * * * *'), durationMs: 3 * minute, text: 'Backup' }
    const { id } = await worker.recurring.announce(terms, sender)
    const at = (minutes: number) => occurrenceId(id, start + minutes * minute)
    await worker.calendar.end(at(10), sender)
    for (let halves = 0; halves < 10; halves++) {
      await beat('a')
      await pass(minute / 2)
    }
    await pass(2 * minute)
    assert.equal(worker.find('a')?.maintenanceId, at(5))
    assert.deepEqual(await store.incidents({ componentId: 'a', isOpen: null, limit: 9 }), [])
    await pass(3.5 * minute + timeoutMs)
    assert.equal(worker.find('a')?.maintenanceId, null, 'this one was cancelled')
    assert.equal((await store.incidents({ componentId: 'a', isOpen: true, limit: 9 })).length, 1)
    const planned = worker.recurring.windowsOf(id).map(({ id }) => id)
    assert.deepEqual(planned, [15, 20, 25, 30, 35].map(at))
    assert.equal((await store.published('maintenance')).length, 7)
    await pass(5 * minute)
    assert.equal(worker.find('a')?.maintenanceId, at(15))
    await worker.recurring.end(id, sender)
    await worker.checkMaintenance()
    assert.equal(worker.find('a')?.maintenanceId, at(15), 'what is in progress lasts until its own end')
    await pass(10 * minute)
    assert.equal(worker.find('a')?.maintenanceId, null)
    await end()
  })

  it('that cannot be saved is refused, and what cannot be planned is planned when it can be saved again', async () => {
    const { disk, worker, pass, logged, end } = await drivenWorker()
    const terms = { components: ['a'], cron: cronOf('* * * * *'), durationMs: minute, text: null }
    disk.isFull = true
    await assert.rejects(worker.recurring.announce(terms, sender))
    assert.deepEqual([worker.recurring.list(), worker.calendar.list()], [[], []])
    disk.isFull = false
    const { id } = await worker.recurring.announce(terms, sender)
    disk.isFull = true
    await pass(2 * minute)
    assert.ok(logged().some(({ msg }) => msg === 'recurring maintenance could not be planned'))
    assert.ok(worker.recurring.windowsOf(id).length < 5)
    disk.isFull = false
    await pass(10_500)
    await settled()
    assert.ok(worker.recurring.windowsOf(id).length >= 5)
    await end()
  })

  it('plans at most ten windows, whatever the schedule, and gives each an id of its own', () => {
    const cron = cronOf('* * * * *')
    const one = { id: 'x', components: [], cron, durationMs: 7 * day, text: null, createdAt: 0, endedAt: null }
    const starts = startsOf(one, 10 * day)
    assert.equal(starts.length, 10)
    const ids = starts.map((from) => occurrenceId('x', from))
    assert.ok(new Set(ids).size === 10 && ids.every(isId))
  })
})

for (const store of stores)
  describe(`/maintenance/recurring, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('announces, lists and ends it, over restarts, without a second window of any occurrence', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      const restart = async () => {
        await worker.close()
        worker = await openWorker({ place })
      }
      const terms = { components: ['api', 'db'], schedule: '0  3 * * 0', durationSeconds: 7_200, text: 'Disks' }
      const { status, body } = await worker.ask('POST', '/maintenance/recurring', { ...terms, tz: 'Europe/Berlin' })
      const { id, createdAt, windows } = body.recurring
      assert.deepEqual([status, windows.length], [201, 5])
      const known = { id, createdAt, ...terms, schedule: '0 3 * * 0', tz: 'Europe/Berlin', endedAt: null, windows }
      assert.deepEqual(body.recurring, known)
      for (const { from, until, state } of windows)
        assert.deepEqual([Date.parse(until) - Date.parse(from), state], [2 * hour, 'planned'])
      await restart()
      const list = async () => (await worker.ask('GET', '/maintenance/recurring')).body.recurring
      assert.deepEqual(await list(), [known])
      const listed = async () => (await worker.ask('GET', '/maintenance?state=planned')).body.maintenance
      assert.deepEqual(
        (await listed()).map((each: { id: string }) => each.id).reverse(),
        windows.map((each: { id: string }) => each.id),
      )
      assert.deepEqual(Object.keys((await listed())[0]).sort(), [
        ...['components', 'endedAt', 'from', 'id', 'state', 'text', 'until'],
      ])
      await worker.ask('DELETE', `/maintenance/${windows[1].id}`)
      await restart()
      assert.deepEqual((await list())[0].windows, [windows[0], ...windows.slice(2)])
      const ended = await worker.ask('DELETE', `/maintenance/recurring/${id}`)
      assert.deepEqual([ended.status, ended.body.recurring.windows], [200, []])
      await restart()
      assert.deepEqual([await listed(), (await list())[0].endedAt], [[], ended.body.recurring.endedAt])
      const again = await worker.ask('DELETE', `/maintenance/recurring/${id}`)
      assert.deepEqual([again.status, again.body.error], [409, 'Maintenance is over'])
      await worker.close()
      await place.drop()
    })
  })

describe('/maintenance/recurring', () => {
  it('refuses what is invalid or unknown, and more than 40', async () => {
    const worker = await openWorker()
    const good = { components: ['a'], schedule: '@daily', durationSeconds: 86_400 }
    const post = async (more: object) =>
      (await worker.ask('POST', '/maintenance/recurring', { ...good, ...more })).body.error
    const badDuration =
      'durationSeconds must be a whole number from 60 to 604800, and no longer than the time between two runs of schedule'
    for (const durationSeconds of [59, 604_801, 60.5, '60', null, 86_401])
      assert.equal(await post({ durationSeconds }), badDuration, String(durationSeconds))
    assert.equal(await post({ components: [] }), 'components must be a list of 1 to 1000 component ids')
    assert.equal(
      await post({ schedule: '0 0 30 2 *' }),
      'schedule must be a cron expression of five fields: it never fires',
    )
    assert.equal(await post({ tz: '+01:00' }), 'tz must be an IANA time zone such as Europe/Berlin, with a schedule')
    for (const name of ['unknown', '__proto__', '%00'])
      assert.equal((await worker.ask('DELETE', `/maintenance/recurring/${name}`)).body.error, 'Unknown maintenance')
    for (let made = 0; made < 40; made++) assert.equal(await post({}), undefined)
    assert.equal(await post({}), 'Maintenance limit reached')
    assert.equal(
      (await worker.ask('POST', '/maintenance', { components: ['a'], until: new Date(Date.now() + day).toISOString() }))
        .status,
      201,
    )
    await worker.close()
  })
})
