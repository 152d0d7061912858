const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/
/** Later ones are written with more digits of a year, which nobody reads. */
const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

export const dayMs = 86_400_000
export const isoTime = (ms: number) => new Date(ms).toISOString()
/** In UTC: `2026-01-15`. */
export const dayOf = (ms: number) => isoTime(ms).slice(0, 10)

/** A date, which is a whole day in UTC, or a timestamp with its zone, as milliseconds: first and last. */
export function readMoment(text: string): { readonly from: number; readonly to: number } | undefined {
  const [, date, time] = form.exec(text) ?? []
  const day = Date.parse(date ?? '')
  // A date that no calendar has, 31 February, is read as a later one.
  if (Number.isNaN(day) || dayOf(day) !== date) return undefined
  if (time === undefined) return { from: day, to: day + dayMs - 1 }
  const at = Date.parse(text)
  return at <= lastTime ? { from: at, to: at } : undefined
}

/** A timestamp with its zone alone. */
export const readTimestamp = (text: string): number | undefined =>
  text.includes('T') ? readMoment(text)?.from : undefined
