import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { parseExposition } from '../support/exposition.ts'
import { administer, queryServer, type Store, stores } from '../support/stores.ts'
import { openWorker, type TestWorker, until } from './worker-stage.ts'

const [sqlite, postgres] = stores as [Store, Store]

/** The number of series of each state metric, and whether the worker is active. */
async function stateOf({ ask }: TestWorker): Promise<Record<string, unknown>> {
  const found = [...parseExposition((await ask('GET', '/metrics')).text)].filter(([name]) => /_status_/.test(name))
  const of = Object.fromEntries(found.map(([name, { samples }]) => [name.replace('menagerie_status_', ''), samples]))
  // Known only after the first self-check.
  const { active = [], heartbeats_total: _taken, working: _working, ...state } = of
  return {
    active: active[0]?.value,
    ...Object.fromEntries(Object.entries(state).map(([name, all]) => [name, all.length])),
  }
}

const names = ['components', 'open_incidents', 'unpublished', 'pushes_total', 'repeats_total', 'pushes_under_way']
names.push('component', 'component_deadline_seconds', 'component_last_heartbeat_seconds', 'maintenance', 'pings_total')
names.push('muted', 'acknowledged')
const seriesOf = (count: number) => Object.fromEntries([...names, 'save_failing'].map((name) => [name, count]))
const unknown = { active: 0, ...seriesOf(0) }
const known = {
  active: 1,
  ...seriesOf(1),
  components: 5,
  pushes_total: 0,
  repeats_total: 0,
  maintenance: 2,
  pings_total: 2,
}

describe('A second worker on the same state', () => {
  it('fails to start on the same folder, with one line, and starts after the first has ended', async () => {
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

  it('stands by on PostgreSQL, and becomes the leader with everything that was saved', {
    skip: postgres.skip,
  }, async () => {
    const place = await postgres.make()
    const first = await openWorker({ place })
    await first.beat('api', 'degraded')
    const second = await openWorker({ place })
    const waiting = { ok: false, error: 'Standing by: this worker is not the leader' }
    for (const [method, path, body] of [
      ['POST', '/heartbeat/api', { status: 'outage' }],
      ['GET', '/health'],
      ['GET', '/health/api'],
      ['GET', '/incidents'],
      ['GET', '/history/api'],
      ['DELETE', '/components/api'],
      ['GET', '/targets'],
      ['POST', '/targets/default/test'],
    ] as const) {
      const answer = await second.ask(method, path, body)
      assert.deepEqual([answer.status, answer.body, answer.headers.get('retry-after')], [503, waiting, '2'], path)
    }
    for (const path of ['/livez', '/diag', '/metrics']) assert.equal((await second.ask('GET', path)).status, 200)
    assert.deepEqual(await stateOf(second), unknown)
    assert.deepEqual(await stateOf(first), known)
    await first.close()
    await until(async () => (await second.ask('GET', '/health')).status === 200)
    assert.equal((await second.component('api')).lastReportedStatus, 'degraded')
    await second.close()
    await place.drop()
  })
})

describe('A worker that cannot acquire the lease after its start', { skip: postgres.skip }, () => {
  it('logs it once, however often it retries, and becomes the leader when it can', { timeout: 60_000 }, async () => {
    const place = await postgres.make()
    const url = place.env.DATABASE_URL ?? ''
    const first = await openWorker({ place })
    const second = await openWorker({ place })
    await administer("UPDATE status_meta SET value = value::int + 100 WHERE name = 'version'", url)
    await first.close()
    const said = () => second.logged().filter(({ msg }) => /the lease could not be acquired/.test(String(msg)))
    await until(() => said().length > 0)
    const sessions = async () => {
      const name = new URL(url).pathname.slice(1)
      const [row] = await queryServer(`SELECT sessions FROM pg_stat_database WHERE datname = '${name}'`)
      return Number(row?.sessions)
    }
    const before = await sessions()
    await until(async () => (await sessions()) >= before + 3)
    assert.equal(said().length, 1)
    await administer("UPDATE status_meta SET value = value::int - 100 WHERE name = 'version'", url)
    await until(async () => (await second.ask('GET', '/health')).status === 200)
    await second.close()
    await place.drop()
  })
})

describe('A worker whose database is unreachable', { skip: postgres.skip }, () => {
  it('exports no state metrics until it is the leader again', async () => {
    const place = await postgres.make()
    const worker = await openWorker({ place })
    await worker.beat('api', 'degraded')
    assert.deepEqual(await stateOf(worker), known)
    const name = new URL(place.env.DATABASE_URL ?? '').pathname.slice(1)
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
    await until(async () => (await worker.beat('api')).status === 503)
    // The save may fail before the lost lease is noticed.
    await until(async () => isDeepStrictEqual(await stateOf(worker), unknown))
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await until(async () => (await worker.beat('api')).status === 200)
    assert.deepEqual(await stateOf(worker), known)
    await worker.close()
    await place.drop()
  })
})
