import { useEffect, useState } from 'react'
import { serverNow } from '../session/server-clock.ts'

const exact = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** In the user's time zone, as in the fields for a time. */
export const exactTime = (at: string): string => exact.format(new Date(at))

/** To the second, such as `2026-01-15T09:30:00Z`. */
const isoTime = (at: string): string => new Date(at).toISOString().replace(/\.\d+/, '')

/** By the service's clock. */
function relativeTime(at: string): string {
  const seconds = (Date.parse(at) - serverNow()) / 1000
  if (Math.abs(seconds) < 1) return 'just now'
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  return relative.format(Math.round(seconds / length), unit)
}

const refreshMs = 30_000

/** How long ago or ahead, updated while the page is open, with the exact time as a tooltip. */
export function Time({ at }: { readonly at: string }) {
  const [, refresh] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => refresh((count) => count + 1), refreshMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={isoTime(at)}>
      {relativeTime(at)}
    </time>
  )
}

/** What is planned, where how far ahead it is matters less. */
export const ExactTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={isoTime(at)}>
    {exactTime(at)}
  </time>
)

/** What is planned: how far ahead, and the time itself, as people enter it into a calendar. */
export const Moment = ({ at }: { readonly at: string }) => (
  <>
    <Time at={at} /> ({exactTime(at)})
  </>
)
