const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/
/** Later years need more than four digits. */
export const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

export const dayMs = 86_400_000

const digits = (length: number) =>
  Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, '0'))
const two = digits(2)
const three = digits(3)
const days = new Map<number, string>()
const maxCachedDays = 10_000

/** Like `Date.toISOString`, in a third of the time. */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / dayMs)
  const ofDay = Math.trunc(ms - day * dayMs)
  const [hours, minutes] = [Math.floor(ofDay / 3_600_000), Math.floor(ofDay / 60_000) % 60]
  return `${dateOf(day)}T${two[hours]}:${two[minutes]}:${two[Math.floor(ofDay / 1000) % 60]}.${three[ofDay % 1000]}Z`
}

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

function dateOf(day: number): string {
  const known = days.get(day)
  if (known !== undefined) return known
  const date = new Date(day * dayMs).toISOString().slice(0, -'T00:00:00.000Z'.length)
  if (days.size >= maxCachedDays) days.clear()
  days.set(day, date)
  return date
}

/** In UTC: `2026-01-15`. */
export const dayOf = (ms: number) => dateOf(Math.floor(ms / dayMs))

/** The first and last millisecond of a UTC day, or of a timestamp with a time zone. */
export function readMoment(text: string): { readonly from: number; readonly to: number } | undefined {
  const [, date, time] = form.exec(text) ?? []
  const day = Date.parse(date ?? '')
  // Date.parse accepts 31 February.
  if (Number.isNaN(day) || dayOf(day) !== date) return undefined
  if (time === undefined) return { from: day, to: day + dayMs - 1 }
  const at = Date.parse(text)
  return at <= lastTime ? { from: at, to: at } : undefined
}

/** Parses only timestamps with a time zone. */
export const readTimestamp = (text: string): number | undefined =>
  text.includes('T') ? readMoment(text)?.from : undefined
