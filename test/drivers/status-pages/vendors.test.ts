import { describe } from 'node:test'
import {
  discordWebhook,
  gotifyServer,
  ntfyServer,
  slackWebhook,
  teamsWorkflow,
  telegramBots,
} from '../../support/alert-channels.ts'
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
import { type HttpKind, type PageStage, secret, statusPageContract } from './status-pages.contract.ts'

const ours = {
  operational: 'operational',
  degraded: 'degraded',
  partial: 'partial',
  outage: 'outage',
  maintenance: 'maintenance',
}
const wrong = 'another-SECRET'

const at = '2026-06-01 11:59:00 UTC'
const up = `[UP] api Up again since ${at}.`
const down = (status: string, event = 'DOWN') => `[${event}] api It reported ${status} at ${at}.`
const maintained = `[MAINTENANCE] api Under maintenance since ${at}.`
/** What an alert channel shows, with its words for up and down at the end. */
const alerts = (ofUp: string, ofDown: string, title = '[$1] api') => {
  const shownOf = (text: string, end: string) => text.replace(/\[(.*?)\] api/, title) + end
  return {
    operational: shownOf(up, ofUp),
    degraded: shownOf(down('degraded', 'DEGRADED'), ofUp),
    partial: shownOf(down('partial'), ofDown),
    outage: shownOf(down('outage'), ofDown),
    maintenance: shownOf(maintained, ofUp),
  }
}
const alert = { components: null, name: 'channel', repeatEveryMs: 3_600_000 }
const word = 'SECRET0123456789abcdef'
const botToken = `123456:${word}`

/** A kind without a stage does not compile. */
const stages: Readonly<Record<HttpKind, Omit<PageStage, 'kind'>>> = {
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
    probePath: '/status-api/status',
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
    probePath: '/hooks/a',
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
    probePath: '/v1/pages/page1/components',
  },
  instatus: {
    vendor: (shown) => instatusApi(secret, shown),
    path: '/v2/page1',
    token: secret,
    components: new Map([['api', 'abc123']]),
    name: 'abc123',
    shown: {
      operational: 'OPERATIONAL',
      degraded: 'DEGRADEDPERFORMANCE',
      partial: 'PARTIALOUTAGE',
      outage: 'MAJOROUTAGE',
      maintenance: 'UNDERMAINTENANCE',
    },
    repeatEveryMs: null,
    wrong: { token: wrong, components: new Map([['api', 'abc123']]) },
    wrongAnswer: 401,
    success: { status: 200 },
    probePath: '/v2/page1/components',
  },
  cachet: {
    vendor: (shown) => cachetApi(secret, shown),
    path: '',
    token: secret,
    components: new Map([['api', '7']]),
    name: '7',
    shown: { operational: '1', degraded: '2', partial: '3', outage: '4', maintenance: '6' },
    repeatEveryMs: null,
    wrong: { token: wrong, components: new Map([['api', '7']]) },
    wrongAnswer: 401,
    success: { status: 200 },
    probePath: '/api/components',
  },
  kener: {
    vendor: (shown, clock) => kenerApi(secret, shown, () => clock.now()),
    path: '',
    token: secret,
    components: new Map([['api', 'core-api']]),
    name: 'core-api',
    shown: { operational: 'UP', degraded: 'DEGRADED', partial: 'DEGRADED', outage: 'DOWN', maintenance: 'UP' },
    repeatEveryMs: 50_000,
    wrong: { token: wrong, components: new Map([['api', 'core-api']]) },
    wrongAnswer: 401,
    success: { status: 200 },
    probePath: '/api/v4/monitors',
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
    probePath: '/api/entry-page',
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
    probePath: '/api/v1/endpoints/statuses',
  },
  discord: {
    ...alert,
    vendor: (shown) => discordWebhook(word, shown),
    path: `/api/webhooks/123/${word}`,
    shownPath: '/api/webhooks/123/****',
    token: null,
    shown: alerts('', '', '**\\[$1\\] api**'),
    wrong: { path: '/api/webhooks/123/SECRETother' },
    wrongAnswer: 401,
    success: { status: 204 },
    probePath: '/api/webhooks/123/****',
  },
  slack: {
    ...alert,
    vendor: (shown) => slackWebhook(`T0/B0/${word}`, shown),
    path: `/services/T0/B0/${word}`,
    shownPath: '/services/****',
    token: null,
    shown: alerts('', '', '*[$1] api*'),
    wrong: { path: '/services/T0/B0/SECRETother' },
    wrongAnswer: 404,
    success: { status: 200, body: 'ok' },
    probePath: '/services/****',
  },
  telegram: {
    ...alert,
    vendor: (shown) => telegramBots(botToken, '-100123', shown),
    path: '',
    token: botToken,
    to: '-100123',
    shown: alerts('', ''),
    wrong: { token: '123:SECRETother' },
    wrongAnswer: 401,
    success: { status: 200, body: '{"ok":true}' },
    probePath: '/bot****/sendMessage',
  },
  teams: {
    ...alert,
    vendor: (shown) => teamsWorkflow(word, shown),
    path: `/workflows/abc/triggers/manual/paths/invoke?api-version=1&sig=${word}`,
    shownPath: '/workflows/abc/triggers/manual/paths/invoke',
    token: null,
    shown: alerts('', ''),
    wrong: { path: '/workflows/abc/triggers/manual/paths/invoke?api-version=1&sig=SECRETother' },
    wrongAnswer: 401,
    success: { status: 202 },
    probePath: '/workflows/abc/triggers/manual/paths/invoke',
  },
  ntfy: {
    ...alert,
    vendor: (shown) => ntfyServer('SECRETtopic', secret, shown),
    path: '/SECRETtopic',
    shownPath: '/****',
    token: secret,
    shown: alerts(' default', ' high'),
    wrong: { token: wrong },
    wrongAnswer: 401,
    success: { status: 200 },
    probePath: '/****',
  },
  gotify: {
    ...alert,
    vendor: (shown) => gotifyServer(secret, shown),
    path: '',
    token: secret,
    shown: alerts(' 4', ' 8'),
    wrong: { token: wrong },
    wrongAnswer: 401,
    success: { status: 200 },
    probePath: '/message',
  },
}

// Together, as they mostly wait for timeouts.
describe('Status pages', { concurrency: true }, () => {
  for (const [kind, stage] of Object.entries(stages)) statusPageContract({ kind: kind as HttpKind, ...stage })
})
