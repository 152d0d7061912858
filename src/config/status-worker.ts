import * as format from './formats.ts'
import { setting } from './parser.ts'
import { defaultTarget, targetTemplate } from './status-targets.ts'

const allowedByDefault = '127.0.0.0/8, ::1, 172.16.0.0/12, fd00::/8'

export const statusWorker = {
  STATUS_HOST: setting({
    format: format.host,
    default: '127.0.0.1',
    help: 'Address on which the status worker listens.',
  }),
  STATUS_PORT: setting({ format: format.port, default: '3001', help: 'Port of the status worker.' }),
  STATUS_ALLOW: setting({
    format: format.allowed(allowedByDefault),
    default: allowedByDefault,
    help: 'Networks that may call the status worker; replaces the default. Exclusions have ! in front and win wherever they stand, such as !172.17.0.1, or !gateway for the gateway of the default route: behind a published port of a container, it stands for everybody. A list of exclusions alone is taken from the default.',
  }),
  STATUS_ADMIN_ALLOW: setting({
    format: format.networks,
    default: '127.0.0.0/8, ::1',
    help: 'Those of STATUS_ALLOW that may also change something at the status worker: announcements, maintenance, components, tests of targets. Name each API here that runs on another machine or in another container. Replaces the default.',
  }),
  STATUS_DATABASE_URL: setting({
    format: format.urlWithScheme('postgres', 'postgresql'),
    default: null,
    shownDefault: '<DATABASE_URL>',
    secret: true,
    help: "PostgreSQL for the worker's state. The worker holds a session lock, so if DATABASE_URL is a connection pooler (PgBouncer), set this to the server itself.",
  }),
  STATUS_WORKER_URL: setting({
    format: format.httpUrls,
    default: null,
    shownDefault: "with npm start, the worker's URL; otherwise unset",
    help: 'Status workers that the API reports its components to: one URL, or the active worker and its stand-bys. Unset: it reports nothing, and the console and /status know of no worker.',
  }),
  STATUS_COMPONENT_PREFIX: setting({
    format: format.matching(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
      '1 to 32 letters, digits, dots, underscores and hyphens, a letter or digit first',
    ),
    default: null,
    help: 'Prefix for the names of the components that the API reports: with eu- they are eu-api, eu-database and so on. Unset: all instances report the same components, which the worker combines.',
  }),
  ...defaultTarget,
  STATUS_TARGETS: setting({
    format: format.targetNames,
    default: null,
    help: 'Additional targets, each with its own settings: for phone, STATUS_TARGET_PHONE_KIND=ntfy and STATUS_TARGET_PHONE_URL=https://ntfy.sh/topic.',
  }),
  ...targetTemplate,
  STATUS_FLAP_SECONDS: setting({
    format: format.wholeNumber(0, 3_600),
    default: '0',
    help: 'How long a recovery lasts before it is published.',
  }),
  STATUS_GROUP_SECONDS: setting({
    format: format.wholeNumber(0, 300),
    default: '5',
    help: 'Changes within this time are one message to discord, slack, telegram, teams, ntfy, gotify and mail. 0: each is a message of its own.',
  }),
  STATUS_MAX_COMPONENTS: setting({
    format: format.wholeNumber(1, 100_000),
    default: '1000',
    help: 'Maximum number of components.',
  }),
  STATUS_PUBLISH_SILENCE: setting({
    format: format.flag,
    default: 'true',
    help: 'Publish a missing heartbeat as an outage.',
  }),
  STATUS_GET_HEARTBEATS: setting({
    format: format.flag,
    default: 'false',
    help: 'Accept heartbeats by GET /heartbeat/<component>/<status>, for senders that can only open a URL. Requests with headers that browsers send are refused.',
  }),
  STATUS_PING_URL: setting({
    format: format.pageUrl,
    default: null,
    secret: true,
    help: "Requested each minute while the status worker leads, ticks and can save, so that a monitor elsewhere (a dead man's switch) notices its death. Unset: none.",
  }),
  HEARTBEAT_TIMEOUT_SECONDS: setting({
    format: format.wholeNumber(1, 31_536_000),
    default: '180',
    help: 'Time without a heartbeat after which an incident opens.',
  }),
  MAINTENANCE_TIMEOUT_SECONDS: setting({
    format: format.wholeNumber(10, 2_678_400),
    default: '14400',
    help: 'The same, after a heartbeat that reported maintenance.',
  }),
  STATUS_START_GRACE_SECONDS: setting({
    format: format.wholeNumber(0, 86_400),
    default: '120',
    help: 'Time for the next heartbeat of each component after a start or pause of the worker, or its timeout if shorter.',
  }),
  STATUS_TIMEOUTS: setting({
    format: format.timeouts,
    default: null,
    help: 'Timeouts for individual components, such as backup=26h, api=90s+30s, or cron expressions with a time zone (UTC if there is none), such as report=cron(0 3 * * 1-5 Europe/Berlin); they override expectWithinSeconds and schedule in heartbeats. A grace period may follow a plus sign (10m by default after a cron expression): a heartbeat within it is logged and shown as late, but opens no incident.',
  }),
  STATUS_CHECK_INTERVAL_SECONDS: setting({
    format: format.wholeNumber(1, 86_400),
    default: '10',
    help: 'Interval of the check for missing heartbeats.',
  }),
}
