import { type Refusal, refuse } from '../http/refusal.ts'
import { offsetMs, zoneNamed } from '../lib/time-zone.ts'

export const periods = ['hour', 'day', 'week'] as const

export const badPer: Refusal = { status: 400, message: `per must be one of ${periods.join(', ')}` }
export const badZone: Refusal = { status: 400, message: 'tz must be an IANA time zone such as Europe/Berlin' }

/** How long everybody gets the same image. */
export interface Period {
  readonly per: (typeof periods)[number]
  /** Its days begin at midnight there. In its usual spelling, so that others share the image. */
  readonly zone: string
}

interface PeriodTerms {
  readonly per?: Period['per'] | undefined
  readonly tz?: string | undefined
}

/** Null if `per` is missing: `tz` alone means nothing. */
export function periodOf({ per, tz = 'UTC' }: PeriodTerms): Period | null {
  if (per === undefined) return null
  return { per, zone: zoneNamed(tz) ?? refuse(badZone) }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const monday = Date.UTC(1970, 0, 5)

/** How far the numbers of a period and the next one are apart, at most. */
export const lengthOf = { hour: hourMs, day: dayMs, week: 7 * dayMs } as const

/**
 * The number of the period of that time: the same until the next one begins, and greater then. Days are dates, however
 * long they last; weeks begin on Monday, as in ISO 8601. Of an hour that the clocks show twice, each is one of its own.
 */
export function periodAt({ per, zone }: Period, at: number): number {
  const offset = offsetMs(zone, at)
  const local = at + offset
  switch (per) {
    case 'hour':
      return local - (local % hourMs) - offset
    case 'day':
      return local - (local % dayMs)
    case 'week':
      return local - ((local - monday) % (7 * dayMs))
  }
}
