import { Cron } from 'croner'
import { createLru } from './lru.ts'

/** Five fields, or a name such as `@daily`, as read by the clocks of the time zone. */
export interface CronSchedule {
  readonly expression: string
  readonly tz: string
}

const fieldNames = ['minute', 'hour', 'day of month', 'month', 'day of week']
const nicknames = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']
const maxLength = 200

/** Reading an expression costs more than finding its next run. */
const parsed = createLru<Cron>(2_000)

/** Times that a change of the clocks skips or repeats count as in Vixie cron. Throws if it is invalid. */
const parse = ({ expression, tz }: CronSchedule) =>
  new Cron(expression, { timezone: tz, mode: '5-part', fixedTimeRule: 'no-wildcard' })

function cronOf(schedule: CronSchedule): Cron {
  const key = `${schedule.tz} ${schedule.expression}`
  const cron = parsed.get(key) ?? parse(schedule)
  parsed.set(key, cron)
  return cron
}

/** The first run after that time; null if there is none, or the system no longer knows the time zone. */
export function nextRun(schedule: CronSchedule, after: number): number | null {
  try {
    return cronOf(schedule).nextRun(new Date(after))?.getTime() ?? null
  } catch {
    return null
  }
}

/** Says what is wrong, and in which field; null if it is valid and fires at some time. */
export function cronProblem(expression: string): string | null {
  if (expression.length > maxLength) return `it is longer than ${maxLength} characters`
  if (expression.startsWith('@'))
    return nicknames.includes(expression.toLowerCase())
      ? null
      : `${shown(expression)} is not one of ${nicknames.join(', ')}`
  const fields = expression.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== fieldNames.length)
    return `it has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'} instead of 5`
  for (const [index, field] of fields.entries())
    if (!isValidField(field, index)) return `${fieldNames[index]} ${shown(field)} is invalid`
  return nextRun({ expression, tz: 'UTC' }, 0) === null ? 'it never fires' : null
}

/** Whether it is valid with `*` in all other fields. */
function isValidField(field: string, index: number): boolean {
  const fields = fieldNames.map((_, other) => (other === index ? field : '*'))
  try {
    parse({ expression: fields.join(' '), tz: 'UTC' })
    return true
  } catch {
    return false
  }
}

const shown = (text: string) => JSON.stringify(text.slice(0, 40)).replace(/[^\x20-\x7e]/g, '?')
