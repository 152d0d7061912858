import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openWorker } from '../../status/worker-stage.ts'
import { password, startService } from '../../support/service.ts'
import { json, StatusServer } from '../../support/status-servers.ts'

const open = ['components', 'incidents', 'maintenance', 'announcements'].map((list) => `/admin/status/${list}`)
const runs = '/admin/status/components/a-first/runs'
const paths = [...open, '/admin/status/diag', '/admin/status/targets', runs]
const lists = ['/admin/status/incidents/written', '/admin/status/maintenance/recurring']
const owner = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password }

describe('/admin/status', () => {
  it('shows components and incidents to support and above, and the diagnostics to administrators', async () => {
    const worker = await openWorker()
    await worker.beat('a-first', 'degraded')
    const service = await startService({ env: { ...owner, STATUS_WORKER_URL: worker.url } })
    const token = (await service.login('keeper')).body.accessToken
    const helper = await service.register('helper')
    const statuses = async (of: string) => {
      const replies = await Promise.all(paths.map((path) => service.request('GET', path, { token: of })))
      return replies.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(helper.accessToken), Array(7).fill(403))
    await service.request('POST', '/admin/user/edit/role', { token, body: { username: 'helper', role: 'support' } })
    const again = (await service.login('helper')).body.accessToken
    assert.deepEqual(await statuses(again), [200, 200, 200, 200, 403, 403, 403])
    assert.deepEqual(await statuses(token), Array(7).fill(200))
    const { body } = await service.request('GET', '/admin/status/components', { token })
    assert.deepEqual([body.status, body.ok, body.components[0].wantedStatus], [200, undefined, 'degraded'])
    const { body: diag } = await service.request('GET', '/admin/status/diag', { token })
    assert.equal(diag.config.heartbeatTimeoutSeconds, 180)
    for (const [query, message] of [
      ['incidents?open=x', 'open must be one of true, false'],
      ['incidents?cursor=-1', 'cursor must be the `next` value of a previous response'],
      ['incidents?limit=501', 'limit must be a whole number from 1 to 500'],
      ['incidents?component=a', 'Unknown parameter: component'],
      ['maintenance?state=x', 'state must be planned, active or over'],
      ['maintenance?State=over', 'Unknown parameter: State'],
      ['maintenance?limit=0', 'limit must be a whole number from 1 to 500'],
      ['maintenance?cursor=1_2', 'cursor must be the `next` value of a previous response'],
      ['announcements?state=x', 'state must be planned, active or over'],
      ['announcements?limit=1', 'Unknown parameter: limit'],
    ]) {
      const { status, body } = await service.request('GET', `/admin/status/${query}`, { token })
      assert.deepEqual([status, body.message], [400, message])
    }
    await service.close()
    await worker.close()
  })

  it('shows the runs of a component to administrators, and asks the leader alone for them', async () => {
    const real = await openWorker()
    const standBy = await StatusServer.open(() => json(503, { ok: false, error: 'Standing by' }))
    const service = await startService({ env: { ...owner, STATUS_WORKER_URL: `${standBy.url},${real.url}` } })
    const token = (await service.login('keeper')).body.accessToken
    await real.ask('POST', '/heartbeat/job/start?rid=one&maxRunSeconds=60')
    const controls = Buffer.alloc(10_240, '\u0001')
    for (const index of Array(20).keys()) await real.ask('POST', `/heartbeat/job/3?rid=r${index}`, controls)
    const { status, body } = await service.request('GET', '/admin/status/components/job/runs', { token })
    const [{ id: _, endedAt, ...run }] = body.runs
    assert.deepEqual([status, body.componentId, body.maxRunSeconds, body.runs.length], [200, 'job', 60, 20])
    assert.deepEqual(run, {
      rid: 'r19',
      outcome: 'failed',
      startedAt: null,
      durationSeconds: null,
      exitCode: 3,
      overlaps: false,
      body: '\ufffd'.repeat(10_240),
    })
    const { components } = (await service.request('GET', '/admin/status/components', { token })).body
    const job = components.find(({ componentId }: { componentId: string }) => componentId === 'job')
    assert.deepEqual([job.running, job.maxRunSeconds], [1, 60])
    const unknown = await service.request('GET', '/admin/status/components/none/runs', { token })
    assert.deepEqual([unknown.status, unknown.body], [404, { status: 404, message: 'Unknown component' }])
    await real.close()
    const away = await service.request('GET', '/admin/status/components/job/runs', { token })
    assert.deepEqual([away.status, away.body.message], [503, 'Status worker is unavailable'])
    await service.close()
  })

  it('shows more components than one reply of the worker may have, and refuses pages that do not advance', async () => {
    const real = await openWorker()
    await real.beat('a', 'degraded')
    const { components, neverHeard } = (await real.ask('GET', '/components')).body
    const [component] = components
    await real.close()
    const ids = Array.from({ length: 950 }, (_, index) => `c${String(index).padStart(3, '0')}`)
    const message = 'x'.repeat(2_000)
    const pages = { areStuck: false }
    const worker = await StatusServer.open(({ query }) => {
      const [cursor, limit] = [query.get('cursor') ?? '', Number(query.get('limit'))]
      const left = ids.filter((id) => id > cursor)
      const page = left.slice(0, limit).map((componentId) => ({ ...component, componentId, message }))
      const next = pages.areStuck ? 'c000' : left.length > limit ? left[limit - 1] : null
      return json(200, { ok: true, components: page, neverHeard, next })
    })
    const service = await startService({ env: { ...owner, STATUS_WORKER_URL: worker.url } })
    const token = (await service.login('keeper')).body.accessToken
    const list = () => service.request('GET', '/admin/status/components', { token })
    const { status, body, text } = await list()
    assert.deepEqual(
      [status, Object.keys(body), text.length > 1_900_000],
      [200, ['status', 'components', 'neverHeard'], true],
    )
    assert.deepEqual(
      body.components.map(({ componentId }: { componentId: string }) => componentId),
      ids,
    )
    pages.areStuck = true
    assert.equal((await list()).status, 503)
    await service.close()
  })

  it('lists more maintenance than one reply of the worker may have, in pages', async () => {
    const worker = await openWorker()
    const components = Array.from({ length: 1_000 }, (_, index) => `c${index}-`.padEnd(64, 'x'))
    const made: string[] = []
    for (let index = 0; index < 20; index++) {
      // In pairs that begin at the same time.
      const [from, until] = [`2100-01-01T${String(index >> 1).padStart(2, '0')}:00:00Z`, '2100-01-02T00:00:00Z']
      const { body } = await worker.ask('POST', '/maintenance', { components, from, until })
      made.push(body.maintenance.id)
    }
    const service = await startService({ env: { ...owner, STATUS_WORKER_URL: worker.url } })
    const token = (await service.login('keeper')).body.accessToken
    for (const limit of [1, 7, 500]) {
      const seen: string[] = []
      for (let next: string | null = ''; next !== null; ) {
        const query = `limit=${limit}${next === '' ? '' : `&cursor=${next}`}`
        const { status, body } = await service.request('GET', `/admin/status/maintenance?${query}`, { token })
        assert.ok(status === 200 && body.maintenance.length > 0 && body.maintenance.length <= limit)
        seen.push(...body.maintenance.map(({ id }: { id: string }) => id))
        next = body.next
      }
      assert.deepEqual(seen.toSorted(), made.toSorted())
    }
    await service.close()
    await worker.close()
  })

  it('shows that the status page does not respond, rather than that the worker is unavailable', async () => {
    const page = await StatusServer.open(() => json(200, {}))
    page.fault = { kind: 'silent' }
    const worker = await openWorker({ env: { STATUS_SERVICE_KIND: 'native', STATUS_SERVICE_URL: page.url } })
    const service = await startService({ env: { ...owner, STATUS_WORKER_URL: worker.url } })
    const token = (await service.login('keeper')).body.accessToken
    const { status, body } = await service.request('GET', '/admin/status/diag', { token })
    const { reached, error, url } = body.statusApi
    assert.deepEqual([status, reached, error, url], [200, false, 'no response within 1000 ms', page.url])
    const wrong = await worker.ask('GET', '/diag?waitMs=5001')
    assert.deepEqual(wrong.body, { ok: false, error: 'waitMs must be a whole number from 100 to 5000' })
    page.drop()
    await service.close()
    await worker.close()
  })

  it('is 503 without any worker', async () => {
    const service = await startService({ env: owner })
    const token = (await service.login('keeper')).body.accessToken
    for (const path of [...paths, ...lists]) {
      const { status, body } = await service.request('GET', path, { token })
      assert.deepEqual([status, body.message], [503, 'Status worker is unavailable'], path)
    }
    await service.close()
  })

  it('forwards no header of the caller, and refuses a reply that is not from a worker or too large', async () => {
    const worker = await StatusServer.open(() => json(200, { ok: true, incidents: [], next: null }))
    const service = await startService({ env: { ...owner, STATUS_WORKER_URL: worker.url } })
    const token = (await service.login('keeper')).body.accessToken
    const [components, incidents = '', ...others] = paths
    const sent = { token, headers: { 'x-mine': 'a', cookie: 'b' } }
    const found = await service.request('GET', `${incidents}?open=true&cursor=7&limit=1`, sent)
    assert.deepEqual([found.status, found.body], [200, { status: 200, incidents: [], next: null }])
    const asked = worker.asked.filter(({ path }) => path === '/incidents')
    assert.deepEqual(
      asked.map(({ query, headers }) => [String(query), headers['x-mine'], headers.cookie, headers.authorization]),
      [['open=true&cursor=7&limit=1', undefined, undefined, undefined]],
    )
    for (const fault of [
      null,
      { kind: 'reply', reply: { status: 302, headers: { Location: `${worker.url}/incidents` } } },
      { kind: 'reply', reply: json(503, { ok: false, error: 'Standing by' }) },
      { kind: 'endless' },
      { kind: 'reset' },
    ] as const) {
      worker.fault = fault
      for (const path of fault === null ? [components, ...others] : [incidents, ...lists]) {
        const { status, body } = await service.request('GET', String(path), { token })
        assert.deepEqual([status, body.message], [503, 'Status worker is unavailable'])
      }
    }
    await service.close()
  })
})
