import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { ntfyServer } from '../support/alert-channels.ts'
import { StatusServer } from '../support/status-servers.ts'
import { nativeService, type Shown } from '../support/status-vendors.ts'
import { type Store, stores } from '../support/stores.ts'
import { openWorker, type TestWorker, until } from './worker-stage.ts'

const [sqlite] = stores as [Store]
const token = 'a-token-of-the-page-long-enough'

async function pages() {
  const shown: readonly [Shown, Shown] = [new Map(), new Map()]
  const [first, second] = [
    await StatusServer.open(nativeService(token, shown[0])),
    await StatusServer.open(nativeService(token, shown[1])),
  ]
  const service = { STATUS_SERVICE_KIND: 'native', STATUS_SERVICE_URL: first.url, STATUS_SERVICE_TOKEN: token }
  const other = {
    STATUS_TARGETS: 'other',
    STATUS_TARGET_OTHER_KIND: 'native',
    STATUS_TARGET_OTHER_URL: second.url,
    STATUS_TARGET_OTHER_TOKEN: token,
  }
  return { shown, first, second, service, other, env: { ...service, ...other } }
}

const published = async (worker: TestWorker, id: string) => (await worker.component(id)).publishedStatus
const statusesOf = (page: StatusServer) => page.asked.map(({ body }) => JSON.parse(body).status)

describe('Several targets', { concurrency: true }, () => {
  it('are each told of a change once, and the snapshot shows what the default one accepted', async () => {
    const { shown, first, second, env } = await pages()
    const worker = await openWorker({ env })
    second.fault = { kind: 'reply', reply: { status: 500 } }
    await worker.beat('api', 'degraded')
    await until(() => second.asked.length === 1)
    await until(async () => (await published(worker, 'api')) === 'degraded')
    second.fault = null
    first.fault = { kind: 'reply', reply: { status: 500 } }
    await worker.beat('api', 'degraded')
    await until(() => shown[1].get('api') === 'degraded')
    assert.deepEqual([statusesOf(first), statusesOf(second)], [['degraded'], ['degraded', 'degraded']])
    await worker.beat('api', 'outage')
    await until(() => shown[1].get('api') === 'outage')
    assert.deepEqual([await published(worker, 'api'), shown[0].get('api')], ['degraded', 'degraded'])
    const { text } = await worker.ask('GET', '/metrics')
    assert.match(text, /^menagerie_status_pushes_total\{target="default",outcome="failed"\} 1$/m)
    assert.match(text, /^menagerie_status_pushes_total\{target="other",outcome="accepted"\} 2$/m)
    await worker.close()
  })

  it('do not delay each other: one that hangs keeps neither heartbeats nor the others waiting', async () => {
    const { shown, second, env } = await pages()
    const worker = await openWorker({ env })
    second.fault = { kind: 'silent' }
    for (const id of ['a', 'b', 'c', 'd'])
      for (const status of ['operational', 'outage', 'degraded']) {
        assert.equal((await worker.beat(id, status)).status, 200)
        await until(() => shown[0].get(id) === status)
      }
    assert.equal(second.asked.length, 4, 'one push in flight for each component')
    await second.stop()
    await worker.close()
  })

  it('without a default one show what the first status page accepted, in /diag too', async () => {
    const { second, other } = await pages()
    const worker = await openWorker({ env: other })
    await worker.beat('api')
    await until(async () => (await published(worker, 'api')) === 'operational')
    const { config, statusApi } = (await worker.ask('GET', '/diag')).body
    assert.deepEqual([config.statusApiBaseUrl, config.tokenPreview, config.kind], [second.url, '****ough', 'native'])
    assert.deepEqual([statusApi.reached, statusApi.httpStatus], [true, 200])
    await worker.close()
  })

  it('may list the components that they are told of', async () => {
    const { second, env } = await pages()
    const worker = await openWorker({ env: { ...env, STATUS_TARGET_OTHER_COMPONENTS: 'db, api' } })
    for (const id of ['api', 'web', 'db']) await worker.beat(id)
    await until(() => second.asked.length === 2)
    await worker.close()
    assert.deepEqual(
      second.asked.map(({ body }) => JSON.parse(body).componentId),
      ['api', 'db'],
    )
  })

  it('are not told again after an upgrade from 0.1, whose published status becomes that of default', async () => {
    const place = await sqlite.make()
    const { first, second, service, env } = await pages()
    const before = await openWorker({ place, env: service })
    await before.beat('api', 'degraded')
    await until(async () => (await published(before, 'api')) === 'degraded')
    first.fault = { kind: 'lost-answer' }
    await before.beat('db', 'outage')
    await before.close()
    first.fault = null
    asVersion01(join(place.env.DATA_DIR ?? '', 'status.db'))

    const after = await openWorker({ place, env })
    assert.deepEqual([await published(after, 'api'), await published(after, 'db')], ['degraded', null])
    await after.beat('api', 'degraded')
    await after.beat('db', 'outage')
    await until(async () => second.asked.length === 2 && (await published(after, 'db')) === 'outage')
    const sent = first.asked.map(({ body }) => JSON.parse(body)).map((each) => `${each.componentId} ${each.sequence}`)
    assert.deepEqual(sent, ['api 1', 'db 1', 'db 1'], 'only what may not have been accepted')
    await after.close()
    await place.drop()
  })
})

describe('GET /components', () => {
  it('shows the components that a target maps but that never sent a heartbeat', async () => {
    const kuma = { STATUS_SERVICE_KIND: 'uptime-kuma', STATUS_SERVICE_URL: 'http://127.0.0.1:1' }
    const worker = await openWorker({ env: { ...kuma, STATUS_SERVICE_COMPONENTS: 'api=token-1,old=token-2' } })
    const neverHeard = async () => (await worker.ask('GET', '/components')).body.neverHeard
    await worker.beat('api')
    assert.deepEqual(await neverHeard(), [{ target: 'default', components: ['old'] }])
    await worker.beat('old')
    assert.deepEqual(await neverHeard(), [])
    await worker.close()
  })
})

describe('A retired component', { concurrency: true }, () => {
  it('is hidden at once, and deleted when its page has accepted maintenance, across a restart', async () => {
    const place = await sqlite.make()
    const { shown, first, service } = await pages()
    const worker = await openWorker({ place, env: service })
    await worker.beat('api', 'outage')
    await until(() => shown[0].get('api') === 'outage')
    first.fault = { kind: 'reply', reply: { status: 500 } }
    assert.equal((await worker.ask('DELETE', '/components/api')).status, 200)
    for (const path of ['/health/api', '/history/api']) assert.equal((await worker.ask('GET', path)).status, 404)
    assert.deepEqual((await worker.ask('GET', '/components')).body.components, [])
    assert.equal((await worker.ask('DELETE', '/components/api')).status, 404)
    await worker.close()
    first.fault = null
    const again = await openWorker({ place, env: { ...service, STATUS_CHECK_INTERVAL_SECONDS: '1' } })
    await until(() => shown[0].get('api') === 'maintenance')
    await until(async () => (await again.ask('GET', '/metrics')).text.includes('\nmenagerie_status_unpublished 0\n'))
    await again.beat('api', 'degraded')
    const { transitions } = (await again.ask('GET', '/history/api')).body
    assert.deepEqual([transitions.length, transitions[0].from], [1, null])
    const { sequence } = JSON.parse(first.asked.at(-1)?.body ?? '')
    assert.ok(sequence > 2, 'its numbers go on')
    await again.close()
    await place.drop()
  })

  it('is published as the status that the request names, or not at all', async () => {
    const { shown, first, service } = await pages()
    const worker = await openWorker({ env: service })
    for (const id of ['a', 'b']) await worker.beat(id, 'outage')
    await until(() => shown[0].size === 2)
    assert.equal((await worker.ask('DELETE', '/components/a?publish=down')).status, 400)
    await worker.ask('DELETE', '/components/a?publish=operational')
    await worker.ask('DELETE', '/components/b?publish=nothing')
    await until(() => shown[0].get('a') === 'operational')
    assert.deepEqual([shown[0].get('b'), first.asked.length], ['outage', 3])
    await worker.close()
  })
})

describe('An alert channel', () => {
  const topic = 'topic0123456789'
  const channel = async () => {
    const shown: Shown = new Map()
    const server = await StatusServer.open(ntfyServer(topic, token, shown))
    const env = {
      STATUS_TARGETS: 'phone',
      STATUS_GROUP_SECONDS: '0',
      STATUS_TARGET_PHONE_KIND: 'ntfy',
      STATUS_TARGET_PHONE_URL: `${server.url}/${topic}`,
      STATUS_TARGET_PHONE_TOKEN: token,
    }
    const titles = () => server.asked.map(({ headers }) => headers.title)
    return { server, env, titles }
  }

  it('is told only of outages and recoveries, and is not a status page', async () => {
    const { server, env, titles } = await channel()
    const worker = await openWorker({ env })
    for (const status of ['operational', 'degraded', 'maintenance', 'outage', 'outage', 'degraded', 'operational'])
      await worker.beat('api', status)
    await until(() => titles().length === 2)
    for (const status of ['partial', 'operational']) await worker.beat('api', status)
    await until(() => titles().length === 4)
    assert.deepEqual(titles(), ['[DOWN] api', '[UP] api', '[DOWN] api', '[UP] api'])
    assert.equal(await published(worker, 'api'), null)
    const diag = (await worker.ask('GET', '/diag')).body
    assert.deepEqual([diag.config.kind, diag.statusApi.error], [null, 'not configured'])
    await worker.close()
    assert.deepEqual(server.complaints, [])
  })
})

/** Stores each component as version 0.1 did. */
function asVersion01(path: string): void {
  const db = new DatabaseSync(path)
  for (const { id, state } of db.prepare('SELECT id, state FROM status_components').all()) {
    const { publications, ...component } = JSON.parse(String(state))
    const [{ page, publishedStatus, sequence, push }] = publications
    const isInDoubt = push.kind === 'unknown'
    const pushed = isInDoubt || push.kind === 'sending' ? push.notice : null
    const old = { page, publishedStatus, pushed, sequence, isInDoubt, isPushing: push.kind === 'sending' }
    const state01 = JSON.stringify({ ...component, ...old, hasFailed: isInDoubt, notBefore: 0, repeatAt: 0 })
    db.prepare('UPDATE status_components SET state = ? WHERE id = ?').run(state01, String(id))
  }
  db.close()
}
