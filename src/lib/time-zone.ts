import { createLru } from './lru.ts'

const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/

/** A time zone of the IANA database in its usual spelling; undefined if there is none. Offsets know no change of the clocks. */
export function zoneNamed(text: string): string | undefined {
  if (!zonePattern.test(text)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

export const isTimeZone = (text: string): boolean => zoneNamed(text) !== undefined

/** There are about 450 zones; making a format takes 50 µs. */
const formats = createLru<Intl.DateTimeFormat>(500)

/** How far the clocks of a time zone are ahead of UTC at that time. */
export function offsetMs(zone: string, at: number): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  formats.set(zone, format)
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, ...parts] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? []
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000
  return sign === '-' ? -ms : ms
}
