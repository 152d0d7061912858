import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isLate } from '../../src/status/report.ts'
import { stores } from '../support/stores.ts'
import {
  accepted,
  deadline,
  failed,
  heartbeat,
  partsOf,
  published,
  retryMs,
  silent,
  timeoutMs,
} from './component-stage.ts'
import { timeoutMs as drivenTimeoutMs, drivenWorker, sender, settled } from './driven-worker.ts'
import { openWorker } from './worker-stage.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const begin = { kind: 'maintenance', id: 'w' } as const
const end = { kind: 'maintenance', id: null } as const
const [up, down] = [heartbeat('operational'), heartbeat('outage')]

describe('A component in announced maintenance', () => {
  it('is published as maintenance whatever it reports, and as reported at the end', () => {
    const stage = published().happen(begin)
    assert.deepEqual(stage.pushed(), ['maintenance 2'])
    assert.deepEqual(
      partsOf(stage).moved.map(({ from, to, cause }) => [from, to, cause]),
      [['operational', 'maintenance', 'maintenance']],
    )
    assert.deepEqual(stage.happen(accepted, begin, down, up, down).pushed(), [])
    assert.equal(stage.component.lastReportedStatus, 'outage')
    assert.deepEqual(stage.happen(end).pushed(), ['outage 3'])
  })

  it('gets no incident, and a new timeout at the end', () => {
    const stage = published()
      .happen(begin, accepted)
      .wait(10 * timeoutMs)
      .happen(deadline, deadline)
    stage
      .happen(end, accepted)
      .wait(timeoutMs - 1)
      .happen(deadline)
    assert.equal(stage.incidents.length, 0)
    stage.wait(1).happen(deadline)
    assert.equal(stage.incidents[0]?.startedAt, stage.wall)
  })

  it('is not late', () => {
    const stage = published()
      .happen(heartbeat('operational', { graceMs: minute }), begin)
      .wait(timeoutMs)
    assert.equal(isLate(stage.component, stage.now, stage.rules), false)
    assert.equal(isLate(stage.happen(end).component, stage.now, stage.rules), false)
    assert.equal(isLate(stage.wait(timeoutMs).component, stage.now, stage.rules), true)
  })

  it('keeps an open incident, which is an outage again at the end', () => {
    const stage = silent().happen(accepted)
    stage.pushed()
    assert.deepEqual(stage.happen(begin, accepted, end).pushed(), ['maintenance 3', 'outage 4'])
    assert.equal(stage.happen(accepted, begin, up).component.incident, null)
  })

  it('that is heard again in the window has been up since then, and a silence that outlasts it began before', () => {
    const stage = silent().happen(accepted)
    const since = stage.incidents[0]?.startedAt
    const told = () => [stage.component.upAt, stage.component.downAt]
    stage.wait(minute).happen(begin, accepted).wait(1_000).happen(up)
    const upAt = stage.wall
    stage
      .wait(minute)
      .happen({ ...begin, id: 'v' })
      .wait(minute)
      .happen(end)
    assert.deepEqual(told(), [upAt, since])
    // Nobody is told of an outage within the window.
    stage.happen(begin).wait(1_000).happen(down).wait(1_000).happen(up).wait(minute).happen(end)
    assert.deepEqual(told(), [stage.wall - minute, since])

    const quiet = silent().happen(accepted)
    quiet.wait(minute).happen(begin, accepted).wait(minute).happen(end, accepted).wait(1_000).happen(up)
    assert.deepEqual([quiet.component.upAt, quiet.component.downAt], [quiet.wall, quiet.incidents[0]?.startedAt])
  })

  it('has a failed push retried by the timer, since it may send no heartbeat', () => {
    const stage = published()
      .happen(begin, failed())
      .wait(retryMs[0] - 1)
      .happen(deadline)
    assert.deepEqual(stage.pushed(), ['maintenance 2'])
    assert.deepEqual(stage.wait(1).happen(deadline).pushed(), ['maintenance 3'])
  })
})

describe('A maintenance window', () => {
  it('hides a recovery from alert channels until it ends; the message then says when the component was heard', async () => {
    const { clock, messages, worker, answer, beat, pass, end: stop } = await drivenWorker({ isAlert: true })
    const dueAt = clock.now() + drivenTimeoutMs
    await beat('a')
    await pass(drivenTimeoutMs + 10_000)
    answer({ kind: 'accepted' })
    await pass(1_000)
    const now = clock.now()
    await worker.calendar.announce({ components: ['a'], from: now, until: now + minute / 2, text: null }, sender)
    await pass(10_000)
    messages.splice(0)
    const upAt = clock.now()
    await beat('a')
    await pass(minute / 2 - 11_000)
    assert.deepEqual(messages, [])
    await pass(12_000)
    assert.deepEqual(
      messages.flat().map(({ status, reportedAt, downSince }) => [status, reportedAt, downSince]),
      [['operational', upAt, dueAt]],
    )
    await stop()
  })

  it('begins and ends on time, also when the clock steps, and is saved with its components', async () => {
    const { clock, wall, store, pushed, worker, answer, beat, pass, end: stop } = await drivenWorker()
    for (const id of ['a', 'b']) {
      await beat(id)
      await settled()
      answer({ kind: 'accepted' })
      await settled()
    }
    const from = clock.now() + hour
    const window = { components: ['a', 'never-heard'], from, until: from + hour, text: null }
    const { id } = await worker.calendar.announce(window, sender)
    const shown = () => [worker.find('a')?.maintenanceId, worker.find('b')?.maintenanceId]
    await pass(1_000)
    assert.deepEqual(shown(), [null, null])
    wall.steppedMs = hour
    await pass(250)
    assert.deepEqual([shown(), pushed.at(-1)?.status, pushed.length], [[id, null], 'maintenance', 3])
    assert.deepEqual(
      (await store.load()).map((each) => each.maintenanceId),
      [id, null],
    )
    answer({ kind: 'accepted' })
    wall.steppedMs = 0
    await pass(10_250)
    assert.deepEqual(shown(), [null, null], 'the clock was set back before it began')
    wall.steppedMs = day
    await pass(10_250)
    assert.deepEqual(shown(), [null, null])
    await pass(2 * drivenTimeoutMs)
    assert.equal((await store.incidents({ componentId: 'a', isOpen: true, limit: 9 })).length, 1)
    await stop()
  })

  it('applies to a component from its first heartbeat on', async () => {
    const { clock, store, pushed, worker, beat, end: stop } = await drivenWorker()
    const window = { components: ['new'], from: clock.now(), until: clock.now() + hour, text: null }
    await worker.calendar.announce(window, sender)
    await worker.checkMaintenance()
    await beat('new', 'outage')
    await settled()
    assert.deepEqual(
      pushed.map(({ status }) => status),
      ['maintenance'],
    )
    const moves = await store.transitions('new', { limit: 9 })
    assert.deepEqual(
      moves.map(({ from, to }) => [from, to]),
      [[null, 'maintenance']],
    )
    await stop()
  })

  it('is listed among the newest 1,000, however many were announced and cancelled', async () => {
    const { clock, worker, end: stop } = await drivenWorker()
    const terms = { components: ['a'], from: clock.now(), until: clock.now() + hour, text: null }
    const kept = await worker.calendar.announce(terms, sender)
    for (let made = 0; made < 1_001; made++) {
      const { id } = await worker.calendar.announce({ ...terms, text: String(made) }, sender)
      await worker.calendar.end(id, sender)
    }
    const listed = worker.calendar.list()
    assert.deepEqual([listed.length, listed.some(({ id }) => id === kept.id)], [1_000, true])
    assert.deepEqual([listed.some(({ text }) => text === '1'), listed.some(({ text }) => text === '2')], [false, true])
    await stop()
  })

  it('that cannot be saved is refused, and has no effect', async () => {
    const { clock, disk, worker, beat, end: stop } = await drivenWorker()
    await beat('a')
    const terms = { components: ['a'], from: clock.now(), until: clock.now() + hour, text: null }
    disk.isFull = true
    await assert.rejects(worker.calendar.announce(terms, sender))
    await worker.checkMaintenance()
    assert.deepEqual([worker.calendar.list(), worker.find('a')?.maintenanceId], [[], null])
    disk.isFull = false
    await stop()
  })
})

for (const store of stores)
  describe(`/maintenance, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('announces, lists, changes and ends windows, over restarts, and logs who did', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      await worker.beat('api', 'degraded')
      const at = (ms: number) => new Date(Date.now() + ms).toISOString()
      const announced = await worker.ask('POST', '/maintenance', {
        components: ['api', 'api', 'db'],
        until: at(hour),
        text: 'new disks',
      })
      const { id, from } = announced.body.maintenance
      const window = { id, components: ['api', 'db'], from, until: announced.body.maintenance.until, text: 'new disks' }
      assert.deepEqual(
        [announced.status, announced.body],
        [201, { ok: true, maintenance: { ...window, endedAt: null, state: 'active' } }],
      )
      const component = async () => (await worker.ask('GET', '/components')).body.components[0]
      assert.deepEqual([(await component()).maintenanceId, (await component()).wantedStatus], [id, 'maintenance'])
      assert.equal((await worker.component('api')).lastReportedStatus, 'degraded')
      const planned = await worker.ask('POST', '/maintenance', {
        components: ['db'],
        from: at(hour),
        until: at(2 * hour),
      })
      assert.equal(planned.body.maintenance.state, 'planned')
      await worker.close()
      worker = await openWorker({ place })
      const listed = async (state: string) =>
        (await worker.ask('GET', `/maintenance?state=${state}`)).body.maintenance.map((each: { id: string }) => each.id)
      assert.deepEqual([await listed('active'), await listed('planned')], [[id], [planned.body.maintenance.id]])
      assert.match((await worker.ask('GET', '/metrics')).text, /menagerie_status_maintenance\{state="active"\} 1/)
      const changed = await worker.ask('PUT', `/maintenance/${id}`, { until: at(day) })
      assert.deepEqual([changed.status, changed.body.maintenance.text], [200, 'new disks'])
      const ended = await worker.ask('DELETE', `/maintenance/${id}`)
      assert.equal(ended.body.maintenance.state, 'over')
      assert.deepEqual([(await component()).maintenanceId, (await component()).wantedStatus], [null, 'degraded'])
      assert.deepEqual((await worker.ask('DELETE', `/maintenance/${planned.body.maintenance.id}`)).status, 200)
      const moves = (await worker.ask('GET', '/history/api')).body.transitions
      assert.deepEqual(
        moves.map(({ from, to, cause }: Record<string, string>) => [from, to, cause]),
        [
          ['maintenance', 'degraded', 'maintenance'],
          ['degraded', 'maintenance', 'maintenance'],
          [null, 'degraded', 'heartbeat'],
        ],
      )
      const lines = worker.logged().filter(({ msg }) => String(msg).startsWith('maintenance '))
      assert.deepEqual(
        lines.map(({ msg, address }) => [msg, address]),
        ['changed', 'ended early', 'ended early'].map((what) => [`maintenance ${what}`, '127.0.0.1']),
      )
      await worker.close()
      await place.drop()
    })
  })

describe('/maintenance', () => {
  it('refuses what is invalid, unknown or over', async () => {
    const worker = await openWorker()
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const good = { components: ['api'], until: at(hour) }
    const badComponents = 'components must be a list of 1 to 1000 component ids'
    const badTime = 'from and until must be ISO 8601 timestamps with a time zone'
    const badWindow = 'until must be after from, in the future, and at most 31 days after from'
    const badText = 'text must be a string of at most 500 characters'
    const { id, text } = (await worker.ask('POST', '/maintenance', { ...good, text: 'a\u0000\u001b\ud800' })).body
      .maintenance
    assert.equal(text, 'a\ufffd\ufffd\ufffd')
    for (const [body, error] of [
      [{ until: at(hour) }, badComponents],
      [{ ...good, components: [] }, badComponents],
      [{ ...good, components: 'api' }, badComponents],
      [{ ...good, components: '' }, badComponents],
      [{ ...good, components: ['a b'] }, badComponents],
      [{ ...good, components: [5] }, badComponents],
      [{ ...good, components: { 0: 'api' } }, badComponents],
      [{ ...good, components: Array.from({ length: 1_001 }, (_, n) => `c${n}`) }, badComponents],
      [{ components: ['api'] }, badTime],
      [{ ...good, until: 'tomorrow' }, badTime],
      [{ ...good, from: '' }, badTime],
      [{ ...good, until: '2026-06-01' }, badTime],
      [{ ...good, until: '2026-06-01T12:00:00' }, badTime],
      [{ ...good, until: Date.now() + hour }, badTime],
      [{ ...good, from: ['2026-06-01T12:00:00Z'] }, badTime],
      [{ ...good, until: at(-1) }, badWindow],
      [{ ...good, from: at(2 * hour) }, badWindow],
      [{ ...good, until: at(31 * day + minute) }, badWindow],
      [{ ...good, text: 5 }, badText],
      [{ ...good, text: 'x'.repeat(501) }, badText],
    ] as const) {
      const refused = await worker.ask('POST', '/maintenance', body)
      assert.deepEqual([refused.status, refused.body], [400, { ok: false, error }], JSON.stringify(body).slice(0, 99))
      const { until: _, ...partial } = body as Record<string, unknown>
      if (error === badComponents && 'components' in body)
        assert.equal((await worker.ask('PUT', `/maintenance/${id}`, partial)).status, 400)
    }
    assert.equal((await worker.ask('PUT', `/maintenance/${id}`, { until: at(-1) })).body.error, badWindow)
    assert.equal((await worker.ask('POST', '/maintenance', '{')).body.error, 'Malformed JSON')
    assert.equal((await worker.ask('GET', '/maintenance?state=x')).body.error, 'state must be planned, active or over')
    for (const method of ['PUT', 'DELETE'])
      for (const name of ['unknown', '__proto__', '%00'])
        assert.equal((await worker.ask(method, `/maintenance/${name}`, '{}')).body.error, 'Unknown maintenance')
    assert.equal((await worker.ask('DELETE', `/maintenance/${id}`)).status, 200)
    for (const method of ['PUT', 'DELETE']) {
      const over = await worker.ask(method, `/maintenance/${id}`, '{}')
      assert.deepEqual([over.status, over.body], [409, { ok: false, error: 'Maintenance is over' }])
    }
    await worker.close()
  })

  it('holds at most 200 windows that are not over', async () => {
    const worker = await openWorker()
    const until = new Date(Date.now() + hour).toISOString()
    const announce = () => worker.ask('POST', '/maintenance', { components: ['a'], until })
    const ids: string[] = []
    for (let n = 0; n < 200; n++) ids.push((await announce()).body.maintenance.id)
    const refused = await announce()
    assert.deepEqual([refused.status, refused.body], [429, { ok: false, error: 'Maintenance limit reached' }])
    await worker.ask('DELETE', `/maintenance/${ids[0]}`)
    assert.equal((await announce()).status, 201)
    await worker.close()
  })
})
