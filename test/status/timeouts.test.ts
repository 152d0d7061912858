import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timeouts } from '../../src/config/formats.ts'
import {
  type Heartbeat,
  noSchedule,
  rescheduled,
  type TimeoutRules,
  timeoutSource,
  timeoutsOf,
} from '../../src/status/schedule.ts'
import { statuses } from '../../src/status/statuses.ts'
import { deadline, heartbeat, published, unsaved } from './component-stage.ts'
import { drivenWorker, everyMs, settled, timeoutMs } from './driven-worker.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const rules: TimeoutRules = { timeoutMs: 180_000, maintenanceTimeoutMs: 4 * hour, configured: null }
const after = (...heartbeats: Heartbeat[]) => heartbeats.reduce(rescheduled, noSchedule)

describe('The timeout of a component', () => {
  it('is the default until a heartbeat names another, which is kept until the next that does', () => {
    const daily = after({ status: 'operational', expectWithinMs: 26 * hour })
    for (const status of statuses.filter((each) => each !== 'maintenance')) {
      assert.deepEqual(timeoutsOf(noSchedule, status, rules, 0), { timeoutMs: 180_000, graceMs: 0 })
      assert.equal(rescheduled(daily, { status }), daily)
      assert.deepEqual(timeoutsOf(daily, status, rules, 0), { timeoutMs: 26 * hour, graceMs: 0 })
    }
    const hourly = rescheduled(daily, { status: 'outage', expectWithinMs: hour, graceMs: minute })
    assert.deepEqual(timeoutsOf(hourly, 'operational', rules, 0), { timeoutMs: hour, graceMs: minute })
  })

  it('is 4 hours after a maintenance report, or that of the component if it is longer, or what the report names', () => {
    const maintenanceMs = (...heartbeats: Heartbeat[]) =>
      timeoutsOf(after(...heartbeats), 'maintenance', rules, 0).timeoutMs
    assert.equal(maintenanceMs(), 4 * hour)
    assert.equal(maintenanceMs({ status: 'operational', expectWithinMs: 10_000 }), 4 * hour)
    assert.equal(maintenanceMs({ status: 'operational', expectWithinMs: day }), day)
    const short: Heartbeat = { status: 'maintenance', expectWithinMs: minute }
    assert.equal(maintenanceMs({ status: 'operational', expectWithinMs: day }, short), minute)
    assert.equal(timeoutsOf(after(short), 'operational', rules, 0).timeoutMs, 180_000)
  })

  it('is that of STATUS_TIMEOUTS whatever heartbeats name', () => {
    const configured = timeouts.read('backup=26h, api=90s+30s')
    const schedule = after({ status: 'operational', expectWithinMs: minute, graceMs: hour })
    const of = (id: string) =>
      timeoutsOf(schedule, 'operational', { ...rules, configured: configured?.get(id) ?? null }, 0)
    assert.deepEqual(of('backup'), { timeoutMs: 26 * hour, graceMs: hour })
    assert.deepEqual(of('api'), { timeoutMs: 90_000, graceMs: 30_000 })
    assert.deepEqual(of('other'), { timeoutMs: minute, graceMs: hour })
  })

  it('names its source', () => {
    const configured = { timeoutMs: day, graceMs: null }
    const own = after({ status: 'operational', expectWithinMs: minute })
    const source = (schedule: typeof own, status: 'operational' | 'maintenance', isConfigured = false) =>
      timeoutSource(schedule, status, isConfigured ? { ...rules, configured } : rules, 0)
    assert.deepEqual(
      [source(noSchedule, 'operational'), source(own, 'operational'), source(own, 'operational', true)],
      ['default', 'heartbeat', 'setting'],
    )
    const short = after({ status: 'maintenance', expectWithinMs: minute })
    assert.deepEqual(
      [source(own, 'maintenance'), source(short, 'maintenance', true), source(own, 'maintenance', true)],
      ['default', 'heartbeat', 'setting'],
    )
  })

  it('is refused in STATUS_TIMEOUTS if it is invalid', () => {
    for (const text of ['api', 'api=', 'api=90', 'api=0s', 'api=32d', 'api=1h+', 'api=1h+0s', 'api=1h+1h+1h', '=1h'])
      assert.equal(timeouts.read(text), undefined, text)
    for (const text of ['api=1h,api=2h', 'a b=1h', '__proto__=1h', 'api=1h,', 'api=-1h', 'api=1.5h', 'api=+1h'])
      assert.equal(timeouts.read(text), undefined, text)
    assert.deepEqual(timeouts.read('api=31d+31d')?.get('api'), { timeoutMs: 31 * day, graceMs: 31 * day })
  })

  it('sets the deadline, even after a restart or a heartbeat that could not be saved', () => {
    const daily = published().happen(heartbeat('operational', { expectWithinMs: day, graceMs: hour }))
    daily.wait(hour).restart()
    daily.wait(day - 1).happen(deadline)
    assert.equal(daily.incidents.length, 0)
    daily.wait(1).happen(deadline)
    assert.equal(daily.incidents[0]?.startedAt, daily.wall)
    const refused = published().happen({ ...unsaved('operational'), expectWithinMs: day } as never)
    refused.wait(day - 1).happen(deadline)
    assert.deepEqual(refused.incidents, [])
    assert.equal(refused.wait(1).happen(deadline).incidents.length, 1)
  })
})

describe('A heartbeat', () => {
  it('that is late is logged once, and leads to an incident only after the grace period', async () => {
    const { store, pushed, logged, worker, answer, beat, pass, end } = await drivenWorker()
    const shown = () => worker.components().map((each) => worker.details(each).heartbeat)
    const incidents = () => store.incidents({ componentId: null, isOpen: null, limit: 9 })
    const late = () =>
      logged().flatMap(({ msg, componentId }) => (/late/.test(String(msg)) ? [`${componentId}: ${msg}`] : []))
    for (const id of ['back', 'gone']) {
      assert.equal(await beat(id, 'operational', { graceMs: timeoutMs }), 200)
      await settled()
      answer({ kind: 'accepted' })
    }
    await beat('strict')
    await settled()
    answer({ kind: 'accepted' })
    await pass(timeoutMs - everyMs)
    assert.deepEqual(late(), [])
    await beat('strict')
    await pass(3 * everyMs)
    assert.deepEqual([await incidents(), pushed.length], [[], 3])
    assert.deepEqual(late(), ['back: heartbeat late', 'gone: heartbeat late'])
    assert.deepEqual(shown(), ['late', 'late', 'on time'])
    await beat('back')
    await beat('strict')
    await pass(timeoutMs - everyMs)
    assert.deepEqual(late().slice(2), ['back: late heartbeat received'])
    assert.deepEqual(shown(), ['on time', 'missed', 'on time'])
    assert.deepEqual(
      (await incidents()).map(({ componentId }) => componentId),
      ['gone'],
    )
    await end()
  })

  it('that changes the timeout is answered after that is saved', async () => {
    const { disk, store, beat, end } = await drivenWorker()
    await beat('a')
    disk.isFull = true
    assert.equal(await beat('a', 'operational', { expectWithinMs: hour }), 503)
    disk.isFull = false
    assert.equal(await beat('a', 'operational', { expectWithinMs: hour }), 200)
    assert.equal((await store.load())[0]?.schedule.timeoutMs, hour)
    await end()
  })
})
