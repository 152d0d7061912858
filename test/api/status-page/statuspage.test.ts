import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statuspageOf } from '../../../src/api/status-page/statuspage.ts'
import type { StatuspageSummary } from '../../../src/api/status-page/statuspage-schemas.ts'
import { type StatusView, viewOf } from '../../../src/api/status-page/view.ts'
import { openWorker } from '../../status/worker-stage.ts'
import { fakeClock } from '../../support/clock.ts'
import { startService } from '../../support/service.ts'
import { noon, type Summary, summaryComponent } from './stage.ts'

type Level = Summary['written'][number]['level']
type State = Summary['components'][number]['status'] | null

const nothing = { ok: true as const, at: noon, periods: [], written: [], maintenance: [], announcements: [] }
const spec = { title: 'Zoo', baseUrl: 'https://zoo.example' }

/** A component for each state, null if the worker knows nothing of it; and an open incident of the whole service. */
function viewWith(states: readonly State[], level?: Level): StatusView {
  const components = states.flatMap((state, index) => (state === null ? [] : [summaryComponent(`c${index}`, state)]))
  const written = level
    ? [{ id: 'w', title: 'All', level, components: [], startedAt: noon, resolvedAt: null, updates: [] }]
    : []
  const named = states.map((_, index) => ({ id: `c${index}`, label: `C ${index}`, group: null }))
  return viewOf(named, { ...nothing, components, written })
}

describe('The status in the shape of Statuspage', () => {
  it('has an indicator and description by how much is affected, and is never operational without knowing it', () => {
    const cases: [State[], Level | undefined, string, string][] = [
      [['operational', 'operational'], undefined, 'none', 'All Systems Operational'],
      [['operational', 'maintenance'], undefined, 'maintenance', 'Service Under Maintenance'],
      [['operational', 'degraded'], undefined, 'minor', 'Partially Degraded Service'],
      [['degraded', 'degraded'], undefined, 'minor', 'Degraded System Service'],
      [['degraded', 'partial'], undefined, 'minor', 'Minor Service Outage'],
      [['partial', 'partial'], undefined, 'major', 'Partial System Outage'],
      [['outage', 'maintenance'], undefined, 'major', 'Partial System Outage'],
      [['outage', 'outage'], undefined, 'critical', 'Major System Outage'],
      [['operational', 'operational'], 'outage', 'critical', 'Major System Outage'],
      [['operational', 'outage'], 'degraded', 'major', 'Partial System Outage'],
      [['operational', null], undefined, 'minor', 'Some states are unknown'],
      [[null, null], undefined, 'minor', 'The state is unknown'],
      [[], undefined, 'none', 'No component is public'],
      [[], 'partial', 'major', 'Partial System Outage'],
    ]
    for (const [states, level, indicator, description] of cases)
      assert.deepEqual(statuspageOf(viewWith(states, level), spec).status, { indicator, description }, `${states}`)
    const [known, unknown] = statuspageOf(viewWith(['operational', null]), spec).components
    assert.deepEqual([known?.status, known?.description], ['operational', null])
    assert.deepEqual([unknown?.status, unknown?.description], ['degraded_performance', 'Unknown'])
  })

  it('was updated when its last incident ended, though that is no longer shown', () => {
    const component = { id: 'web', label: 'Website', group: null }
    const ended = { id: 'w', title: 'All', level: 'outage' as const, components: [], startedAt: noon, updates: [] }
    const resolvedAt = new Date(Date.parse(noon) + 60_000).toISOString()
    const { page, incidents } = statuspageOf(
      viewOf([component], { ...nothing, components: [], written: [{ ...ended, resolvedAt }] }),
      spec,
    )
    assert.deepEqual([page.updated_at, incidents], [resolvedAt, []])
  })

  it('tells readers of a real worker what /status shows, in groups, and no other component', async () => {
    const worker = await openWorker()
    for (const id of ['web', 'app']) await worker.beat(id)
    await worker.beat('db', 'outage')
    await worker.beat('hidden-one', 'outage')
    const after = (ms: number) => new Date(Date.now() + ms).toISOString()
    await worker.ask('POST', '/maintenance', { components: ['app', 'hidden-one'], until: after(60_000) })
    const planned = { components: ['db'], from: after(60_000), until: after(120_000), text: 'New disks' }
    await worker.ask('POST', '/maintenance', planned)
    await worker.ask('POST', '/maintenance', { components: ['hidden-one'], until: after(60_000), text: 'secret' })
    const opening = { title: 'Slow', level: 'degraded', text: 'We look', components: ['web', 'hidden-one'] }
    const { incident } = (await worker.ask('POST', '/incidents', opening)).body
    await worker.ask('POST', `/incidents/${incident.id}/updates`, { stage: 'monitoring', text: 'It is faster' })
    const clock = fakeClock(Date.now())
    const env = {
      STATUS_WORKER_URL: worker.url,
      STATUS_PAGE_TITLE: 'Zoo',
      BASE_URL: 'https://zoo.example',
      STATUS_PAGE_COMPONENTS: 'web=Website/Front, db=Database, app=App/Front',
    }
    const service = await startService({ env, overrides: { clock } })
    const found = await service.request('GET', '/api/v2/summary.json')
    assert.equal(found.headers.get('access-control-allow-origin'), '*')
    assert.doesNotMatch(found.text, /hidden-one|secret/)
    const { page, components, incidents, scheduled_maintenances, status } = found.body
    assert.deepEqual([page.name, page.url], ['Zoo', 'https://zoo.example/status'])
    const group = components[0].id
    assert.deepEqual(
      components.map((each: Record<string, unknown>) => [
        each.name,
        each.status,
        each.position,
        each.group_id,
        each.group,
      ]),
      [
        ['Front', 'degraded_performance', 1, null, true],
        ['Website', 'degraded_performance', 1, group, false],
        ['App', 'under_maintenance', 2, group, false],
        ['Database', 'major_outage', 2, null, false],
      ],
    )
    assert.deepEqual(status, { indicator: 'major', description: 'Partial System Outage' })
    const [slow, silent] = incidents
    assert.deepEqual(
      [slow.name, slow.status, slow.impact, slow.shortlink, slow.components.map(({ id }: { id: string }) => id)],
      ['Slow', 'monitoring', 'minor', `https://zoo.example/status/incidents/${incident.id}`, ['web']],
    )
    assert.deepEqual(
      slow.incident_updates.map((each: Record<string, string>) => [each.status, each.body, each.incident_id]),
      [
        ['monitoring', 'It is faster', incident.id],
        ['investigating', 'We look', incident.id],
      ],
    )
    assert.equal(slow.monitoring_at, slow.incident_updates[0].created_at)
    assert.deepEqual(
      [incidents.length, silent.name, silent.status, silent.impact, silent.incident_updates.length],
      [2, 'Database', 'investigating', 'critical', 1],
    )
    const windows = (scheduled_maintenances as StatuspageSummary['scheduled_maintenances']).map((each) => [
      ...[each.name, each.status, each.components.length, each.incident_updates[0]?.body],
    ])
    assert.deepEqual(windows.sort(), [
      ['Maintenance of App', 'in_progress', 1, 'Maintenance of App'],
      ['Maintenance of Database', 'scheduled', 1, 'New disks'],
    ])
    assert.deepEqual(
      [
        scheduled_maintenances[0].scheduled_until > scheduled_maintenances[0].scheduled_for,
        page.updated_at <= after(60_000),
      ],
      [true, true],
    )
    const short = await service.request('GET', '/api/v2/status.json')
    assert.deepEqual(short.body, { page, status })
    clock.advance(10_000)
    const headers = { 'if-none-match': short.headers.get('etag') ?? '' }
    assert.equal((await service.request('GET', '/api/v2/status.json', { headers })).status, 304, 'nothing has changed')
    await worker.close()
    clock.advance(10_000)
    for (const path of ['/api/v2/summary.json', '/api/v2/status.json']) {
      const { status, body, headers } = await service.request('GET', path)
      assert.deepEqual([status, body.message], [503, 'Status worker is unavailable'])
      assert.equal(headers.get('access-control-allow-origin'), '*')
    }
    await service.close()
  })
})
