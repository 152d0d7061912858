import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogs } from '../../src/process/logger.ts'
import { head, Wire } from '../http/wire.ts'
import { StatusServer } from '../support/status-servers.ts'
import { nativeService, type Shown } from '../support/status-vendors.ts'
import { stores } from '../support/stores.ts'
import { openWorker, type TestWorker, until } from './worker-stage.ts'

const token = 'a-token-of-the-page-long-enough'

async function stage(env: Record<string, string> = {}) {
  const shown: Shown = new Map()
  const page = await StatusServer.open(nativeService(token, shown))
  const settings = { STATUS_SERVICE_KIND: 'native', STATUS_SERVICE_URL: page.url, STATUS_SERVICE_TOKEN: token, ...env }
  const worker = await openWorker({ env: settings })
  const close = async () => {
    await worker.close()
    await page.stop()
    assert.deepEqual(page.complaints, [])
  }
  return { shown, page, worker, settings, close }
}

const published = async (worker: TestWorker, id: string) => (await worker.component(id)).publishedStatus

describe('A reported status', () => {
  it('is pushed when it changes, and only then', async () => {
    const { shown, page, worker, close } = await stage()
    for (const status of ['operational', 'operational', 'degraded', 'degraded', 'operational']) {
      await worker.beat('api', status)
      await until(async () => (await published(worker, 'api')) === status)
      assert.equal(shown.get('api'), status)
    }
    assert.deepEqual(
      page.asked
        .map(({ body }) => JSON.parse(body))
        .map(({ status, previousStatus, source, sequence }) => [status, previousStatus, source, sequence]),
      [
        ['operational', null, 'heartbeat', 1],
        ['degraded', 'operational', 'heartbeat', 2],
        ['operational', 'degraded', 'heartbeat', 3],
      ],
    )
    await close()
  })

  it('is not published if the page does not respond; the heartbeat is answered anyway', async () => {
    const { page, worker, close } = await stage()
    page.fault = { kind: 'silent' }
    assert.equal((await worker.beat('api', 'outage')).status, 200)
    assert.equal(await published(worker, 'api'), null)
    page.drop()
    page.fault = null
    await until(async () => (await worker.beat('api', 'outage')) && (await published(worker, 'api')) === 'outage')
    const numbers = page.asked.map(({ body }) => JSON.parse(body).sequence)
    assert.deepEqual(new Set(numbers), new Set([1]), 'what may have been taken comes again with its number')
    await close()
  })

  it('is shown in GET /components with the last pushes, their outcomes, and when a failed one is sent again, if it is', async () => {
    const { page, worker, close } = await stage()
    await worker.beat('api')
    page.fault = { kind: 'reply', reply: { status: 503, headers: { 'retry-after': '600' } } }
    await worker.beat('api', 'outage')
    const target = async () => (await worker.ask('GET', '/components')).body.components[0].targets[0]
    await until(async () => (await target()).push === 'waiting')
    const { lastPushes, retryAt, ...rest } = await target()
    assert.deepEqual(rest, {
      target: 'default',
      isAlert: false,
      isMapped: true,
      publishedStatus: 'operational',
      push: 'waiting',
    })
    assert.deepEqual(
      lastPushes.map(({ status, outcome, reason }: Record<string, string | null>) => [status, outcome, reason]),
      [
        ['outage', 'failed', 'HTTP 503'],
        ['operational', 'accepted', null],
      ],
    )
    const waitS = (Date.parse(retryAt) - Date.parse(lastPushes[0].at)) / 1000
    assert.ok(waitS > 600 && waitS < 640, `${waitS} s`)
    await worker.beat('api')
    assert.equal((await target()).retryAt, null, 'the page shows what it should')
    page.fault = null
    for (let n = 0; n < 8; n++) await worker.beat('api', n % 2 === 0 ? 'degraded' : 'operational')
    await until(async () => (await target()).push === 'idle')
    const { lastPushes: five, retryAt: never } = await target()
    assert.deepEqual([five.length, never], [5, null])
    await close()
  })

  it('is retried by each later heartbeat after a failure', async () => {
    const { page, worker, close } = await stage()
    page.fault = { kind: 'reply', reply: { status: 500 } }
    for (let beats = 1; beats <= 20; beats++) {
      assert.equal((await worker.beat('api')).status, 200)
      await until(
        async () =>
          page.asked.length === beats && (await worker.ask('GET', '/metrics')).text.includes('pushes_under_way 0'),
      )
      assert.equal(await published(worker, 'api'), null)
    }
    page.fault = null
    await worker.beat('api')
    await until(async () => (await published(worker, 'api')) === 'operational')
    const lines = worker.logged().filter(({ msg }) => String(msg).includes('status page'))
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['push to the status page failed', 'the status page accepts pushes again'],
    )
    await close()
  })

  it('is pushed in its newest value: those in between are skipped', async () => {
    const { page, worker, shown, close } = await stage()
    page.fault = { kind: 'silent' }
    await worker.beat('api', 'degraded')
    for (const status of ['partial', 'outage', 'maintenance', 'operational']) await worker.beat('api', status)
    assert.equal(page.asked.length, 1, 'one push at a time')
    page.fault = null
    page.drop()
    await until(async () => (await published(worker, 'api')) === 'operational')
    assert.equal(shown.get('api'), 'operational')
    assert.deepEqual(
      page.asked.map(({ body }) => JSON.parse(body).status),
      ['degraded', 'operational'],
    )
    await close()
  })

  it('is not pushed again after a restart, unless the outcome is unknown', async () => {
    const place = await (stores[0] as (typeof stores)[number]).make()
    const shown: Shown = new Map()
    const page = await StatusServer.open(nativeService(token, shown))
    const env = { STATUS_SERVICE_KIND: 'native', STATUS_SERVICE_URL: page.url, STATUS_SERVICE_TOKEN: token }
    const first = await openWorker({ place, env })
    await first.beat('api')
    page.fault = { kind: 'lost-answer' }
    await first.beat('db', 'outage')
    await first.close()
    page.fault = null
    const second = await openWorker({ place, env })
    assert.deepEqual([await published(second, 'api'), await published(second, 'db')], ['operational', null])
    await second.beat('api')
    await second.beat('db', 'outage')
    await until(async () => (await published(second, 'db')) === 'outage')
    const told = page.asked
      .map(({ body }) => JSON.parse(body))
      .map(({ componentId, sequence }) => `${componentId} ${sequence}`)
    assert.deepEqual(told, ['api 1', 'db 1', 'db 1'])
    await second.close()
    const elsewhere = await openWorker({ place, env: { ...env, STATUS_SERVICE_URL: `${page.url}/other` } })
    assert.equal(await published(elsewhere, 'api'), null, 'another page has accepted nothing')
    await elsewhere.close()
    await page.stop()
    await place.drop()
  })
})

describe('GET /diag', () => {
  it('shows the settings and the live response of the page, and never the token', async () => {
    const { page, worker, close } = await stage({ STATUS_ALLOW: '127.0.0.0/8' })
    const { status, body } = await worker.ask('GET', '/diag')
    assert.deepEqual([status, body.ok, body.statusApi.reached, body.statusApi.httpStatus], [200, true, true, 200])
    assert.deepEqual(body.config, {
      statusApiBaseUrl: page.url,
      tokenPreview: '****ough',
      kind: 'native',
      allowList: ['127.0.0.0/8'],
      heartbeatTimeoutSeconds: 180,
      maintenanceTimeoutSeconds: 14_400,
      checkIntervalSeconds: 10,
      startGraceSeconds: 120,
      flapSeconds: 0,
      groupSeconds: 5,
      publishSilence: true,
      maxComponents: 1000,
      pushWaitMs: 200,
      pushTimeoutMs: 5000,
    })
    assert.equal(page.asked[0]?.method, 'GET')
    await close()
  })

  it('makes one call for concurrent requests, also when the page echoes the token', async () => {
    const { page, worker, close } = await stage()
    page.fault = { kind: 'echo' }
    // In one write, so that all arrive before the page responds.
    const wire = new Wire(worker.port).send(head('GET', '/diag').repeat(50))
    const answers = await wire.answers(50)
    wire.close()
    assert.equal(page.asked.length, 1)
    for (const { body } of answers) assert.ok(!body.includes(token) && body.includes('****'))
    await close()
  })

  it('is also 200 if nothing is configured or the page is unreachable', async () => {
    const alone = await openWorker()
    const none = (await alone.ask('GET', '/diag')).body
    assert.deepEqual([none.config.kind, none.config.tokenPreview], [null, null])
    assert.deepEqual(none.statusApi, {
      url: null,
      reached: false,
      httpStatus: null,
      durationMs: 0,
      contentType: null,
      body: null,
      error: 'not configured',
    })
    await alone.close()
    const { page, worker } = await stage()
    await page.stop()
    const away = (await worker.ask('GET', '/diag')).body.statusApi
    assert.deepEqual([away.reached, away.httpStatus, away.error], [false, null, 'ECONNREFUSED'])
    await worker.close()
  })
})

describe('The log', () => {
  it('has refusals and status changes, but no line for each accepted heartbeat', async () => {
    const lines: string[] = []
    const logs = createLogs('info', systemClock, { write: (line) => lines.push(line), flush() {} })
    const worker = await openWorker({ overrides: { logs } })
    for (let beats = 0; beats < 5; beats++) await worker.beat('api')
    await worker.ask('GET', '/livez')
    assert.equal((await worker.beat('-')).status, 400)
    await worker.ask('GET', '/health')
    const said = lines.map((line) => JSON.parse(line)).map(({ msg, path }) => (path ? `${msg} ${path}` : msg))
    assert.deepEqual(said, ['component status changed', 'request /heartbeat/-', 'request /health'])
    await worker.close()
  })
})
