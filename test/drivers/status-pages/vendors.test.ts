import type { StatusPageKind } from '../../../src/drivers/status-pages/open-status-page.ts'
import { gatusApi, nativeService, statuspageApi, uptimeKuma, webhookReceiver } from '../../support/status-vendors.ts'
import { type PageStage, secret, statusPageContract } from './status-pages.contract.ts'

const ours = {
  operational: 'operational',
  degraded: 'degraded',
  partial: 'partial',
  outage: 'outage',
  maintenance: 'maintenance',
}
const wrong = 'another-SECRET'

/** A kind without a stage does not compile. */
const stages: Readonly<Record<StatusPageKind, Omit<PageStage, 'kind'>>> = {
  native: {
    vendor: (shown) => nativeService(secret, shown),
    path: '',
    token: secret,
    components: null,
    name: 'api',
    shown: ours,
    repeatEveryMs: null,
    wrong: { token: wrong, components: null },
    wrongAnswer: 401,
    success: { status: 204 },
    lookPath: '/status-api/status',
  },
  webhook: {
    vendor: (shown, clock) => webhookReceiver(secret, shown, () => clock.now()),
    path: '/hooks/a',
    token: secret,
    components: null,
    name: 'api',
    shown: ours,
    repeatEveryMs: null,
    wrong: { token: wrong, components: null },
    wrongAnswer: 401,
    success: { status: 200 },
    lookPath: '/hooks/a',
  },
  statuspage: {
    vendor: (shown, clock) => statuspageApi(secret, shown, () => clock.monotonic()),
    path: '/v1/pages/page1',
    token: secret,
    components: new Map([['api', 'abc123']]),
    name: 'abc123',
    shown: {
      operational: 'operational',
      degraded: 'degraded_performance',
      partial: 'partial_outage',
      outage: 'major_outage',
      maintenance: 'under_maintenance',
    },
    repeatEveryMs: null,
    wrong: { token: wrong, components: new Map([['api', 'abc123']]) },
    wrongAnswer: 401,
    success: { status: 200 },
    lookPath: '/v1/pages/page1/components',
  },
  'uptime-kuma': {
    vendor: (shown) => uptimeKuma(shown),
    path: '',
    token: null,
    components: new Map([['api', 'SECRETpush123']]),
    name: 'SECRETpush123',
    shown: {
      operational: 'up operational',
      degraded: 'up degraded',
      partial: 'down partial',
      outage: 'down outage',
      maintenance: 'up maintenance',
    },
    repeatEveryMs: 20_000,
    wrong: { token: null, components: new Map([['api', 'SECRETother']]) },
    wrongAnswer: 404,
    success: { status: 200, body: '{"ok":true}' },
    lookPath: '/api/entry-page',
  },
  gatus: {
    vendor: (shown) => gatusApi(new Map([['core_api', secret]]), shown),
    path: '',
    token: null,
    components: new Map([['api', `core_api:${secret}`]]),
    name: 'core_api',
    shown: {
      operational: 'true',
      degraded: 'true',
      partial: 'false partial',
      outage: 'false outage',
      maintenance: 'true',
    },
    repeatEveryMs: 20_000,
    wrong: { token: wrong, components: new Map([['api', 'core_api']]) },
    wrongAnswer: 401,
    success: { status: 200 },
    lookPath: '/api/v1/endpoints/statuses',
  },
}

for (const [kind, stage] of Object.entries(stages)) statusPageContract({ kind: kind as StatusPageKind, ...stage })
