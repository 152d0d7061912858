import * as format from './formats.ts'
import { setting } from './parser.ts'

export const statusWorker = {
  STATUS_HOST: setting({ format: format.host, default: '127.0.0.1', help: 'Where the status worker listens.' }),
  STATUS_PORT: setting({ format: format.port, default: '3001', help: 'Its port.' }),
  STATUS_ALLOW: setting({
    format: format.networks,
    default: '127.0.0.0/8, ::1, 172.16.0.0/12, fd00::/8',
    help: 'Networks whose clients may call the worker; replaces the list.',
  }),
  STATUS_DATABASE_URL: setting({
    format: format.urlWithScheme('postgres', 'postgresql'),
    default: null,
    shownDefault: '<DATABASE_URL>',
    secret: true,
    help: "PostgreSQL for the worker's state. The worker holds a lock on its session: set this to the server itself when DATABASE_URL is a pooler (PgBouncer).",
  }),
  STATUS_WORKER_URL: setting({
    format: format.httpUrl,
    default: null,
    shownDefault: "with npm start, the worker's address; else unset",
    help: 'Where the API reports its own components. Unset: nowhere.',
  }),
  STATUS_SERVICE_KIND: setting({
    format: format.choice(['native', 'webhook', 'statuspage', 'uptime-kuma', 'gatus']),
    default: null,
    help: 'What kind of external status page is told. Unset: none.',
  }),
  STATUS_SERVICE_URL: setting({
    format: format.pageUrl,
    default: null,
    help: 'Its base address, without a query; for statuspage with the page, https://api.statuspage.io/v1/pages/<page id>; for webhook where events are posted, to the letter and with its query.',
  }),
  STATUS_SERVICE_TOKEN: setting({
    format: format.text(),
    default: null,
    secret: true,
    help: 'Its token or key; for webhook the secret that signs.',
  }),
  STATUS_SERVICE_COMPONENTS: setting({
    format: format.componentMap,
    default: null,
    secret: true,
    help: 'What the page calls our components, such as api=abc123, database=def456: ids for statuspage, push tokens for uptime-kuma, group_name or group_name:token for gatus. Only these are told; native and webhook take our own names.',
  }),
  STATUS_MAX_COMPONENTS: setting({
    format: format.wholeNumber(1, 100_000),
    default: '1000',
    help: 'The most components that are known at a time.',
  }),
  STATUS_PUBLISH_SILENCE: setting({
    format: format.flag,
    default: 'true',
    help: 'Whether silence is published as an outage.',
  }),
  HEARTBEAT_TIMEOUT_SECONDS: setting({
    format: format.wholeNumber(1, 31_536_000),
    default: '180',
    help: 'Silence that opens an incident.',
  }),
  STATUS_CHECK_INTERVAL_SECONDS: setting({
    format: format.wholeNumber(1, 86_400),
    default: '10',
    help: 'How often silence is looked for.',
  }),
}
