import * as format from './formats.ts'
import { setting } from './parser.ts'
import { rateLimits } from './rate-limits.ts'
import { statusWorker as worker } from './status-worker.ts'
import { storage } from './storage.ts'

/* Every setting once: the parser, its error messages, .env.example and the reference read this table. */

const api = {
  HOST: setting({
    format: format.host,
    default: 'localhost',
    help: 'Where the API listens; a name stands for every address it has here (localhost: 127.0.0.1 and ::1).',
  }),
  PORT: setting({ format: format.port, default: '3000', help: 'The port of the API.' }),
  BASE_URL: setting({
    format: format.httpUrl,
    default: null,
    shownDefault: 'http://localhost:<PORT>',
    help: 'How clients reach this service. With https every answer tells browsers to stay there (HSTS). A path is kept, a slash at the end dropped. Ignored with NODE_ENV=development.',
  }),
  NODE_ENV: setting({
    format: format.text(),
    default: null,
    help: 'Only the exact value development changes answers: stacks in errors, replies checked against their schema. production without BASE_URL is warned of at start.',
  }),
  TRUST_PROXY: setting({
    format: format.networks,
    default: null,
    help: "Comma-separated CIDRs of the proxies whose X-Forwarded-For is believed, or loopback. Unset: the socket's address is the client's.",
  }),
  METRICS_ALLOW: setting({
    format: format.networks,
    default: '127.0.0.0/8, ::1',
    help: 'Networks whose clients may read /metrics; replaces the list. What comes through a proxy counts by TRUST_PROXY, and is refused without it.',
  }),
  ALLOWED_HOSTS: setting({
    format: format.hosts,
    default: null,
    help: 'Further host names by which /metrics and the status worker may be called. Allowed anyway: addresses, names without a dot or in .localhost, .local, .internal, .svc and .cluster.local, the host of STATUS_WORKER_URL, and for /metrics that of BASE_URL.',
  }),
  CORS_ORIGINS: setting({
    format: format.origins,
    default: null,
    help: 'Origins whose pages may call the JSON routes, or *. Unset: no CORS headers there, and OPTIONS is an unmatched route.',
  }),
  SHUTDOWN_DELAY_SECONDS: setting({
    format: format.wholeNumber(0, 3_600),
    default: '0',
    help: 'How long the API goes on serving after a signal to stop, with /ready at 503, so that a balancer stops sending requests first. Longer than the interval between its checks.',
  }),
  MAINTAINER: setting({
    format: format.text(),
    default: 'the maintainer',
    help: 'The name in the answer to a username that breaks the pattern.',
  }),
  LOG_LEVEL: setting({
    format: format.choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    default: 'info',
    help: 'The least level that is logged: JSON lines, or readable ones on a terminal. Requests are logged at info.',
  }),
}

const accounts = {
  JWT_SECRET: setting({
    format: format.utf8Bytes(32),
    default: null,
    shownDefault: 'generated once into DATA_DIR',
    secret: true,
    help: 'Signs the access tokens. Several instances need the same one.',
  }),
  TOKEN_TTL: setting({ format: format.duration, default: '30d', help: 'How long an access token lives.' }),
  PASSWORD_MIN_LENGTH: setting({
    format: format.wholeNumber(1, 256),
    default: '8',
    help: 'The fewest characters (code points) of a new password.',
  }),
  OWNER_USERNAME: setting({
    format: format.username,
    default: null,
    help: 'With OWNER_PASSWORD: at start, if there is no owner, this account is made with role owner.',
  }),
  OWNER_PASSWORD: setting({
    format: format.text(),
    default: null,
    secret: true,
    help: 'The password of that account, by the rule for passwords.',
  }),
}

const records = {
  USAGE_KEEP_DAYS: setting({
    format: format.wholeNumber(1, 36_500),
    default: '90',
    help: 'How long the counts of each user and day are kept; totals are kept for good.',
  }),
  AUDIT_KEEP_DAYS: setting({
    format: format.wholeNumber(1, 36_500),
    default: '365',
    help: 'How long the audit is kept.',
  }),
}

const tests = {
  TEST_DATABASE_URL: setting({
    format: format.urlWithScheme('postgres', 'postgresql'),
    default: null,
    secret: true,
    help: 'A PostgreSQL server whose user may create databases and roles. Unset: those tests are skipped and say so.',
  }),
  TEST_REDIS_URL: setting({
    format: format.redisUrl,
    default: null,
    secret: true,
    help: 'A Redis server for the tests. Unset: those tests are skipped and say so.',
  }),
  TEST_S3_ENDPOINT: setting({ format: format.httpUrl, default: null, help: 'An S3-compatible server for the tests.' }),
  TEST_S3_ACCESS_KEY_ID: setting({ format: format.text(), default: null, secret: true, help: 'Its access key.' }),
  TEST_S3_SECRET_ACCESS_KEY: setting({ format: format.text(), default: null, secret: true, help: 'Its secret.' }),
  TEST_SWIFT_ENDPOINT: setting({
    format: format.httpUrl,
    default: null,
    help: 'A second, different S3-compatible server for the tests: the s3api of OpenStack Swift.',
  }),
  TEST_SWIFT_ACCESS_KEY_ID: setting({ format: format.text(), default: null, secret: true, help: 'Its access key.' }),
  TEST_SWIFT_SECRET_ACCESS_KEY: setting({ format: format.text(), default: null, secret: true, help: 'Its secret.' }),
}

export const sections = {
  'The API': api,
  Storage: storage,
  Accounts: accounts,
  Records: records,
  'Rate limits': rateLimits,
  'The status worker': worker,
  Tests: tests,
} as const

export const settings = { ...api, ...storage, ...accounts, ...records, ...rateLimits, ...worker, ...tests }
