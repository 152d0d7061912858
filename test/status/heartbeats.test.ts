import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { stores } from '../support/stores.ts'
import { openWorker, type Place, type TestWorker, until } from './worker-stage.ts'

for (const store of stores) {
  describe(`Heartbeats, with the state on ${store.name},`, { skip: store.skip }, () => {
    let worker: TestWorker
    let place: Place
    before(async () => {
      place = await store.make()
      worker = await openWorker({ place })
    })
    after(async () => {
      await worker.close()
      await place.drop()
    })

    it('register a component and are answered with its status', async () => {
      const { status, body } = await worker.beat('api', 'degraded')
      assert.deepEqual([status, body], [200, { ok: true, componentId: 'api', status: 'degraded' }])
      const found = await worker.component('api')
      assert.ok(Math.abs(Date.parse(found.lastHeartbeatAt) - Date.now()) < 60_000)
      assert.deepEqual(found, {
        ok: true,
        componentId: 'api',
        lastHeartbeatAt: found.lastHeartbeatAt,
        secondsSinceLastHeartbeat: 0,
        lastReportedStatus: 'degraded',
        publishedStatus: null,
        activeIncidentId: null,
      })
    })

    it('are listed by id', async () => {
      for (const id of ['zoo', 'Bar', 'a.b_c-d', '0', 'constructor', 'x'.repeat(64)]) await worker.beat(id)
      const { status, body } = await worker.ask('GET', '/health')
      const ids = body.components.map(({ componentId }: { componentId: string }) => componentId)
      assert.deepEqual([status, body.ok, ids], [200, true, ids.toSorted()])
      assert.deepEqual(Object.keys(body.components[0]), Object.keys(await worker.component('api')).slice(1))
    })

    it('with an invalid id are 400, other paths with it are 404, and nothing is registered', async () => {
      const count = async () => (await worker.ask('GET', '/health')).body.components.length
      const known = await count()
      for (const id of [
        '-a',
        '.a',
        'a%20b',
        'a%2Fb',
        '%00',
        'ä',
        'x'.repeat(65),
        '__proto__',
        '%F0%9F%92%A5',
        '%zz',
        '%',
        '%ff',
      ]) {
        const beat = await worker.ask('POST', `/heartbeat/${id}`, '{"status":')
        assert.deepEqual([beat.status, beat.body], [400, { ok: false, error: 'Invalid component id' }], id)
        for (const path of [`/health/${id}`, `/history/${id}`]) {
          const found = await worker.ask('GET', path)
          assert.deepEqual([found.status, found.body], [404, { ok: false, error: 'Unknown component' }], path)
        }
      }
      assert.equal(await count(), known)
    })

    it('with an invalid body are refused and do not extend the deadline', async () => {
      const clockless = (await worker.component('api')).lastHeartbeatAt
      const list = 'operational, degraded, partial, outage, maintenance'
      const bad = [400, { ok: false, error: `status must be one of ${list}` }]
      for (const body of [
        '{}',
        '[]',
        'null',
        '""',
        '7',
        '{"status":5}',
        '{"status":"up"}',
        '{"status":"Outage"}',
        '{"status":["outage"]}',
        '{"__proto__":{"status":"outage"}}',
        '',
      ]) {
        const { status, body: answer } = await worker.ask('POST', '/heartbeat/api', body)
        assert.deepEqual([status, answer], bad, body)
      }
      for (const body of ['{', '{"status":"outage"', '\u0000', '{"status":"outage"}x']) {
        const { status, body: answer } = await worker.ask('POST', '/heartbeat/api', body)
        assert.deepEqual([status, answer], [400, { ok: false, error: 'Malformed JSON' }], body)
      }
      const within = 'expectWithinSeconds must be a whole number from 10 to 2678400'
      const grace = 'graceSeconds must be a whole number from 0 to 2678400'
      for (const value of ['9', '2678401', '60.5', '-60', '"60"', '""', '[60]', 'true', '1e99', '{}'])
        assert.deepEqual(
          (await worker.ask('POST', '/heartbeat/api', `{"status":"outage","expectWithinSeconds":${value}}`)).body,
          { ok: false, error: within },
          value,
        )
      for (const value of ['-1', '2678401', '"1"', '""', '0.5'])
        assert.deepEqual(
          (await worker.ask('POST', '/heartbeat/api', `{"status":"outage","graceSeconds":${value}}`)).body,
          { ok: false, error: grace },
          value,
        )
      for (const value of ['5', 'true', '["a"]', '{}', `"${'x'.repeat(501)}"`])
        assert.deepEqual(
          (await worker.ask('POST', '/heartbeat/api', `{"status":"outage","message":${value}}`)).body,
          { ok: false, error: 'message must be a string of at most 500 characters' },
          value,
        )
      const responseTime = 'durationMs must be a number from 0 to 86400000'
      for (const value of ['-1', '86400001', '"1"', '""', 'true', '[1]', '{}', '1e999'])
        assert.deepEqual(
          (await worker.ask('POST', '/heartbeat/api', `{"status":"outage","durationMs":${value}}`)).body,
          { ok: false, error: responseTime },
          value,
        )
      const instance =
        'instance must be 1 to 64 letters, digits, dots, underscores and hyphens, and start with a letter or digit'
      for (const value of [
        '5',
        'true',
        '["a"]',
        '{}',
        '""',
        '"-a"',
        '"a b"',
        '"a\\u0000"',
        '"ä"',
        `"${'x'.repeat(65)}"`,
      ])
        assert.deepEqual(
          (await worker.ask('POST', '/heartbeat/api', `{"status":"outage","instance":${value}}`)).body,
          { ok: false, error: instance },
          value,
        )
      for (const type of [
        'text/plain',
        'multipart/form-data',
        'application/x-www-form-urlencodedx',
        'application/xml',
      ]) {
        const other = await worker.ask('POST', '/heartbeat/api', '{"status":"outage"}', { 'content-type': type })
        assert.deepEqual([other.status, other.body.error], [415, 'Content-Type must be application/json'], type)
      }
      for (const [form, error] of [
        ['outage', 'Malformed JSON'],
        ['=outage', 'Malformed JSON'],
        ['&status=outage', 'Malformed JSON'],
        ['{"status":"outage"', 'Malformed JSON'],
        ['{=}', 'Malformed JSON'],
        ['["status=outage"', 'status must be one of operational, degraded, partial, outage, maintenance'],
        ['Status=outage', 'status must be one of operational, degraded, partial, outage, maintenance'],
        ['status=', 'status must be one of operational, degraded, partial, outage, maintenance'],
        ['status=down', 'status must be one of operational, degraded, partial, outage, maintenance'],
        ['status=outage&expectWithinSeconds=1h', 'expectWithinSeconds must be a whole number from 10 to 2678400'],
        ['status=outage&graceSeconds=', 'graceSeconds must be a whole number from 0 to 2678400'],
        ['status=outage&instance=a+b', instance],
        ...['', '-1', '1e3', '86400001', '0x10', ' 1'].map(
          (value) => [`status=outage&durationMs=${value}`, responseTime] as const,
        ),
      ] as const) {
        const type = 'application/x-www-form-urlencoded'
        const refused = await worker.ask('POST', '/heartbeat/api', form, { 'content-type': type })
        assert.deepEqual([refused.status, refused.body], [400, { ok: false, error }], form)
      }
      const large = await worker.ask('POST', '/heartbeat/api', `{"status":"outage","x":"${'x'.repeat(20_000)}"}`)
      assert.deepEqual([large.status, large.body], [413, { ok: false, error: 'Request body is too large' }])
      const found = await worker.component('api')
      assert.deepEqual([found.lastHeartbeatAt, found.lastReportedStatus], [clockless, 'degraded'])
    })

    it('leave a history of the statuses, newest first', async () => {
      for (const status of ['operational', 'operational', 'outage', 'maintenance']) await worker.beat('db', status)
      const { body } = await worker.ask('GET', '/history/db')
      const moves = body.transitions.map(({ from, to, cause }: Record<string, string>) => [from, to, cause])
      assert.deepEqual(moves, [
        ['outage', 'maintenance', 'heartbeat'],
        ['operational', 'outage', 'heartbeat'],
        [null, 'operational', 'heartbeat'],
      ])
      assert.equal((await worker.ask('GET', '/history/db?limit=1')).body.transitions.length, 1)
      for (const limit of ['0', '501', 'x', '1.5'])
        assert.equal((await worker.ask('GET', `/history/db?limit=${limit}`)).status, 400)
    })

    it('leave pages of history, which a cursor continues', async () => {
      for (let n = 0; n < 5; n++) await worker.beat('paged', n % 2 === 0 ? 'outage' : 'operational')
      const page = async (query: string) => (await worker.ask('GET', `/history/paged?${query}`)).body
      const statuses = (body: { transitions: { to: string }[] }) => body.transitions.map(({ to }) => to)
      const first = await page('limit=3')
      const second = await page(`limit=3&cursor=${first.next}`)
      assert.deepEqual([...statuses(first), ...statuses(second)], statuses(await page('limit=500')))
      assert.deepEqual([statuses(second).length, second.next], [2, null])
      assert.deepEqual(await page('cursor=1'), { ok: true, componentId: 'paged', transitions: [], next: null })
      for (const path of ['/history/paged', '/incidents'])
        for (const cursor of ['0', '-1', 'x', '1.5', '9'.repeat(16), '%00', '1e3'])
          assert.deepEqual(
            (await worker.ask('GET', `${path}?cursor=${cursor}`)).body,
            { ok: false, error: 'cursor must be the `next` value of a previous response' },
            cursor,
          )
      assert.deepEqual((await worker.ask('GET', '/incidents?cursor=1')).body, { ok: true, incidents: [], next: null })
    })

    it('set a timeout that survives a restart, and is shown in GET /components with everything that is known', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      const body = { status: 'degraded', expectWithinSeconds: 93_600, graceSeconds: 600 }
      assert.deepEqual((await worker.ask('POST', '/heartbeat/nightly', body)).body, {
        ok: true,
        componentId: 'nightly',
        status: 'degraded',
      })
      await worker.beat('nightly', 'degraded')
      const shown = async () => {
        const { components } = (await worker.ask('GET', '/components?componentId=nightly,nothing')).body
        const [{ lastHeartbeatAt, deadlineAt, ...found }, ...others] = components
        assert.deepEqual(others, [])
        assert.ok(Math.abs(Date.parse(deadlineAt) - Date.parse(lastHeartbeatAt) - 94_200_000) < 60_000, deadlineAt)
        return { ...found, secondsSinceLastHeartbeat: 0 }
      }
      const expected = {
        componentId: 'nightly',
        secondsSinceLastHeartbeat: 0,
        lastReportedStatus: 'degraded',
        activeIncidentId: null,
        message: null,
        exitCode: null,
        maintenanceId: null,
        downSince: null,
        instances: [],
        heartbeat: 'on time',
        timeoutSeconds: 93_600,
        graceSeconds: 600,
        timeoutFrom: 'heartbeat',
        schedule: null,
        tz: null,
        nextRunAt: null,
        maxRunSeconds: 86_400,
        running: 0,
        acknowledgement: null,
        mute: null,
        wantedStatus: 'degraded',
        targets: [],
      }
      assert.deepEqual(await shown(), expected)
      await worker.close()
      worker = await openWorker({ place })
      assert.deepEqual(await shown(), expected)
      await worker.close()
      await place.drop()
    })

    it('of a retired component register it again, without its history', async () => {
      await worker.beat('old', 'outage')
      const { status, body } = await worker.ask('DELETE', '/components/old')
      assert.deepEqual([status, body], [200, { ok: true, componentId: 'old' }])
      for (const [method, path] of [
        ['GET', '/health/old'],
        ['GET', '/history/old'],
        ['DELETE', '/components/old'],
      ] as const)
        assert.deepEqual((await worker.ask(method, path)).body, { ok: false, error: 'Unknown component' })
      await worker.beat('old')
      assert.equal((await worker.ask('GET', '/history/old')).body.transitions.length, 1)
    })

    it('survive a restart, with publishedStatus and the open incident', async () => {
      const before = (await worker.ask('GET', '/health')).body.components
      await worker.close()
      worker = await openWorker({ place })
      const after = (await worker.ask('GET', '/health')).body.components
      const timeless = (all: Record<string, unknown>[]) => all.map(({ secondsSinceLastHeartbeat: _, ...rest }) => rest)
      assert.deepEqual(timeless(after), timeless(before))
    })
  })

  describe(`Silence, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('opens one incident, which starts at the deadline; the next heartbeat resolves it', async () => {
      const place = await store.make()
      const worker = await openWorker({
        place,
        env: { HEARTBEAT_TIMEOUT_SECONDS: '2', STATUS_CHECK_INTERVAL_SECONDS: '1' },
      })
      await worker.ask('POST', '/heartbeat/db/degraded?message=slow')
      await worker.beat('busy', 'maintenance')
      const { lastHeartbeatAt } = await worker.component('db')
      const open = async () => (await worker.ask('GET', '/incidents?open=true')).body.incidents
      await until(async () => (await open()).length > 0)
      const incidents = await open()
      const [{ id, startedAt, detectedAt }] = incidents
      assert.deepEqual(incidents, [
        {
          id,
          componentId: 'db',
          startedAt,
          detectedAt,
          resolvedAt: null,
          lastReportedStatus: 'degraded',
          message: 'slow',
        },
      ])
      // Later if this machine was suspended meanwhile.
      assert.ok(Date.parse(startedAt) - Date.parse(lastHeartbeatAt) >= 2_000 - 1)
      assert.ok(Date.parse(detectedAt) >= Date.parse(startedAt))
      const silent = await worker.component('db')
      assert.deepEqual([silent.activeIncidentId, silent.lastReportedStatus], [id, 'degraded'])
      assert.ok(silent.secondsSinceLastHeartbeat >= 2)
      await worker.beat('db', 'degraded')
      assert.equal((await worker.component('db')).activeIncidentId, null)
      const [resolved] = (await worker.ask('GET', '/incidents?componentId=db&open=false')).body.incidents
      assert.ok(Date.parse(resolved.resolvedAt) >= Date.parse(detectedAt))
      assert.deepEqual(resolved, { ...incidents[0], resolvedAt: resolved.resolvedAt })
      assert.deepEqual(await open(), [])
      assert.deepEqual((await worker.ask('GET', '/incidents?componentId=%00')).body.incidents, [])
      const moves = (await worker.ask('GET', '/history/db')).body.transitions
      assert.deepEqual(
        moves.map(({ from, to, cause }: Record<string, string>) => [from, to, cause]),
        [
          ['outage', 'degraded', 'heartbeat'],
          ['degraded', 'outage', 'silence'],
          [null, 'degraded', 'heartbeat'],
        ],
      )
      for (const wrong of ['open=maybe', 'open=1', 'limit=0'])
        assert.equal((await worker.ask('GET', `/incidents?${wrong}`)).status, 400)
      await worker.ask('DELETE', '/components/db')
      assert.deepEqual((await worker.ask('GET', '/incidents?componentId=db')).body.incidents, [resolved])
      assert.equal((await worker.ask('GET', '/history/db')).status, 404)
      await worker.close()
      await place.drop()
    })
  })
}

describe('The number of components', () => {
  it('is limited: one more is 429, known ones keep working, and retiring one makes room', async () => {
    const worker = await openWorker({ env: { STATUS_MAX_COMPONENTS: '3' } })
    for (const id of ['a', 'b', 'c']) assert.equal((await worker.beat(id)).status, 200)
    const refused = await worker.beat('d')
    assert.deepEqual([refused.status, refused.body], [429, { ok: false, error: 'Component limit reached' }])
    assert.equal((await worker.beat('a', 'outage')).status, 200)
    await worker.ask('DELETE', '/components/b')
    assert.equal((await worker.beat('d')).status, 200)
    await worker.close()
  })
})
