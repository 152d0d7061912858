import { fields, type ReadBy } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { array, integer, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import { announcedStates } from './announced.ts'
import { errors } from './errors.ts'
import { maxOccurrenceSeconds, minOccurrenceSeconds } from './occurrences.ts'
import type { RecurringTerms } from './recurring-maintenance.ts'
import { cronFields, cronOf } from './schedule-terms.ts'
import { maintenanceId, params, reply } from './schemas.ts'
import { listOf, strictField, windowFields } from './terms.ts'

const aTime = { examples: ['2026-06-01T12:00:00.000Z'] }
const duration = { minimum: minOccurrenceSeconds, maximum: maxOccurrenceSeconds, examples: [7_200] }

const recurringMaintenanceFields = object(
  {
    id: maintenanceId,
    components: array(params.componentId),
    schedule: string({ examples: ['0 3 * * 0'] }),
    tz: string({ examples: ['Europe/Berlin'] }),
    durationSeconds: integer(duration),
    text: nullable(string({ examples: ['Backups'] })),
    createdAt: timestamp(aTime),
    endedAt: nullable(timestamp(aTime)),
    windows: array(
      object(
        {
          id: maintenanceId,
          from: timestamp(aTime),
          until: timestamp(aTime),
          state: oneOf(announcedStates, { examples: ['planned'] }),
        },
        { title: 'Occurrence' },
      ),
      { description: 'What is in progress and the next occurrences, as in the list of maintenance windows' },
    ),
  },
  { title: 'RecurringMaintenance' },
)
export const recurringMaintenance = reply('RecurringMaintenanceReply', { recurring: recurringMaintenanceFields })
export const recurringMaintenances = reply('RecurringMaintenanceList', { recurring: array(recurringMaintenanceFields) })

const durationSeconds = integer({
  ...duration,
  description: 'How long each occurrence lasts: at most until the next begins',
})

export const recurringTerms = fields({
  components: { ...windowFields.components, absent: errors.badComponents },
  schedule: { ...cronFields.schedule, absent: errors.noSchedule },
  tz: cronFields.tz,
  durationSeconds: { ...strictField<number>(durationSeconds, errors.badDuration), absent: errors.badDuration },
  text: windowFields.text,
})

export const recurringOf = ({
  components,
  schedule,
  tz,
  durationSeconds,
  text,
}: ReadBy<typeof recurringTerms>): RecurringTerms => ({
  components: listOf(components ?? []),
  cron: cronOf(schedule, tz) ?? refuse(errors.noSchedule),
  durationMs: (durationSeconds ?? refuse(errors.badDuration)) * 1000,
  text: text ?? null,
})
