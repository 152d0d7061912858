import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { head, ask as send } from '../http/wire.ts'
import { stores } from '../support/stores.ts'
import { openWorker } from './worker-stage.ts'

const get = { STATUS_GET_HEARTBEATS: 'true' }

for (const store of stores)
  describe(`A heartbeat of a simple sender, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('has its status in the path and its other fields in the query, and needs no body', async () => {
      const place = await store.make()
      const worker = await openWorker({ place })
      const text = 'exit code 1: "ünd so" \u0000\u001b[31m\ud83e\udd8a\ttab\nline'
      const path = `/heartbeat/backup/degraded?expectWithinSeconds=93600&graceSeconds=60&message=${encodeURIComponent(text)}`
      const { status, body } = await worker.ask('POST', path)
      assert.deepEqual([status, body], [200, { ok: true, componentId: 'backup', status: 'degraded' }])
      const shown = async (path: string, list: string) => (await worker.ask('GET', path)).body[list][0]
      const message = text.replaceAll('\u0000', '\ufffd').replaceAll('\u001b', '\ufffd')
      const found = await shown('/components', 'components')
      assert.deepEqual([found.message, found.timeoutSeconds, found.graceSeconds], [message, 93_600, 60])
      assert.equal((await shown('/history/backup', 'transitions')).message, message)
      assert.equal((await worker.ask('POST', '/heartbeat/backup/degraded', '{"status":"outage"}')).status, 200)
      assert.deepEqual(
        [(await worker.component('backup')).lastReportedStatus, (await shown('/components', 'components')).message],
        ['degraded', null],
      )
      for (const [path, error] of [
        ['/heartbeat/-/operational', 'Invalid component id'],
        ['/heartbeat/backup/up', 'status must be one of operational, degraded, partial, outage, maintenance'],
        ['/heartbeat/backup/Outage', 'status must be one of operational, degraded, partial, outage, maintenance'],
        [
          '/heartbeat/backup/outage?expectWithinSeconds=9',
          'expectWithinSeconds must be a whole number from 10 to 2678400',
        ],
        [
          '/heartbeat/backup/outage?expectWithinSeconds=',
          'expectWithinSeconds must be a whole number from 10 to 2678400',
        ],
        ['/heartbeat/backup/outage?graceSeconds=', 'graceSeconds must be a whole number from 0 to 2678400'],
        ['/heartbeat/backup/outage?graceSeconds=x', 'graceSeconds must be a whole number from 0 to 2678400'],
        [`/heartbeat/backup/outage?message=${'x'.repeat(501)}`, 'message must be a string of at most 500 characters'],
      ] as const) {
        const refused = await worker.ask('POST', path)
        assert.deepEqual([refused.status, refused.body], [400, { ok: false, error }], path)
      }
      assert.equal((await worker.ask('POST', '/heartbeat/backup/outage/')).status, 404)
      assert.equal((await worker.component('backup')).lastReportedStatus, 'degraded')
      await worker.close()
      await place.drop()
    })
  })

describe('A heartbeat by plain curl', () => {
  it('has fields, or is JSON, which curl also sends as a form', async () => {
    const worker = await openWorker()
    const curl = async (...args: string[]) => (await promisify(execFile)('curl', ['-sS', '-m', '20', ...args])).stdout
    const url = `${worker.url}/heartbeat/backup`
    assert.equal(
      await curl('-d', '{"status":"degraded"}', url),
      '{"ok":true,"componentId":"backup","status":"degraded"}',
    )
    const text = 'exit code 1: 100 % of "disk" & more'
    assert.equal(
      await curl('-d', 'status=outage', '-d', 'expectWithinSeconds=93600', '--data-urlencode', `message=${text}`, url),
      '{"ok":true,"componentId":"backup","status":"outage"}',
    )
    const [shown] = (await worker.ask('GET', '/components')).body.components
    assert.deepEqual([shown.lastReportedStatus, shown.timeoutSeconds, shown.message], ['outage', 93_600, text])
    assert.match(await curl('-d', '\n {"status":"partial"}', url), /"status":"partial"/)
    assert.match(await curl('-d', 'outage', url), /Malformed JSON/)
    assert.match(await curl('-X', 'POST', `${url}/operational`), /"status":"operational"/)
    assert.equal((await worker.component('backup')).lastReportedStatus, 'operational')
    await worker.close()
  })
})

describe('GET /heartbeat/<component>/<status>', () => {
  it('is 404 by default, and HEAD always', async () => {
    for (const env of [{}, get]) {
      const worker = await openWorker({ env })
      await worker.beat('api')
      for (const method of env === get ? ['HEAD'] : ['GET', 'HEAD'])
        assert.equal((await worker.ask(method, '/heartbeat/api/outage')).status, 404, method)
      assert.equal((await worker.component('api')).lastReportedStatus, 'operational')
      await worker.close()
    }
  })

  it('is a heartbeat of a known component with STATUS_GET_HEARTBEATS, and is not cached', async () => {
    const worker = await openWorker({ env: get })
    await worker.beat('api')
    const reply = await send(worker.port, head('GET', '/heartbeat/api/degraded?message=slow'))
    assert.deepEqual([reply.status, reply.json], [200, { ok: true, componentId: 'api', status: 'degraded' }])
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal((await worker.component('api')).lastReportedStatus, 'degraded')
    for (const [path, status, error] of [
      ['/heartbeat/other/outage', 404, 'Unknown component'],
      ['/heartbeat/-/outage', 400, 'Invalid component id'],
      ['/heartbeat/api/up', 400, 'status must be one of operational, degraded, partial, outage, maintenance'],
    ] as const) {
      const refused = await send(worker.port, head('GET', path))
      assert.deepEqual([refused.status, refused.json], [status, { ok: false, error }], path)
    }
    assert.equal((await worker.ask('GET', '/health')).body.components.length, 1)
    await worker.close()
  })

  it('is 403 with any header that browsers send', async () => {
    const worker = await openWorker({ env: get })
    await worker.beat('api')
    for (const [name, value] of [
      ['Origin', 'null'],
      ['Referer', ''],
      ['Referer', 'http://localhost/'],
      ['Accept-Language', 'en'],
      ['Sec-Fetch-Site', 'none'],
      ['Sec-Fetch-Mode', 'no-cors'],
      ['sec-fetch-dest', 'image'],
      ['SEC-FETCH-USER', '?1'],
    ] as const) {
      const reply = await send(worker.port, head('GET', '/heartbeat/api/outage', { [name]: value }))
      assert.deepEqual([reply.status, reply.json], [403, { ok: false, error: 'Forbidden' }], name)
    }
    assert.equal((await worker.component('api')).lastReportedStatus, 'operational')
    await worker.close()
  })
})
