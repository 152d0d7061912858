import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { openStatusPage, type StatusPageSettings } from '../../../src/drivers/status-pages/vendors.ts'
import { atEnd } from '../../support/at-end.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { StatusServer } from '../../support/status-servers.ts'
import {
  gatusApi,
  nativeService,
  type Shown,
  statuspageApi,
  uptimeKuma,
  webhookReceiver,
} from '../../support/status-vendors.ts'
import { noticeOf, secret, worker } from './status-pages.contract.ts'

function opened(clock: FakeClock, values: Partial<StatusPageSettings>) {
  const page = openStatusPage({
    prefix: 'STATUS_SERVICE',
    kind: null,
    url: null,
    token: null,
    components: null,
    clock,
    source: worker,
    ...values,
  })
  assert.ok(page)
  atEnd(() => page.close())
  return page
}
const api = (value: string) => new Map([['api', value]])
const accepted = { kind: 'accepted' }

describe('A push', () => {
  const clock = fakeClock()
  const shown: Shown = new Map()

  it('to native has every field of the notice, and the token', async () => {
    const server = await StatusServer.open(nativeService(secret, shown))
    const page = opened(clock, { kind: 'native', url: server.url, token: secret })
    assert.deepEqual(
      await page.push(noticeOf({ source: 'silence', incidentId: 'inc', previousStatus: 'partial' })),
      accepted,
    )
    assert.deepEqual(JSON.parse(server.asked[0]?.body ?? ''), {
      componentId: 'api',
      status: 'outage',
      previousStatus: 'partial',
      source: 'silence',
      reportedAt: '2026-06-01T11:59:00.000Z',
      incidentId: 'inc',
      sequence: 1,
    })
    assert.equal(server.asked[0]?.headers.authorization, `Bearer ${secret}`)
    await server.close()
  })

  it('to native has no Authorization without a token', async () => {
    const server = await StatusServer.open(nativeService(null, shown))
    const page = opened(clock, { kind: 'native', url: server.url })
    assert.deepEqual(await page.push(noticeOf()), accepted)
    assert.equal((await page.probe()).httpStatus, 200)
    assert.deepEqual(server.complaints, [])
    await server.close()
  })

  it('to a webhook keeps its idempotency key across restarts, and is signed with the current second', async () => {
    const server = await StatusServer.open(webhookReceiver(secret, shown, () => clock.now()))
    const settings = { kind: 'webhook', url: `${server.url}/hooks/a`, token: secret } as const
    assert.deepEqual(await opened(clock, settings).push(noticeOf({ sequence: 7 })), accepted)
    clock.advance(1_500)
    const again = opened(clock, settings)
    assert.deepEqual(await again.push(noticeOf({ sequence: 7 })), accepted)
    assert.deepEqual(await again.push(noticeOf({ sequence: 8 })), accepted)
    assert.deepEqual(await opened(clock, { ...settings, source: 'other' }).push(noticeOf({ sequence: 7 })), accepted)
    const keys = server.asked.map(({ headers }) => headers['idempotency-key'])
    const { reportedAt } = noticeOf()
    const named = (from: string, sequence: number) => `${from}-api-${sequence}-${reportedAt}`
    assert.deepEqual(keys, [named(worker, 7), named(worker, 7), named(worker, 8), named('other', 7)])
    const { body = '', headers } = server.asked[1] ?? {}
    const at = Date.parse('2026-06-01T12:00:01.000Z') / 1000
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    assert.equal(headers?.['x-signature'], `t=${at},v1=${signature}`)
    await server.close()
  })

  it('to Uptime Kuma counts as accepted only if the body says ok: its web page answers 200 at any path', async () => {
    const server = await StatusServer.open(uptimeKuma(new Map([['abc', '']])))
    const lost = opened(clock, { kind: 'uptime-kuma', url: `${server.url}/dashboard`, components: api('abc') })
    assert.deepEqual(await lost.push(noticeOf()), {
      kind: 'failed',
      reason: 'HTTP 200 without ok',
      retryAfterMs: 0,
    })
    const page = opened(clock, { kind: 'uptime-kuma', url: server.url, components: api('abc') })
    for (const body of ['', 'null', '[]', '{"ok":"true"}', '{"ok":false}', '{"ok":true}x']) {
      server.fault = { kind: 'reply', reply: { status: 200, body } }
      assert.equal((await page.push(noticeOf())).kind, 'failed', body)
    }
    await server.close()
  })

  it('of silence says so, on pages that take a text', async () => {
    const silence = noticeOf({ source: 'silence', incidentId: 'inc' })
    const monitors: Shown = new Map([['abc', '']])
    const kuma = await StatusServer.open(uptimeKuma(monitors))
    assert.deepEqual(
      await opened(clock, { kind: 'uptime-kuma', url: kuma.url, components: api('abc') }).push(silence),
      accepted,
    )
    assert.equal(monitors.get('abc'), 'down outage: no heartbeat')
    const endpoints: Shown = new Map()
    const gatus = await StatusServer.open(gatusApi(new Map([['a_b', 'one']]), endpoints))
    const page = opened(clock, { kind: 'gatus', url: gatus.url, token: 'one', components: api('a_b') })
    assert.deepEqual(await page.push(silence), accepted)
    assert.equal(endpoints.get('a_b'), 'false outage: no heartbeat')
    assert.deepEqual(await page.push({ ...silence, lostRun: 'The run of today did not end within 12 s' }), accepted)
    assert.equal(endpoints.get('a_b'), 'false outage: a run did not end in time')
    assert.deepEqual([...kuma.complaints, ...gatus.complaints], [])
    await Promise.all([kuma.close(), gatus.close()])
  })

  it("to Gatus has the endpoint's token, or the one for all", async () => {
    const tokens = new Map([
      ['a_b', 'one'],
      ['c_d', 'two:2'],
    ])
    const server = await StatusServer.open(gatusApi(tokens, shown))
    const components = new Map([
      ['api', 'a_b'],
      ['web', 'c_d:two:2'],
      ['old', 'e_f'],
    ])
    const page = opened(clock, { kind: 'gatus', url: server.url, token: 'one', components })
    assert.deepEqual(await page.push(noticeOf()), accepted)
    assert.deepEqual(await page.push(noticeOf({ componentId: 'web' })), accepted)
    assert.deepEqual(await page.push(noticeOf({ componentId: 'old' })), {
      kind: 'failed',
      reason: 'HTTP 404',
      retryAfterMs: 0,
    })
    await server.close()
  })
})

describe('The address of a page', () => {
  const clock = fakeClock()

  it('is shown with the token in it masked, even when the request is not sent', async () => {
    const url = 'http://127.0.0.1:1'
    const of = (
      kind: StatusPageSettings['kind'],
      address: string,
      components: StatusPageSettings['components'] = null,
    ) => opened(clock, { kind, url: address, token: 'SECRET0123456789', components })
    assert.equal(of('native', `${url}/SECRET0123456789/x`).address, `${url}/****/x`)
    assert.equal(of('gatus', `${url}/SECRET0123456789`, api('a_b')).address, `${url}/****`)
    const page = of('statuspage', `${url}/SECRET0123456789/v1/pages/a`, api('abc'))
    assert.equal(page.address, `${url}/****/v1/pages/a`)
    for (let count = 0; count < 11; count++) assert.equal((await page.probe()).url, `${url}/****/v1/pages/a/components`)
  })

  it('of a webhook is requested exactly as configured, and shown without its query', async () => {
    const targets: string[] = []
    const server = await StatusServer.open(({ path, query }) => {
      targets.push(`${path} ${query}`)
      return { status: 200, body: `${query} ${query.get('key') ?? ''}` }
    })
    for (const [end, target] of [
      ['/hooks/', '/hooks/ '],
      ['/hooks//', '/hooks// '],
      ['/hooks/?key=hidden-KEY&v=1', '/hooks/ key=hidden-KEY&v=1'],
      ['?key=hidden-KEY', '/ key=hidden-KEY'],
    ]) {
      const page = opened(clock, { kind: 'webhook', url: `${server.url}${end}`, token: secret })
      assert.deepEqual(await page.push(noticeOf()), accepted)
      const probe = await page.probe()
      assert.deepEqual(targets.splice(0), [target, target])
      assert.equal(page.address, `${server.url}${end?.replace(/\?.*/, '')}`)
      assert.doesNotMatch(JSON.stringify([probe, page.address]), /KEY|v=1/)
    }
    await server.close()
  })

  it('of the other kinds loses trailing slashes', () => {
    assert.equal(opened(clock, { kind: 'native', url: 'http://Example.org//' }).address, 'http://example.org')
  })
})

describe('Statuspage', () => {
  it('is looked at within a separate budget, and reports the budget of its pushes', async () => {
    const clock = fakeClock()
    const server = await StatusServer.open(statuspageApi(secret, new Map([['abc', '']]), () => clock.monotonic()))
    const url = `${server.url}/v1/pages/page1`
    const page = opened(clock, { kind: 'statuspage', url, token: secret, components: api('abc') })
    for (let count = 0; count < 20; count++) await page.probe()
    const { error, reached } = await page.probe()
    assert.deepEqual(
      [error, reached, page.budget],
      ['asked too often', false, { max: 45, windowMs: 60_000, reserved: 9 }],
    )
    const { outcome } = await page.test()
    assert.deepEqual(outcome, { kind: 'failed', reason: 'not sent: asked too often', retryAfterMs: 0 })
    for (let count = 0; count < 45; count++) assert.deepEqual(await page.push(noticeOf()), accepted)
    assert.deepEqual(server.complaints, [])
    await server.close()
  })
})
