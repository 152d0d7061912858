import { InvalidArgumentError } from 'commander'
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

const reading = (end: 'from' | 'to') => (text: string) => {
  const found = readLocal(text)
  if (found) return found[end]
  throw new InvalidArgumentError(
    'Expected a date or time in the zone of this machine, such as 2026-12-31 or 2026-12-31T18:00, or in another one, such as 2026-12-31T18:00:00Z.',
  )
}

/** For a date, its start. */
export const readTime = reading('from')
/** For a date, its end. */
export const readEnd = reading('to')
