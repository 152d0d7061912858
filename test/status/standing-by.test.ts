import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Store, stores } from '../support/stores.ts'
import { openWorker, until } from './worker-stage.ts'

const [sqlite, postgres] = stores as [Store, Store]

describe('A second worker on the same state', () => {
  it('refuses to start on the same folder, in one line, and may start when the first has ended', async () => {
    const place = await sqlite.make()
    const first = await openWorker({ place })
    await first.beat('api', 'degraded')
    await assert.rejects(openWorker({ place }), { name: 'BadSetting', message: /^DATA_DIR: .*another status worker/ })
    assert.equal((await first.beat('api', 'outage')).status, 200)
    await first.close()
    const second = await openWorker({ place })
    assert.equal((await second.component('api')).lastReportedStatus, 'outage')
    await second.close()
    await place.drop()
  })

  it('stands by on PostgreSQL, and takes over with all that the first has saved', { skip: postgres.skip }, async () => {
    const place = await postgres.make()
    const first = await openWorker({ place })
    await first.beat('api', 'degraded')
    const second = await openWorker({ place })
    const waiting = { ok: false, error: 'Standing by: this worker does not have the state' }
    for (const [method, path, body] of [
      ['POST', '/heartbeat/api', { status: 'outage' }],
      ['GET', '/health'],
      ['GET', '/health/api'],
      ['GET', '/incidents'],
      ['GET', '/history/api'],
      ['DELETE', '/components/api'],
    ] as const) {
      const answer = await second.ask(method, path, body)
      assert.deepEqual([answer.status, answer.body, answer.headers.get('retry-after')], [503, waiting, '2'], path)
    }
    for (const path of ['/livez', '/diag', '/metrics']) assert.equal((await second.ask('GET', path)).status, 200)
    assert.match((await second.ask('GET', '/metrics')).text, /^menagerie_status_active 0$/m)
    await first.close()
    await until(async () => (await second.ask('GET', '/health')).status === 200)
    assert.equal((await second.component('api')).lastReportedStatus, 'degraded')
    await second.close()
    await place.drop()
  })
})
