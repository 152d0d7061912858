import * as format from './formats.ts'
import { setting } from './parser.ts'
import { rateLimits } from './rate-limits.ts'
import { oneLine, statusPage } from './status-page.ts'
import { statusWorker as worker } from './status-worker.ts'
import { storage } from './storage.ts'

/* Every setting once: the source of the parser, its error messages, .env.example and the reference. */

const api = {
  HOST: setting({
    format: format.host,
    default: 'localhost',
    help: 'Address on which the API listens. A host name stands for every address that it resolves to (localhost: 127.0.0.1 and ::1).',
  }),
  PORT: setting({ format: format.port, default: '3000', help: 'Port of the API.' }),
  BASE_URL: setting({
    format: format.httpUrl,
    default: null,
    shownDefault: 'http://localhost:<PORT>',
    help: 'Public URL of the service. With https, every response sets HSTS. A trailing slash is dropped. Ignored with NODE_ENV=development.',
  }),
  NODE_ENV: setting({
    format: format.text(),
    default: null,
    help: 'The exact value development adds stacks to errors and checks replies against their schemas. With production, a missing BASE_URL is logged as a warning.',
  }),
  TRUST_PROXY: setting({
    format: format.networks,
    default: null,
    help: 'CIDRs of the proxies whose X-Forwarded-For is trusted, or loopback. Unset: the client is the address of the connection.',
  }),
  METRICS_ALLOW: setting({
    format: format.networks,
    default: '127.0.0.0/8, ::1',
    help: 'Networks that may read /metrics; replaces the default. Requests through a proxy are refused unless TRUST_PROXY names the proxy.',
  }),
  ALLOWED_HOSTS: setting({
    format: format.hosts,
    default: null,
    help: 'Additional host names for /metrics and the status worker. Always allowed: IP addresses, names without a dot or in .localhost, .local, .internal, .svc and .cluster.local, the host of STATUS_WORKER_URL, and for /metrics the host of BASE_URL.',
  }),
  CORS_ORIGINS: setting({
    format: format.origins,
    default: null,
    help: 'Origins that may call the JSON routes from a browser, or *. Unset: no CORS headers, and OPTIONS is an unmatched route.',
  }),
  SHUTDOWN_DELAY_SECONDS: setting({
    format: format.wholeNumber(0, 3_600),
    default: '0',
    help: 'How long the API keeps serving after SIGTERM, with /ready at 503, so that a load balancer stops sending requests first. Set it longer than the interval of its health checks.',
  }),
  CONSOLE: setting({
    format: format.flag,
    default: 'true',
    help: 'With false, the API has no administration console: /console is an unmatched path.',
  }),
  SITE_NAME: setting({
    format: oneLine(60),
    default: 'Menagerie',
    help: 'Name of the installation in the administration console: in its bar, the titles of its pages and the form for signing in.',
  }),
  SITE_LOGO: setting({
    format: format.logoPath,
    default: null,
    help: 'A PNG or WebP file of at most 256 KiB, shown beside SITE_NAME and in the tab of the browser. Read at the start.',
  }),
  MAINTAINER: setting({
    format: format.text(),
    default: 'the maintainer',
    help: 'Name in the error message for an invalid username.',
  }),
  LOG_LEVEL: setting({
    format: format.choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    default: 'info',
    help: 'Minimum log level. Logs are JSON lines, or human-readable on a terminal. Requests and recoveries are logged at info.',
  }),
  LOG_REQUESTS: setting({
    format: format.flag,
    default: 'true',
    help: 'Log one line for each request.',
  }),
}

const accounts = {
  JWT_SECRET: setting({
    format: format.utf8Bytes(32),
    default: null,
    shownDefault: 'generated once into DATA_DIR',
    secret: true,
    help: 'Key that signs access tokens. All instances need the same one.',
  }),
  TOKEN_TTL: setting({ format: format.duration, default: '30d', help: 'Lifetime of an access token.' }),
  PASSWORD_MIN_LENGTH: setting({
    format: format.wholeNumber(1, 256),
    default: '8',
    help: 'Minimum length of a new password, in characters (code points).',
  }),
  REGISTRATION: setting({
    format: format.choice(['open', 'closed']),
    default: 'open',
    help: 'With closed, only administrators and the operator create accounts: /auth/register responds with 403.',
  }),
  OWNER_USERNAME: setting({
    format: format.username,
    default: null,
    help: 'Username of the first owner. With OWNER_PASSWORD, the account is created at start if there is no owner.',
  }),
  OWNER_PASSWORD: format.secretText('Password of the first owner. The password rules apply.'),
}

const records = {
  USAGE_KEEP_DAYS: setting({
    format: format.wholeNumber(1, 36_500),
    default: '90',
    help: 'How long daily request counts of each user are kept. Totals are kept forever.',
  }),
  AUDIT_KEEP_DAYS: setting({
    format: format.wholeNumber(1, 36_500),
    default: '365',
    help: 'How long audit events are kept.',
  }),
}

const tests = {
  TEST_DATABASE_URL: setting({
    format: format.urlWithScheme('postgres', 'postgresql'),
    default: null,
    secret: true,
    help: 'PostgreSQL server for the tests; its user must be allowed to create databases and roles. Unset: those tests are skipped.',
  }),
  TEST_REDIS_URL: setting({
    format: format.redisUrl,
    default: null,
    secret: true,
    help: 'Redis server for the tests. Unset: those tests are skipped.',
  }),
  TEST_S3_ENDPOINT: setting({
    format: format.httpUrl,
    default: null,
    help: 'S3-compatible server for the tests. Unset: those tests are skipped.',
  }),
  TEST_S3_ACCESS_KEY_ID: format.secretText('Its access key ID.'),
  TEST_S3_SECRET_ACCESS_KEY: format.secretText('Its secret access key.'),
  TEST_SWIFT_ENDPOINT: setting({
    format: format.httpUrl,
    default: null,
    help: 'Second S3-compatible server for the tests: the s3api of OpenStack Swift. Unset: those tests are skipped.',
  }),
  TEST_SWIFT_ACCESS_KEY_ID: format.secretText('Its access key ID.'),
  TEST_SWIFT_SECRET_ACCESS_KEY: format.secretText('Its secret access key.'),
}

export const sections = {
  'The API': api,
  Storage: storage,
  Accounts: accounts,
  Records: records,
  'Rate limits': rateLimits,
  'The status worker': worker,
  'The status page': statusPage,
  Tests: tests,
} as const

export const settings = {
  ...api,
  ...storage,
  ...accounts,
  ...records,
  ...rateLimits,
  ...worker,
  ...statusPage,
  ...tests,
}
