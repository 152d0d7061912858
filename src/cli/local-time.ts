import { InvalidArgumentError } from 'commander'
import { duration } from '../config/formats.ts'
import { readMoment } from '../lib/timestamps.ts'

const withoutZone = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?$/

/** The first and last millisecond of a day or time. The default time zone is this machine's. */
function readLocal(text: string): { readonly from: number; readonly to: number } | undefined {
  const [isLocal, date, time] = withoutZone.exec(text) ?? []
  if (!isLocal) return readMoment(text)
  // Date accepts 31 February.
  if (!readMoment(`${date}T${time ?? '00:00'}Z`)) return undefined
  const start = new Date(`${date}T${time ?? '00:00'}`)
  const from = start.getTime()
  return { from, to: time === undefined ? start.setDate(start.getDate() + 1) - 1 : from }
}

const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)$/

/** The next such time on this machine's clock; of an hour that it shows twice, the first. */
function readTimeOfDay(text: string, now: number): number | undefined {
  const [isTime, hours, minutes] = timeOfDay.exec(text) ?? []
  if (!isTime) return undefined
  const next = new Date(now)
  next.setHours(Number(hours), Number(minutes), 0, 0)
  return next.getTime() > now ? next.getTime() : next.setDate(next.getDate() + 1)
}

const expected =
  'a date or time in the zone of this machine, such as 2026-12-31 or 2026-12-31T18:00, or in another one, such as 2026-12-31T18:00:00Z.'

const reading = (end: 'from' | 'to') => (text: string) => {
  const found = readLocal(text)
  if (found) return found[end]
  throw new InvalidArgumentError(`Expected ${expected}`)
}

/** For a date, its start. */
export const readTime = reading('from')
/** For a date, its end. */
export const readEnd = reading('to')

/** As `readTime`; also a duration from then, or the next such time of day. */
export function readComingTime(text: string, from: number): number {
  const lasting = duration.read(text)
  const found = lasting === undefined ? (readTimeOfDay(text, from) ?? readLocal(text)?.from) : from + lasting
  if (found !== undefined) return found
  throw new InvalidArgumentError(
    `Expected a duration such as 90m, 2h or 3d, a time of day such as 23:00, or ${expected}`,
  )
}
