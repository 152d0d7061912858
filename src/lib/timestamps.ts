const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/
/** Later years need more than four digits. */
export const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

export const dayMs = 86_400_000

export const isoTime = (ms: number) => new Date(ms).toISOString()

/** For sentences: `2026-01-15 09:30:00 UTC`. */
export const utcText = (ms: number) =>
  isoTime(ms)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')

export const isoOrNull = <Ms extends number | null>(ms: Ms) =>
  (ms === null ? null : isoTime(ms)) as Ms extends null ? null : string

/** In UTC: `2026-01-15`. */
export const dayOf = (ms: number) => isoTime(ms).slice(0, -'T00:00:00.000Z'.length)

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
