import type { PageState, StatusView } from './view.ts'

export const stateNames: Readonly<Record<PageState, string>> = {
  operational: 'Operational',
  degraded: 'Degraded',
  partial: 'Partial outage',
  outage: 'Outage',
  maintenance: 'Maintenance',
  unknown: 'Unknown',
}

const headlines: Readonly<Record<PageState, string>> = {
  ...stateNames,
  operational: 'All systems operational',
  degraded: 'Degraded performance',
  maintenance: 'Under maintenance',
  unknown: 'Some states are unknown',
}

/** `2026-06-01 12:00 UTC` */
export const timeText = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

export function headlineOf({ state, unknownSince, components }: StatusView): string {
  if (unknownSince !== null) return `Status unknown since ${timeText(unknownSince)}`
  return components.length === 0 ? 'No component is public' : headlines[state]
}

/** Whole days from two days on; hours and minutes below that. */
export function durationText(from: string, to: string): string {
  const minutes = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 60_000)) || 0
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24]
  if (days > 1) return `${days} days`
  if (minutes >= 60) return `${days * 24 + hours} h ${minutes % 60} min`
  return minutes === 0 ? 'less than a minute' : `${minutes} min`
}

export const percentText = (percent: number | null) => (percent === null ? 'no data' : `${percent} %`)
