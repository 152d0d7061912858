import {
  array,
  boolean,
  integer,
  literal,
  nullable,
  number,
  object,
  oneOf,
  type Schema,
  string,
  timestamp,
} from '../http/schema.ts'
import { componentIdPattern, statuses } from './statuses.ts'

/** Of a success. */
export const reply = <const S extends Readonly<Record<string, Schema>>>(title: string, properties: S) =>
  object({ ok: literal(true), ...properties }, { title })

const aTime = { examples: ['2026-06-01T12:00:00.000Z'] }
const componentId = string({ pattern: componentIdPattern, examples: ['api'] })
const idLike = new RegExp(componentIdPattern)
export const isComponentId = (text: string) => idLike.test(text)
export const params = { componentId }
const anIncident = { examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'] }
export const status = oneOf(statuses, { title: 'ComponentStatus', examples: ['operational'] })

const snapshotFields = {
  componentId,
  lastHeartbeatAt: timestamp({ description: "By the worker's clock", ...aTime }),
  secondsSinceLastHeartbeat: integer({ minimum: 0, description: 'From `lastHeartbeatAt` to now', examples: [12] }),
  lastReportedStatus: status,
  publishedStatus: nullable(
    oneOf(statuses, {
      title: 'ComponentStatus',
      description: 'The status that the status page accepted last',
      examples: ['operational'],
    }),
  ),
  activeIncidentId: nullable(string(anIncident)),
}

export const heartbeat = reply('HeartbeatReply', { componentId, status })
export const alive = reply('Liveness', {})
export const snapshot = reply('ComponentHealth', { ...snapshotFields })
export const snapshots = reply('HealthOfComponents', {
  components: array(object(snapshotFields, { title: 'ComponentSnapshot' })),
})
export const retired = reply('RetiredComponent', { componentId })

const message = nullable(string({ description: 'The `message` of the heartbeat', examples: ['exit code 1'] }))
export const maintenanceId = string({ examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e4'] })
const maintenanceFields = object(
  {
    id: maintenanceId,
    components: array(componentId),
    from: timestamp(aTime),
    until: timestamp({ examples: ['2026-06-01T14:00:00.000Z'] }),
    text: nullable(string({ examples: ['Moving to the new disks'] })),
    endedAt: nullable(timestamp({ description: 'If it was ended early', examples: ['2026-06-01T13:00:00.000Z'] })),
    state: oneOf(['planned', 'active', 'over'], { examples: ['active'] }),
  },
  { title: 'Maintenance' },
)
export const maintenance = reply('MaintenanceReply', { maintenance: maintenanceFields })
const next = nullable(string({ description: 'The `cursor` of the next page; null on the last', examples: ['42'] }))
export const maintenances = reply('MaintenanceList', { maintenance: array(maintenanceFields), next })

const announcementFields = object(
  {
    id: maintenanceId,
    text: string({ examples: ['The photographs of the zoo arrive on Monday'] }),
    from: timestamp(aTime),
    until: nullable(timestamp({ examples: ['2026-06-08T12:00:00.000Z'] })),
    endedAt: nullable(timestamp({ description: 'If it was ended early', examples: ['2026-06-02T12:00:00.000Z'] })),
    state: oneOf(['planned', 'active', 'over'], { examples: ['active'] }),
  },
  { title: 'Announcement' },
)
export const announcement = reply('AnnouncementReply', { announcement: announcementFields })
export const announcements = reply('AnnouncementList', { announcements: array(announcementFields) })

export const pushFields = {
  at: timestamp(aTime),
  status,
  outcome: oneOf(['accepted', 'failed', 'uncertain'], {
    description: '`uncertain`: it may have arrived',
    examples: ['accepted'],
  }),
  reason: nullable(string({ examples: ['HTTP 500'] })),
  isReminder: boolean({ description: 'Whether it reminded an alert channel of an outage', examples: [false] }),
  isAcknowledgement: boolean({
    description: 'Whether it told who acknowledged an outage',
    examples: [false],
  }),
}

const who = string({ description: 'Who did it, or the channel that the link was sent to', examples: ['mia'] })
export const acknowledgementOfOutage = object({ by: who, at: timestamp(aTime) }, { title: 'Acknowledgement' })
export const mute = object(
  { until: timestamp({ examples: ['2026-06-01T14:00:00.000Z'] }), by: who },
  { title: 'Mute', description: 'No alerts are sent until then' },
)

const { publishedStatus: _, ...detailFields } = snapshotFields

const componentFields = object(
  {
    ...detailFields,
    message,
    exitCode: nullable(integer({ minimum: 0, maximum: 255, description: 'Of the last report', examples: [3] })),
    maintenanceId: nullable(maintenanceId),
    downSince: nullable(timestamp({ description: 'When the partial outage or outage began', ...aTime })),
    acknowledgement: nullable(acknowledgementOfOutage),
    mute: nullable(mute),
    instances: array(
      object(
        { instance: string({ examples: ['web1-3000'] }), status, lastHeartbeatAt: timestamp(aTime) },
        { title: 'ComponentInstance' },
      ),
      { description: 'One for each sender that names itself' },
    ),
    heartbeat: oneOf(['on time', 'late', 'missed'], {
      description: '`late`: past its timeout, within its grace period',
      examples: ['on time'],
    }),
    timeoutSeconds: number({ minimum: 0, examples: [180] }),
    graceSeconds: number({ minimum: 0, examples: [0] }),
    timeoutFrom: oneOf(['setting', 'heartbeat', 'default'], {
      description: '`STATUS_TIMEOUTS`, `expectWithinSeconds` or `schedule` of a heartbeat, or the default timeout',
      examples: ['default'],
    }),
    schedule: nullable(string({ description: 'A cron expression, instead of the timeout', examples: ['0 3 * * 1-5'] })),
    tz: nullable(string({ examples: ['Europe/Berlin'] })),
    nextRunAt: nullable(timestamp({ description: 'The run of the schedule that is waited for', ...aTime })),
    maxRunSeconds: number({ description: 'How long a run may take', examples: [86_400] }),
    running: integer({ minimum: 0, description: 'How many runs are in progress', examples: [0] }),
    deadlineAt: timestamp({ description: 'When an incident opens, or opened', ...aTime }),
    wantedStatus: oneOf(statuses, {
      title: 'ComponentStatus',
      description: 'The status to publish',
      examples: ['operational'],
    }),
    targets: array(
      object(
        {
          target: string({ examples: ['default'] }),
          isAlert: boolean({ description: 'Notified only of outages and recoveries', examples: [false] }),
          isMapped: boolean({ description: 'Whether the component is published there', examples: [true] }),
          publishedStatus: snapshotFields.publishedStatus,
          push: oneOf(['idle', 'sending', 'waiting', 'unknown'], {
            description: '`waiting`: the last push failed; `unknown`: it may have been accepted',
            examples: ['idle'],
          }),
          retryAt: nullable(timestamp({ description: 'When it is sent again, at the latest', ...aTime })),
          lastPushes: array(object(pushFields, { title: 'StatusPush' }), { description: 'Newest first' }),
        },
        { title: 'TargetState' },
      ),
    ),
  },
  { title: 'Component' },
)

export const component = reply('ComponentReply', { component: componentFields })

export const components = reply('ComponentList', {
  components: array(componentFields),
  neverHeard: array(
    object({ target: string({ examples: ['default'] }), components: array(componentId) }, { title: 'NeverHeard' }),
    {
      description: 'Components that a target maps but that have sent no heartbeat',
    },
  ),
  next,
})

const seconds = integer({ minimum: 0, examples: [86_400] })
const sums = {
  uptimePercent: nullable(
    number({ minimum: 0, maximum: 100, description: 'Null if no time counts as up or down', examples: [99.95] }),
  ),
  seconds: object(
    {
      operational: seconds,
      degraded: seconds,
      partial: seconds,
      outage: seconds,
      maintenance: seconds,
      silent: seconds,
      unknown: seconds,
    },
    { title: 'SecondsByState' },
  ),
}
const days = integer({ examples: [90] })
export const uptimes = reply('UptimeList', {
  days,
  components: array(object({ componentId, ...sums }, { title: 'UptimeSummary' })),
})
export const uptime = reply('Uptime', {
  componentId,
  days,
  ...sums,
  daily: array(object({ day: string({ examples: ['2026-06-01'] }), ...sums }, { title: 'DailyUptime' })),
})

export const incidents = reply('IncidentPage', {
  incidents: array(
    object(
      {
        id: string(anIncident),
        componentId,
        startedAt: timestamp({ description: 'The missed deadline', ...aTime }),
        detectedAt: timestamp(aTime),
        resolvedAt: nullable(timestamp(aTime)),
        lastReportedStatus: status,
        message,
      },
      { title: 'Incident' },
    ),
    { description: 'Newest first' },
  ),
  next,
})

export const history = reply('StatusChangePage', {
  componentId,
  transitions: array(
    object(
      {
        at: timestamp(aTime),
        from: nullable(oneOf(statuses, { title: 'ComponentStatus', examples: ['operational'] })),
        to: oneOf(statuses, { title: 'ComponentStatus', examples: ['outage'] }),
        cause: oneOf(['heartbeat', 'silence', 'maintenance'], { examples: ['silence'] }),
        message,
      },
      { title: 'StatusChange' },
    ),
    { description: 'Newest first' },
  ),
  next,
})

export const diag = reply('Diagnostics', {
  config: object(
    {
      statusApiBaseUrl: nullable(string({ examples: ['https://status.example.org'] })),
      tokenPreview: nullable(string({ description: 'At most its last four characters', examples: ['****f00d'] })),
      kind: nullable(string({ examples: ['native'] })),
      allowList: array(string({ examples: ['127.0.0.0/8'] })),
      heartbeatTimeoutSeconds: integer({ examples: [180] }),
      maintenanceTimeoutSeconds: integer({ examples: [14_400] }),
      checkIntervalSeconds: integer({ examples: [10] }),
      startGraceSeconds: integer({ examples: [120] }),
      flapSeconds: integer({ examples: [0] }),
      groupSeconds: integer({ examples: [5] }),
      publishSilence: boolean({ examples: [true] }),
      maxComponents: integer({ examples: [1000] }),
      pushWaitMs: integer({ examples: [200] }),
      pushTimeoutMs: integer({ examples: [5000] }),
    },
    { title: 'WorkerConfig' },
  ),
  statusApi: object(
    {
      url: nullable(string({ examples: ['https://status.example.org/status-api/status'] })),
      reached: boolean({ examples: [true] }),
      httpStatus: nullable(integer({ examples: [200] })),
      durationMs: number({ minimum: 0, examples: [12.3] }),
      contentType: nullable(string({ examples: ['application/json'] })),
      body: nullable(string({ description: 'Up to 64 KiB', examples: ['{"status":"ok"}'] })),
      error: nullable(string({ examples: ['TIMEOUT'] })),
    },
    { title: 'StatusApiProbe' },
  ),
})
