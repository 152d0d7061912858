import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Asked, StatusServer, type Vendor } from '../../support/status-servers.ts'
import {
  cachetApi,
  gatusApi,
  instatusApi,
  kenerApi,
  nativeService,
  statuspageApi,
  uptimeKuma,
  webhookReceiver,
} from '../../support/status-vendors.ts'

type Mistake = readonly [method: string, path: string, headers: Record<string, string>, body: string, status: number]

const type = { 'content-type': 'application/json' }
const oauth = { authorization: 'OAuth key' }
const bearer = { authorization: 'Bearer key' }
const event = {
  componentId: 'a',
  status: 'outage',
  previousStatus: null,
  source: 'heartbeat',
  reportedAt: '2026-06-01T12:00:00.000Z',
  incidentId: null,
  sequence: 1,
}
const whole = JSON.stringify(event)
const component = '{"component":{"status":"major_outage"}}'
const at = '/v1/pages/page1/components'
const endpoint = '/api/v1/endpoints/a_b/external'

const vendors: Readonly<Record<string, readonly [Vendor, readonly Mistake[]]>> = {
  native: [
    nativeService('key', new Map()),
    [
      ['POST', '/status-api/status', { ...type, authorization: 'OAuth key' }, whole, 401],
      ['POST', '/status', { ...type, ...bearer }, whole, 404],
      ['PUT', '/status-api/status', { ...type, ...bearer }, whole, 405],
      ['POST', '/status-api/status', { ...bearer, 'content-type': 'text/plain' }, whole, 415],
      ['POST', '/status-api/status', { ...type, ...bearer }, '[]', 400],
      ['POST', '/status-api/status', { ...type, ...bearer }, JSON.stringify({ ...event, more: 1 }), 400],
      ['POST', '/status-api/status', { ...type, ...bearer }, JSON.stringify({ ...event, status: 'up' }), 400],
    ],
  ],
  webhook: [
    webhookReceiver('key', new Map(), () => 0),
    [
      ['POST', '/hooks/b', type, whole, 404],
      ['DELETE', '/hooks/a', type, whole, 405],
      ['POST', '/hooks/a', {}, whole, 415],
      ['POST', '/hooks/a', type, whole, 401],
      ['POST', '/hooks/a', { ...type, 'x-signature': `t=0,v1=${'0'.repeat(64)}` }, whole, 401],
    ],
  ],
  statuspage: [
    statuspageApi('key', new Map([['a', '']]), () => 0, 420),
    [
      ['PATCH', `${at}/a`, { ...type, ...bearer }, component, 401],
      ['PATCH', '/v1/pages/other/components/a', { ...type, ...oauth }, component, 404],
      ['POST', `${at}/a`, { ...type, ...oauth }, component, 404],
      ['PATCH', `${at}/b`, { ...type, ...oauth }, component, 404],
      ['PATCH', `${at}/a`, { ...type, ...oauth }, '{"status":"major_outage"}', 400],
      ['PATCH', `${at}/a`, { ...oauth, 'content-type': 'text/plain' }, component, 400],
      ['PATCH', `${at}/a`, { ...type, ...oauth }, '{"component":{"status":"outage"}}', 422],
      ['GET', at, oauth, '', 429],
    ],
  ],
  instatus: [
    instatusApi('key', new Map([['a', '']])),
    [
      ['PUT', '/v2/page1/components/a', { ...type, ...oauth }, '{"status":"OPERATIONAL"}', 401],
      ['PUT', '/v2/page1/components/b', { ...type, ...bearer }, '{"status":"OPERATIONAL"}', 404],
      ['PATCH', '/v2/page1/components/a', { ...type, ...bearer }, '{"status":"OPERATIONAL"}', 405],
      ['PUT', '/v2/page1/components/a', { ...type, ...bearer }, '{"status":"operational"}', 422],
      ['PUT', '/v2/page1/components/a', { ...type, ...bearer }, '{"status":"OPERATIONAL","notify":true}', 422],
    ],
  ],
  cachet: [
    cachetApi('key', new Map([['1', '']])),
    [
      ['PUT', '/api/components/2', { ...type, ...bearer }, '{"status":1}', 404],
      ['PUT', '/api/v1/components/1', { ...type, ...bearer }, '{"status":1}', 404],
      ['PUT', '/api/components/1', { ...type, ...bearer }, '{"status":"1"}', 422],
      ['PUT', '/api/components/1', { ...type, ...bearer }, '{"status":7}', 422],
    ],
  ],
  kener: [
    kenerApi('key', new Map([['a', '']]), () => 1_780_000_000_000),
    [
      [
        'PATCH',
        '/api/v4/monitors/a/data/1780000000',
        { ...type, ...bearer },
        '{"status":"MAINTENANCE","latency":0}',
        422,
      ],
      ['PATCH', '/api/v4/monitors/b/data/1780000000', { ...type, ...bearer }, '{"status":"UP","latency":0}', 404],
      ['PATCH', '/api/v4/monitors/a/data/1680000000', { ...type, ...bearer }, '{"status":"UP","latency":0}', 200],
    ],
  ],
  'uptime-kuma': [
    uptimeKuma(new Map([['a', '']])),
    [
      ['GET', '/api/push/b?status=up', {}, '', 404],
      ['GET', '/push/a?status=up', {}, '', 200],
      ['POST', '/api/push/a?status=up', {}, '', 404],
      ['GET', '/api/push/a?status=outage', {}, '', 200],
    ],
  ],
  gatus: [
    gatusApi(new Map([['a_b', 'key']]), new Map()),
    [
      ['POST', `${endpoint}?success=true`, {}, '', 401],
      ['POST', `${endpoint}?success=true`, { authorization: 'Bearer other' }, '', 401],
      ['POST', `${endpoint}?success=up`, bearer, '', 400],
      ['POST', '/api/v1/endpoints/c_d/external?success=true', bearer, '', 404],
      ['PUT', `${endpoint}?success=true`, bearer, '', 405],
    ],
  ],
}

const ask = (url: string, [method, path, headers, body]: Mistake) =>
  fetch(`${url}${path}`, { method, headers, ...(body && { body }) })

describe('The vendor servers of these tests', () => {
  for (const [kind, [vendor, mistakes]] of Object.entries(vendors)) {
    it(`refuse what ${kind} refuses, and record a complaint`, async () => {
      const server = await StatusServer.open(vendor)
      for (const mistake of mistakes) {
        assert.equal((await ask(server.url, mistake)).status, mistake[4], mistake.join(' '))
        assert.equal(server.complaints.splice(0).length, 1, mistake.join(' '))
      }
      await server.close()
    })
  }

  it('enforce the rate limit of Statuspage', () => {
    let now = 0
    const complaints: string[] = []
    const vendor = statuspageApi('key', new Map([['a', '']]), () => now, 420)
    const asked: Asked = { method: 'GET', path: at, query: new URLSearchParams('page=1'), headers: oauth, body: '' }
    const statusNow = () => vendor(asked, (about) => complaints.push(about)).status
    for (let count = 0; count < 60; count++) assert.equal(statusNow(), 200)
    assert.equal(statusNow(), 420)
    now = 60_000
    assert.equal(statusNow(), 200)
    assert.deepEqual(complaints, ['rate'])
  })
})
