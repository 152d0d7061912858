import { array, integer, literal, nullable, number, object, oneOf, string, timestamp } from '../http/schema.ts'
import { badStatuses } from './periods.ts'
import { componentIdPattern, statuses } from './statuses.ts'
import { stages } from './written-incidents.ts'

const aTime = { examples: ['2026-06-01T12:00:00.000Z'] }
const anId = { pattern: componentIdPattern, examples: ['api'] }
const text = { maxLength: 500, examples: ['Moving to the new disks'] }
const seconds = integer({ minimum: 0, examples: [3600] })

const common = { ok: literal(true), at: timestamp({ description: "By the worker's clock", ...aTime }) }
const component = {
  componentId: string(anId),
  status: oneOf(statuses, { description: 'Silence is an outage', examples: ['operational'] }),
  since: nullable(timestamp({ description: 'Null if it is longer ago than history is kept', ...aTime })),
  days: array(
    object(
      {
        day: string({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-06-01'] }),
        upSeconds: seconds,
        downSeconds: seconds,
      },
      { title: 'UpAndDown' },
    ),
  ),
}
const meanMs = nullable(number({ minimum: 0, examples: [123.4] }))
/** The worker computes it, so that the status page gets no sums of each day. */
export const responseMs = object(
  { days7: meanMs, days30: meanMs, days90: meanMs },
  {
    title: 'ResponseTimeOfDays',
    description: 'The mean of what heartbeats sent as `durationMs`; null if none did',
  },
)
const window = {
  id: string(),
  components: array(string(anId)),
  from: timestamp(aTime),
  until: timestamp(aTime),
  text: nullable(string(text)),
  state: oneOf(['planned', 'active'], { examples: ['active'] }),
}
const announcement = {
  id: string(),
  text: string(text),
  from: timestamp(aTime),
  until: nullable(timestamp(aTime)),
  state: oneOf(['active', 'over'], { examples: ['active'] }),
}

/** What 0.2 expects. */
export const summary = object(
  {
    ...common,
    components: array(object(component, { title: 'SummaryOfComponent' })),
    incidents: array(
      object(
        {
          incidentId: string(),
          componentId: string(anId),
          startedAt: timestamp(aTime),
          resolvedAt: nullable(timestamp(aTime)),
        },
        { title: 'SummaryOfIncident' },
      ),
    ),
    maintenance: array(object(window, { title: 'SummaryOfMaintenance' })),
    announcements: array(object(announcement, { title: 'SummaryOfAnnouncement' })),
  },
  { title: 'Summary' },
)

const announcedAt = nullable(timestamp({ description: 'When it was announced or last changed', ...aTime }))

const updates = array(
  object(
    { at: timestamp(aTime), stage: oneOf(stages, { examples: ['identified'] }), text: string() },
    { title: 'SummaryOfUpdate' },
  ),
  { description: 'What people wrote, oldest first; none if all updates together would be too long' },
)

export const fullSummary = object(
  {
    ...common,
    components: array(object({ ...component, responseMs }, { title: 'FullSummaryOfComponent' })),
    periods: array(
      object(
        {
          componentId: string(anId),
          status: oneOf(badStatuses, { description: 'As reported; silence is an outage', examples: ['outage'] }),
          startedAt: timestamp(aTime),
          detectedAt: timestamp({ description: 'Later than its start if it began with silence', ...aTime }),
          endedAt: nullable(timestamp(aTime)),
          updates,
        },
        { title: 'SummaryOfPeriod' },
      ),
    ),
    written: array(
      object(
        {
          id: string(),
          title: string(),
          level: oneOf(badStatuses, { examples: ['partial'] }),
          components: array(string(anId), { description: 'None: the service as a whole' }),
          startedAt: timestamp(aTime),
          resolvedAt: nullable(timestamp(aTime)),
          updates,
        },
        { title: 'SummaryOfWrittenIncident' },
      ),
      { description: 'Incidents opened by hand: all that are open, then the newest' },
    ),
    maintenance: array(
      object(
        { ...window, announcedAt, revision: integer({ minimum: 0, description: 'How often it was changed' }) },
        { title: 'FullSummaryOfMaintenance' },
      ),
    ),
    announcements: array(object({ ...announcement, announcedAt }, { title: 'FullSummaryOfAnnouncement' })),
  },
  { title: 'FullSummary' },
)
