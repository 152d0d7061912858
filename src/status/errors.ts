import type { Refusal } from '../http/refusal.ts'
import { maxOccurrenceSeconds, minOccurrenceSeconds } from './occurrences.ts'
import { maxTimeoutSeconds, minTimeoutSeconds } from './schedule.ts'
import { statuses } from './statuses.ts'

export const errors = {
  forbidden: {
    status: 403,
    message: 'Forbidden',
    when: 'the address is not in `STATUS_ALLOW`, or a web page sends the request (`Origin`, `Sec-Fetch-Site`, a foreign `Host`; on GET heartbeats also `Referer`, any `Sec-Fetch-*` and `Accept-Language`)',
  },
  changesForbidden: {
    status: 403,
    message: 'Changes are allowed only from addresses in STATUS_ADMIN_ALLOW',
    when: 'the address may only send heartbeats and read',
  },
  notFound: { status: 404, message: 'Not found', when: 'no route has this method and path' },
  badId: { status: 400, message: 'Invalid component id' },
  unknown: { status: 404, message: 'Unknown component' },
  badJson: { status: 400, message: 'Malformed JSON' },
  badOpen: { status: 400, message: 'open must be true or false' },
  badPublish: { status: 400, message: 'publish must be operational, maintenance or nothing' },
  badLimit: { status: 400, message: 'limit must be a whole number from 1 to 500' },
  badCursor: { status: 400, message: 'cursor must be the `next` value of a previous response' },
  badAfter: { status: 400, message: 'after must be the id of a record' },
  badWait: { status: 400, message: 'waitMs must be a whole number from 100 to 5000' },
  badDays: { status: 400, message: 'days must be a whole number from 1 to 400' },
  badStatus: { status: 400, message: `status must be one of ${statuses.join(', ')}` },
  badExpectWithin: {
    status: 400,
    message: `expectWithinSeconds must be a whole number from ${minTimeoutSeconds} to ${maxTimeoutSeconds}`,
  },
  badGrace: { status: 400, message: `graceSeconds must be a whole number from 0 to ${maxTimeoutSeconds}` },
  badMaxRun: { status: 400, message: `maxRunSeconds must be a whole number from 1 to ${maxTimeoutSeconds}` },
  badRid: {
    status: 400,
    message: 'rid must be 1 to 64 letters, digits, dots, underscores and hyphens, and start with a letter or digit',
  },
  badSchedule: {
    status: 400,
    message: 'schedule must be a cron expression of five fields: <PROBLEM>',
    when: 'it names the field that is wrong; an expression that never fires, such as `0 0 30 2 *`, is refused too',
  },
  noSchedule: { status: 400, message: 'schedule must be a cron expression, such as 0 3 * * 1-5' },
  badTz: {
    status: 400,
    message: 'tz must be an IANA time zone such as Europe/Berlin, with a schedule',
  },
  scheduleAndTimeout: { status: 400, message: 'schedule and expectWithinSeconds cannot be combined' },
  badMessage: { status: 400, message: 'message must be a string of at most 500 characters' },
  badComponents: { status: 400, message: 'components must be a list of 1 to 1000 component ids' },
  badTime: { status: 400, message: 'from and until must be ISO 8601 timestamps with a time zone' },
  badWindow: { status: 400, message: 'until must be after from, in the future, and at most 31 days after from' },
  badDuration: {
    status: 400,
    message: `durationSeconds must be a whole number from ${minOccurrenceSeconds} to ${maxOccurrenceSeconds}, and no longer than the time between two runs of schedule`,
  },
  badText: { status: 400, message: 'text must be a string of at most 500 characters' },
  badState: { status: 400, message: 'state must be planned, active or over' },
  unknownMaintenance: { status: 404, message: 'Unknown maintenance' },
  maintenanceOver: { status: 409, message: 'Maintenance is over' },
  tooManyWindows: { status: 429, message: 'Maintenance limit reached' },
  badPeriod: { status: 400, message: 'until must be after from, and in the future' },
  unknownAnnouncement: { status: 404, message: 'Unknown announcement' },
  announcementOver: { status: 409, message: 'Announcement is over' },
  tooManyAnnouncements: { status: 429, message: 'Announcement limit reached' },
  badTitle: { status: 400, message: 'title must be a string of 1 to 100 characters' },
  badUpdateText: { status: 400, message: 'text must be a string of 1 to 2000 characters' },
  badLevel: { status: 400, message: 'level must be one of outage, partial, degraded' },
  badStage: {
    status: 400,
    message: 'stage must be one of investigating, identified, monitoring, resolved, postmortem',
  },
  badAffected: { status: 400, message: 'components must be a list of at most 200 component ids' },
  badStart: { status: 400, message: 'from must be at most 31 days ago, and not in the future' },
  badOpening: { status: 400, message: 'the first stage must be investigating, identified or monitoring' },
  unknownIncident: { status: 404, message: 'Unknown incident' },
  notByHand: { status: 409, message: 'level and components can only be changed for incidents opened by hand' },
  incidentOpen: { status: 409, message: 'A postmortem follows the end of the incident' },
  incidentResolved: { status: 409, message: 'Incident is resolved' },
  onlyHeartbeatResolves: { status: 409, message: 'Only a heartbeat resolves an incident by silence' },
  tooManyIncidents: { status: 429, message: 'Incident limit reached' },
  tooManyUpdates: { status: 429, message: 'Update limit reached' },
  unknownTarget: { status: 404, message: 'Unknown target' },
  testedRecently: {
    status: 429,
    message: 'Target was tested less than 10 s ago',
    headers: { 'Retry-After': '10' },
  },
  notDown: { status: 409, message: 'Component is not down' },
  acknowledgedBefore: { status: 409, message: 'Outage is already acknowledged' },
  badBy: { status: 400, message: 'by must be a string of 1 to 100 characters' },
  badMute: { status: 400, message: 'until must be an ISO 8601 timestamp with a time zone, at most 31 days from now' },
  notMuted: { status: 409, message: 'Component is not muted' },
  unknownLink: {
    status: 404,
    message: 'Unknown link',
    when: 'the outage has ended, or the link is older than 7 days',
  },
  badResponseTime: { status: 400, message: 'durationMs must be a number from 0 to 86400000' },
  badInstance: {
    status: 400,
    message:
      'instance must be 1 to 64 letters, digits, dots, underscores and hyphens, and start with a letter or digit',
  },
  tooMany: { status: 429, message: 'Component limit reached' },
  notSaved: {
    status: 503,
    message: 'State could not be saved, please try again',
    headers: { 'Retry-After': '1' },
    when: 'the disk is full, or the database is unreachable',
  },
  standingBy: {
    status: 503,
    message: 'Standing by: this worker is not the leader',
    headers: { 'Retry-After': '2' },
    when: 'another worker is the leader, or the database is unreachable or `status.db` missing',
  },
} as const satisfies Record<string, Refusal>

/** Possible on every path. */
export const workerErrors: readonly Refusal[] = [errors.forbidden, errors.notFound]
