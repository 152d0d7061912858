import { fields, wholeNumber } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { integer, string } from '../http/schema.ts'
import { type CronSchedule, cronProblem } from '../lib/cron.ts'
import { isTimeZone } from '../lib/time-zone.ts'
import { errors } from './errors.ts'
import { maxTimeoutSeconds, minTimeoutSeconds, type ScheduleTerms } from './schedule.ts'
import { strictField } from './terms.ts'

/* The fields that say when a heartbeat is due: of heartbeats themselves, and of PATCH /components/{id}. */

export interface ScheduleFields {
  readonly expectWithinSeconds?: number | undefined
  readonly graceSeconds?: number | undefined
  readonly schedule?: string | undefined
  readonly tz?: string | undefined
  readonly maxRunSeconds?: number | undefined
}

const within = {
  minimum: minTimeoutSeconds,
  maximum: maxTimeoutSeconds,
  examples: [93_600],
  description:
    'When the next heartbeat is due. Kept until a heartbeat sends another value; with `maintenance`, it applies only during maintenance. `STATUS_TIMEOUTS` overrides it',
}
const grace = {
  minimum: 0,
  maximum: maxTimeoutSeconds,
  examples: [600],
  description:
    'How late a heartbeat may be before an incident opens. Kept in the same way; 600 by default after a schedule',
}

const maxRun = {
  minimum: 1,
  maximum: maxTimeoutSeconds,
  examples: [7_200],
  description: 'How long a run may take before an incident opens; 86400 by default. Kept in the same way',
}

const inJson = (options: typeof within, invalid: Refusal) => strictField<number>(integer(options), invalid)
const inText = (options: typeof within, invalid: Refusal) => ({ ...wholeNumber(invalid, options), empty: invalid })
const text = (invalid: Refusal, description: string, example: string) => ({
  ...strictField<string>(string({ description, examples: [example] }), invalid),
  read: (given: string) => given,
})

export const cronFields = {
  schedule: text(
    errors.noSchedule,
    'When heartbeats are due: a cron expression of five fields, instead of `expectWithinSeconds`. Kept in the same way',
    '0 3 * * 1-5',
  ),
  tz: text(errors.badTz, 'The time zone of `schedule`; UTC by default', 'Europe/Berlin'),
}

export const termsInJson = {
  expectWithinSeconds: inJson(within, errors.badExpectWithin),
  graceSeconds: inJson(grace, errors.badGrace),
  maxRunSeconds: inJson(maxRun, errors.badMaxRun),
  ...cronFields,
}

/** As in a query or form, where everything is text. */
export const termsAsText = {
  expectWithinSeconds: inText(within, errors.badExpectWithin),
  graceSeconds: inText(grace, errors.badGrace),
  maxRunSeconds: inText(maxRun, errors.badMaxRun),
  ...cronFields,
}

/** The refusals of `scheduleOf`. */
export const termErrors = [errors.badSchedule, errors.scheduleAndTimeout] as const

export const componentChanges = fields({
  ...termsInJson,
  tz: text(
    errors.badTz,
    'The time zone of `schedule`, or of the schedule that the component has. If absent, the component keeps its zone; UTC if it has none',
    'Europe/Berlin',
  ),
})

const msOf = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)

export function scheduleOf({
  expectWithinSeconds,
  graceSeconds,
  maxRunSeconds,
  schedule,
  tz,
}: ScheduleFields): ScheduleTerms {
  if (schedule !== undefined && expectWithinSeconds !== undefined) refuse(errors.scheduleAndTimeout)
  return {
    expectWithinMs: msOf(expectWithinSeconds),
    graceMs: msOf(graceSeconds),
    maxRunMs: msOf(maxRunSeconds),
    cron: cronOf(schedule, tz),
  }
}

/** What is not given stays as it is: a time zone applies to the known schedule, and a schedule keeps the known zone. */
export function changesOf(given: ScheduleFields, known: CronSchedule | null): ScheduleTerms {
  const { schedule, tz, expectWithinSeconds } = given
  const isOfSchedule = schedule !== undefined || (tz !== undefined && expectWithinSeconds === undefined)
  if (known === null || !isOfSchedule) return scheduleOf(given)
  return scheduleOf({ ...given, schedule: schedule ?? known.expression, tz: tz ?? known.tz })
}

/** Refuses what is wrong whatever schedule the component has. */
export const checkChanges = (given: ScheduleFields): void => void changesOf(given, { expression: '@daily', tz: 'UTC' })

export function cronOf(schedule: string | undefined, tz: string | undefined): CronSchedule | undefined {
  if (tz !== undefined && (schedule === undefined || !isTimeZone(tz))) refuse(errors.badTz)
  if (schedule === undefined) return undefined
  const expression = schedule.trim().replaceAll(/\s+/g, ' ')
  const problem = cronProblem(expression)
  if (problem !== null) refuse(errors.badSchedule, {}, { PROBLEM: problem })
  return { expression, tz: tz ?? 'UTC' }
}
