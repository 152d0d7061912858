import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stageProblem, stages } from '../../src/status/written-incidents.ts'
import { stores } from '../support/stores.ts'
import { drivenWorker, sender } from './driven-worker.ts'
import { openWorker, until } from './worker-stage.ts'

const hour = 3_600_000
const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const opening = { title: ' <b>Slow</b> "uploads" ', level: 'partial', text: 'We\u0000 look\ninto it' }

describe('An update of an incident', () => {
  it('may say what is true at that time', () => {
    const allowed = (isResolved: boolean, isByHand: boolean) =>
      stages.filter((stage) => stageProblem(stage, isResolved, isByHand) === null)
    assert.deepEqual(allowed(false, true), ['investigating', 'identified', 'monitoring', 'resolved'])
    assert.deepEqual(allowed(true, true), ['postmortem'])
    assert.deepEqual(allowed(false, false), ['investigating', 'identified', 'monitoring'])
    assert.deepEqual(allowed(true, false), ['resolved', 'postmortem'])
  })
})

for (const store of stores)
  describe(`Incidents that people write about, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('are opened, updated and resolved by hand, over restarts, and touch no component', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      await worker.beat('api', 'outage')
      const before = await worker.component('api')
      const opened = await worker.ask('POST', '/incidents', { ...opening, components: ['api', 'api'], from: at(-hour) })
      const { incident } = opened.body
      assert.deepEqual(
        [opened.status, incident.components, incident.byHand.title, incident.updates[0].text],
        [201, ['api'], '<b>Slow</b> "uploads"', 'We\ufffd look\ninto it'],
      )
      await worker.close()
      worker = await openWorker({ place })
      const listed = async () => (await worker.ask('GET', '/incidents/written')).body.incidents
      assert.deepEqual(await listed(), [incident])
      const update = (body: object, id = incident.id) => worker.ask('POST', `/incidents/${id}/updates`, body)
      const worse = await update({ stage: 'identified', text: 'A disk', level: 'outage', components: [] })
      assert.deepEqual(
        [worse.status, worse.body.incident.byHand.level, worse.body.incident.components],
        [201, 'outage', []],
      )
      await worker.beat('api')
      assert.equal((await worker.component('api')).activeIncidentId, null)
      const { lastHeartbeatAt: _, secondsSinceLastHeartbeat: __, ...same } = await worker.component('api')
      assert.deepEqual({ ...before, ...same, lastReportedStatus: 'outage' }, before)
      assert.deepEqual((await worker.ask('GET', '/incidents')).body.incidents, [])
      assert.equal((await listed())[0].byHand.resolvedAt, null, 'no heartbeat resolves it')
      assert.equal((await update({ stage: 'postmortem', text: 'x' })).status, 409)
      const resolved = (await update({ stage: 'resolved', text: 'Replaced' })).body.incident
      assert.equal(resolved.byHand.resolvedAt, resolved.updates[2].at)
      assert.equal((await update({ stage: 'resolved', text: 'again' })).body.error, 'Incident is resolved')
      assert.equal((await update({ stage: 'postmortem', text: 'Why it failed' })).status, 201)
      const records = (await worker.ask('GET', '/audit')).body.records
      assert.deepEqual(
        records.map(({ action, target, after }: { action: string; target: string; after: { stage: string } }) => [
          ...[action, target, after.stage],
        ]),
        [
          ['open-incident', incident.id, 'investigating'],
          ['update-incident', incident.id, 'identified'],
          ['update-incident', incident.id, 'resolved'],
          ['update-incident', incident.id, 'postmortem'],
        ],
      )
      await worker.close()
      await place.drop()
    })

    it('are deleted at once and for good, and the audit keeps the title and the last update', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      const opened = await worker.ask('POST', '/incidents', { ...opening, components: ['api'] })
      const { id } = opened.body.incident
      const other = (await worker.ask('POST', '/incidents', { ...opening, title: 'Other' })).body.incident
      const update = { stage: 'identified', text: 'A disk' }
      const updated = (await worker.ask('POST', `/incidents/${id}/updates`, update)).body.incident
      const remove = () => worker.ask('DELETE', `/incidents/${id}`)
      const deleted = await remove()
      assert.deepEqual([deleted.status, deleted.body], [200, { ok: true, incident: updated }])
      const summary = async () => (await worker.ask('GET', '/summary?full=true&componentId=api')).body.written
      const ids = (all: readonly { readonly id: string }[]) => all.map((each) => each.id)
      assert.deepEqual(ids(await summary()), [other.id])
      assert.deepEqual((await remove()).body, { ok: false, error: 'Unknown incident' })
      await worker.close()
      worker = await openWorker({ place })
      assert.deepEqual((await worker.ask('GET', '/incidents/written')).body.incidents, [other])
      assert.deepEqual(ids(await summary()), [other.id])
      assert.equal((await remove()).status, 404)
      assert.equal((await worker.ask('POST', `/incidents/${id}/updates`, update)).status, 404)
      const { action, target, before, after } = (await worker.ask('GET', '/audit')).body.records.at(-1)
      const title = updated.byHand.title
      assert.deepEqual(
        [action, target, before, after],
        ['delete-incident', id, { title, level: 'partial', components: 'api', ...update }, null],
      )
      await worker.close()
      await place.drop()
    })

    it('are those by silence too, which only a heartbeat resolves', async () => {
      const place = await store.make()
      // A fake clock that runs ahead of a slow disk looks like a worker that stood still, which blames nobody.
      const env = { HEARTBEAT_TIMEOUT_SECONDS: '1', STATUS_CHECK_INTERVAL_SECONDS: '1' }
      const worker = await openWorker({ place, env })
      await worker.beat('job')
      let id: string | null = null
      await until(async () => {
        id = (await worker.component('job')).activeIncidentId
        return id !== null
      })
      const update = (stage: string, more = {}) =>
        worker.ask('POST', `/incidents/${id}/updates`, { stage, text: stage, ...more })
      assert.equal((await update('resolved')).body.error, 'Only a heartbeat resolves an incident by silence')
      assert.equal((await update('identified', { level: 'outage' })).status, 409)
      assert.equal((await update('identified')).body.incident.byHand, null)
      assert.equal((await worker.component('job')).activeIncidentId, id)
      await worker.beat('job')
      assert.equal((await update('monitoring')).body.error, 'Incident is resolved')
      assert.equal((await update('resolved')).status, 201)
      const summary = await worker.ask('GET', '/summary?full=true&componentId=job')
      const [period] = summary.body.periods
      assert.deepEqual(
        period.updates.map(({ stage }: { stage: string }) => stage),
        ['identified', 'resolved'],
      )
      assert.equal((await worker.ask('DELETE', `/incidents/${id}`)).body.incident.updates.length, 2)
      assert.deepEqual((await worker.ask('GET', '/incidents/written')).body.incidents, [])
      const after = await worker.ask('GET', '/summary?full=true&componentId=job')
      assert.deepEqual(after.body.periods, [{ ...period, updates: [] }])
      const { incidents } = (await worker.ask('GET', '/incidents')).body
      assert.deepEqual([incidents.length, incidents[0].id], [1, id])
      assert.equal((await worker.ask('DELETE', `/incidents/${id}`)).status, 404)
      assert.equal((await update('postmortem')).body.incident.updates.length, 1, 'one may write about it again')
      await worker.close()
      await place.drop()
    })
  })

describe('Incidents that people write about', () => {
  it('are refused if they are invalid, unknown or too many, and are listed in pages', async () => {
    const worker = await openWorker()
    for (const [more, error] of [
      [{ title: ' ' }, 'title must be a string of 1 to 100 characters'],
      [{ title: 'x'.repeat(101) }, 'title must be a string of 1 to 100 characters'],
      [{ text: 'x'.repeat(2_001) }, 'text must be a string of 1 to 2000 characters'],
      [{ level: 'operational' }, 'level must be one of outage, partial, degraded'],
      [{ stage: 'postmortem' }, 'the first stage must be investigating, identified or monitoring'],
      [{ from: at(hour) }, 'from must be at most 31 days ago, and not in the future'],
      [{ from: at(-32 * 24 * hour) }, 'from must be at most 31 days ago, and not in the future'],
    ] as const) {
      const refused = await worker.ask('POST', '/incidents', { ...opening, ...more })
      assert.deepEqual([refused.status, refused.body], [400, { ok: false, error }])
    }
    for (const id of ['unknown', '__proto__', '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'])
      assert.equal(
        (await worker.ask('POST', `/incidents/${id}/updates`, { stage: 'identified', text: 'x' })).body.error,
        'Unknown incident',
      )
    assert.equal((await worker.ask('DELETE', '/incidents/__proto__')).status, 404)
    const open = (_: unknown, index: number) =>
      worker.ask('POST', '/incidents', { ...opening, title: `Slow ${index}`, text: 'x'.repeat(2_000) })
    const made = await Promise.all(Array.from({ length: 51 }, open))
    assert.deepEqual(
      made.filter(({ status }) => status !== 201).map(({ body }) => body.error),
      ['Incident limit reached'],
    )
    const first = made.find(({ status }) => status === 201)?.body.incident.id
    for (let count = 1; count < 30; count++)
      await worker.ask('POST', `/incidents/${first}/updates`, { stage: 'monitoring', text: 'x'.repeat(2_000) })
    const last = await worker.ask('POST', `/incidents/${first}/updates`, { stage: 'monitoring', text: 'x' })
    assert.deepEqual([last.status, last.body.error], [429, 'Update limit reached'])
    assert.equal((await worker.ask('GET', '/incidents/written?cursor=x')).status, 400)
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await worker.ask('GET', `/incidents/written${cursor}`)
      ids.push(...body.incidents.map(({ id }: { id: string }) => id))
      if (body.next === null) break
      cursor = `?cursor=${body.next}`
    }
    assert.equal(new Set(ids).size, 50)
    const { body } = await worker.ask('GET', '/summary?full=true')
    assert.equal(body.written.length, 50)
    await worker.close()
  })

  it('are opened once, however often the request is repeated within 10 minutes', async () => {
    const { clock, store, worker, end: stop } = await drivenWorker()
    const { writtenIncidents: incidents } = worker
    const terms = { title: 'x', level: 'outage', components: ['a', 'b'], stage: 'identified', text: 'x' } as const
    let requests = 0
    const open = (more: object = {}) =>
      incidents.open({ ...terms, from: null, ...more }, { ...sender, requestId: `request-${requests++}` })
    const [first, ...repeated] = await Promise.all([open(), open(), open()])
    clock.advance(10 * 60_000)
    assert.deepEqual(
      [...repeated, await open(), await open({ from: first.byHand?.startedAt })],
      [first, first, first, first],
    )
    assert.deepEqual(incidents.list(), [first])
    const audited = (await store.audit(null, 10)).map(({ action, target }) => [action, target])
    assert.deepEqual(audited, Array(5).fill(['open-incident', first.id]), 'each request that was accepted')
    const others = [{ text: 'y' }, { title: 'y' }, { level: 'partial' }, { components: ['a'] }, { stage: 'monitoring' }]
    for (const more of others) assert.notEqual((await open(more)).id, first.id, JSON.stringify(more))
    const earlier = await open({ from: clock.now() - 1 })
    assert.notEqual(earlier.id, first.id, 'it began at another time')
    await incidents.remove(earlier.id, sender)
    assert.equal(incidents.list().length, 6)
    clock.advance(60_000)
    const later = await open()
    assert.notEqual(later.id, first.id, '11 minutes later')
    const update = { stage: 'identified', text: 'x', level: undefined, components: undefined } as const
    await incidents.update(later.id, update, sender)
    const another = await open()
    assert.notEqual(another.id, later.id, 'it has an update')
    await incidents.update(another.id, { ...update, stage: 'resolved' }, sender)
    assert.notEqual((await open()).id, another.id, 'it is resolved')
    await incidents.remove((await open()).id, sender)
    assert.equal(incidents.list().length, 8)
    await stop()
  })

  it('keep nothing that cannot be saved, and the newest 500', async () => {
    const { clock, disk, store, worker, end: stop } = await drivenWorker()
    const { writtenIncidents: incidents } = worker
    const terms = { title: 'x', level: 'outage', components: [], stage: 'identified', text: 'x', from: null } as const
    const end = { stage: 'resolved', text: 'x', level: undefined, components: undefined } as const
    disk.isFull = true
    await assert.rejects(incidents.open(terms, sender))
    disk.isFull = false
    const kept = await incidents.open(terms, sender)
    disk.isFull = true
    await assert.rejects(incidents.update(kept.id, end, sender))
    const records = await store.audit(null, 10)
    await assert.rejects(incidents.remove(kept.id, sender), /State could not be saved/)
    assert.deepEqual(incidents.list(), [kept])
    assert.deepEqual([await store.published('written_incidents'), await store.audit(null, 10)], [[kept], records])
    disk.isFull = false
    const other = { ...terms, title: 'y' }
    for (let made = 0; made < 501; made++) await incidents.update((await incidents.open(other, sender)).id, end, sender)
    assert.deepEqual([incidents.list().length, incidents.find(kept.id)], [500, kept])
    await incidents.update(kept.id, end, sender)
    incidents.forget(clock.now() + 1)
    assert.deepEqual(incidents.list(), [])
    await stop()
  })
})
