import { type Field, fields } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { array, integer, literal, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import { announcedStates } from './announced.ts'
import { errors } from './errors.ts'
import type { RecurringTerms } from './recurring-maintenance.ts'
import { cronFields, cronOf } from './schedule-terms.ts'
import { maintenanceId, params } from './schemas.ts'
import { listOf, windowFields } from './terms.ts'

const aTime = { examples: ['2026-06-01T12:00:00.000Z'] }
const [minSeconds, maxSeconds] = [60, 604_800]
const duration = { minimum: minSeconds, maximum: maxSeconds, examples: [7_200] }

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
export const recurringMaintenance = object(
  { ok: literal(true), recurring: recurringMaintenanceFields },
  { title: 'RecurringMaintenanceReply' },
)
export const recurringMaintenances = object(
  { ok: literal(true), recurring: array(recurringMaintenanceFields) },
  { title: 'RecurringMaintenanceList' },
)

const durationField: Field<number | undefined> & { readonly absent: Refusal } = {
  schema: integer({ ...duration, description: 'How long each occurrence lasts: at most until the next begins' }),
  invalid: errors.badDuration,
  empty: errors.badDuration,
  absent: errors.badDuration,
  isStrict: true,
}

export const recurringTerms = fields({
  components: { ...windowFields.components, absent: errors.badComponents },
  schedule: { ...cronFields.schedule, absent: errors.noSchedule },
  tz: cronFields.tz,
  durationSeconds: durationField,
  text: windowFields.text,
})

interface RecurringFields {
  readonly components?: readonly string[] | undefined
  readonly schedule?: string | undefined
  readonly tz?: string | undefined
  readonly durationSeconds?: number | undefined
  readonly text?: string | undefined
}

export const recurringOf = ({ components, schedule, tz, durationSeconds, text }: RecurringFields): RecurringTerms => ({
  components: listOf(components ?? []),
  cron: cronOf(schedule, tz) ?? refuse(errors.noSchedule),
  durationMs: (durationSeconds ?? refuse(errors.badDuration)) * 1000,
  text: text ?? null,
})
