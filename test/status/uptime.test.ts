import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { uptimeStates } from '../../src/status/statuses.ts'
import { noTimes, type Times, type UptimeRow, uptimePercent } from '../../src/status/uptime.ts'
import { fakeClock } from '../support/clock.ts'
import { stores } from '../support/stores.ts'
import { atLeast } from '../support/until.ts'
import { drivenWorker, everyMs, sender, timeoutMs } from './driven-worker.ts'
import { openWorker } from './worker-stage.ts'

const [hour, day] = [3_600_000, 86_400_000]

describe('The uptime of a component', () => {
  it('counts operational and degraded as up, partial, outage and silent as down, and nothing else', () => {
    const percent = (ms: Partial<Times>) => uptimePercent({ ...noTimes, ...ms })
    assert.equal(percent({ operational: 500, degraded: 400, partial: 50, outage: 30, silent: 20 }), 90)
    assert.equal(percent({ operational: 1, maintenance: 99 }), 100)
    assert.equal(percent({ maintenance: 99 }), null)
    assert.equal(percent({}), null)
    assert.equal(percent({ operational: 2, outage: 1 }), 66.667)
  })
})

/** Seconds by day and state, saved and unsaved. */
async function sums({ worker, store }: Awaited<ReturnType<typeof drivenWorker>>, componentId = 'a') {
  await worker.uptime.flush()
  const range = { first: componentId, last: componentId, fromDay: '2026-01-01', untilDay: '9999', isDaily: true }
  const rows = await store.uptime(range)
  return Object.fromEntries(
    rows.flatMap((row) =>
      uptimeStates.flatMap((state) => (row[state] === 0 ? [] : [[`${row.day} ${state}`, row[state] / 1000]])),
    ),
  )
}

describe('The daily sums', () => {
  it('have the time of each status, and count silence from the missed deadline', async () => {
    const driven = await drivenWorker()
    const { beat, pass, end } = driven
    await beat('a')
    await pass(30_000)
    await beat('a', 'outage')
    await pass(timeoutMs + everyMs)
    assert.deepEqual(await sums(driven), {
      '2026-06-01 operational': 30,
      '2026-06-01 outage': timeoutMs / 1000,
      '2026-06-01 silent': everyMs / 1000,
    })
    await beat('a', 'maintenance')
    await pass(5_000)
    await beat('a', 'partial')
    await pass(1_000)
    const all = await sums(driven)
    assert.deepEqual([all['2026-06-01 maintenance'], all['2026-06-01 partial']], [5, 1])
    await end()
  })

  it('are split at midnight UTC, and grow by what is added', async () => {
    const driven = await drivenWorker()
    const { wall, beat, pass, end } = driven
    // The test clock starts at noon.
    wall.steppedMs = 12 * hour - 30_000
    await beat('a')
    await pass(20_000)
    assert.deepEqual(await sums(driven), { '2026-06-01 operational': 20 })
    await pass(25_000)
    assert.deepEqual(await sums(driven), { '2026-06-01 operational': 30, '2026-06-02 operational': 15 })
    await end()
  })

  it('have the responses of heartbeats that say how long they took, by day, saved or not', async () => {
    const driven = await drivenWorker()
    const { worker, store, wall, beat, end } = driven
    const all = { first: 'a', last: 'b', fromDay: '2026-01-01', untilDay: '9999', isDaily: true }
    const responsesOf = (rows: readonly UptimeRow[]) =>
      rows.flatMap(({ componentId, day, responses, responding }) =>
        responses === 0 ? [] : [[componentId, day, responses, responding]],
      )
    await beat('a', 'operational', { durationMs: 0.4 })
    await beat('a', 'operational', { durationMs: 100 })
    await beat('a', 'outage', { durationMs: 20 })
    await beat('a')
    await beat('b')
    assert.deepEqual(responsesOf(await worker.uptime.unsaved()), [['a', '2026-06-01', 3, 120.4]])
    await worker.uptime.flush()
    await beat('a', 'outage', { durationMs: 30 })
    wall.steppedMs = 12 * hour
    await beat('a', 'outage', { durationMs: 0 })
    await worker.uptime.flush()
    assert.deepEqual(responsesOf(await store.uptime(all)).sort(), [
      ['a', '2026-06-01', 4, 150],
      ['a', '2026-06-02', 1, 0],
    ])
    await end()
  })

  it('leave out the time when the worker was suspended', async () => {
    const driven = await drivenWorker()
    const { clock, worker, beat, pass, end } = driven
    await beat('a')
    await pass(10_000)
    clock.advance(2 * day)
    worker.tick()
    await pass(5_000)
    const total = Object.values(await sums(driven)).reduce((sum, seconds) => sum + seconds, 0)
    assert.ok(Math.abs(total - 15) <= 1, `${total}`)
    await end()
  })

  it('are kept and saved later if they cannot be saved, and dropped with a retired component', async () => {
    const driven = await drivenWorker()
    const { disk, worker, logged, beat, pass, end } = driven
    for (const id of ['a', 'b']) await beat(id)
    await pass(10_000)
    disk.isFull = true
    for (let tries = 0; tries < 3; tries++) {
      await worker.uptime.flush()
      await pass(1_000)
    }
    assert.equal(logged().filter(({ msg }) => String(msg).includes('daily sums')).length, 1)
    disk.isFull = false
    assert.deepEqual(await sums(driven), { '2026-06-01 operational': 13 })
    await pass(1_000)
    await worker.retire('a', null, sender)
    assert.deepEqual(await sums(driven), {})
    assert.deepEqual(await sums(driven, 'b'), { '2026-06-01 operational': 14 })
    await end()
  })
})

for (const store of stores)
  describe(`GET /uptime, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('shows the seconds of each status for any number of components, and the unknown seconds', async (t) => {
      // A tick after the jump of the clock would take it for a suspension.
      t.mock.timers.enable({ apis: ['setInterval'] })
      const clock = fakeClock(Date.parse('2026-06-01T23:59:50.000Z'))
      const place = await store.make()
      const worker = await openWorker({ place, overrides: { clock } })
      const ids = Array.from({ length: 120 }, (_, n) => `c${n}`).sort()
      await Promise.all(ids.map((id) => worker.beat(id)))
      clock.advance(15_000)
      const zeros = { operational: 0, degraded: 0, partial: 0, outage: 0, maintenance: 0, silent: 0 }
      const of = (operational: number, unknown: number) => ({
        uptimePercent: 100,
        seconds: { ...zeros, operational, unknown },
      })
      assert.deepEqual((await worker.ask('GET', '/uptime?days=2')).body, {
        ok: true,
        days: 2,
        components: ids.map((componentId) => ({ componentId, ...of(15, 86_390) })),
      })
      assert.deepEqual((await worker.ask('GET', '/uptime/c119?days=3')).body, {
        ok: true,
        componentId: 'c119',
        days: 3,
        ...of(15, 2 * 86_400 - 10),
        daily: [
          { day: '2026-06-02', ...of(5, 0) },
          { day: '2026-06-01', ...of(10, 86_390) },
        ],
      })
      // A clock that was ahead has filled future days.
      clock.advance(-86_400_000)
      assert.deepEqual((await worker.ask('GET', '/uptime/c7?days=1')).body.daily, [{ day: '2026-06-01', ...of(10, 0) }])
      await worker.close()
      await place.drop()
    })

    it('shows the sums of all components, and those of one by day, over a restart', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      await worker.beat('up')
      await worker.beat('down', 'outage')
      await atLeast(20)
      await worker.close()
      worker = await openWorker({ place })
      const all = (await worker.ask('GET', '/uptime')).body
      assert.deepEqual(
        [all.days, all.components.map((each: Record<string, unknown>) => [each.componentId, each.uptimePercent])],
        [
          90,
          [
            ['down', 0],
            ['up', 100],
          ],
        ],
      )
      const one = (await worker.ask('GET', '/uptime/up?days=400')).body
      assert.deepEqual([one.days, one.uptimePercent, one.daily.at(-1).uptimePercent], [400, 100, 100])
      assert.match(one.daily[0].day, /^\d{4}-\d\d-\d\d$/)
      assert.equal((await worker.ask('GET', '/uptime/unknown')).body.error, 'Unknown component')
      for (const path of ['/uptime', '/uptime/up'])
        for (const days of ['0', '401', '-1', 'x', '1.5', '%00'])
          assert.equal(
            (await worker.ask('GET', `${path}?days=${days}`)).body.error,
            'days must be a whole number from 1 to 400',
            days,
          )
      await worker.close()
      await place.drop()
    })
  })

describe('The summary for the status page', () => {
  it('has the mean response time of heartbeats in JSON, a form and a path, only with full=true', async () => {
    const worker = await openWorker()
    await worker.ask('POST', '/heartbeat/a', '{"status":"operational","durationMs":10.5}')
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    await worker.ask('POST', '/heartbeat/a', 'status=degraded&durationMs=20', form)
    await worker.ask('POST', '/heartbeat/a/degraded?durationMs=29.5')
    await worker.ask('POST', '/heartbeat/a/0?durationMs=40')
    await worker.ask('POST', '/heartbeat/b/operational')
    const meansOf = async (query: string) =>
      (await worker.ask('GET', `/summary?componentId=a,b${query}`)).body.components.map(
        ({ responseMs }: { responseMs?: object }) => responseMs,
      )
    assert.deepEqual(await meansOf('&full=true'), [
      { days7: 25, days30: 25, days90: 25 },
      { days7: null, days30: null, days90: null },
    ])
    assert.deepEqual(await meansOf(''), [undefined, undefined])
    await worker.close()
  })
})
