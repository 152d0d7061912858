const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const month = `(${months.join('|')})`
const time = '(\\d\\d):(\\d\\d):(\\d\\d)'
const forms = [
  { pattern: new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d\\d) ${month} (\\d{4}) ${time} GMT$`), order: 'dmy' },
  // Obsolete formats that must be accepted (RFC 9110 §5.6.7).
  {
    pattern: new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d\\d)-${month}-(\\d\\d) ${time} GMT$`),
    order: 'dmy',
  },
  { pattern: new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} ([ \\d]\\d) ${time} (\\d{4})$`), order: 'mdty' },
] as const

/** In milliseconds; undefined if the text is not an HTTP date. */
export function readHttpDate(text: string, now = Date.now()): number | undefined {
  for (const { pattern, order } of forms) {
    const found = pattern.exec(text.trim())
    if (!found) continue
    const [a = '', b = '', c = '', d = '', e = '', f = ''] = found.slice(1)
    return order === 'dmy' ? momentOf(fullYear(c, now), b, a, [d, e, f]) : momentOf(fullYear(f, now), a, b, [c, d, e])
  }
  return undefined
}

/** Undefined for a day that the month does not have. */
function momentOf(year: number, monthName: string, day: string, clock: readonly string[]): number | undefined {
  const [hours, minutes, seconds] = clock.map(Number) as [number, number, number]
  const date = new Date(0)
  date.setUTCFullYear(year, months.indexOf(monthName), Number(day))
  // 60 is a leap second.
  return date.getUTCDate() === Number(day) && hours < 24 && minutes < 60 && seconds < 61
    ? date.setUTCHours(hours, minutes, seconds)
    : undefined
}

/** Two digits mean this century, or the last one if that would be more than 50 years ahead. */
function fullYear(digits: string, now: number): number {
  if (digits.length > 2) return Number(digits)
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}

export const httpDate = (ms: number) => new Date(ms).toUTCString()
