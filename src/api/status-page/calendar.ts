import { namesOf } from './incidents.ts'
import { english, fillText } from './texts/texts.ts'
import type { StatusView } from './view.ts'

type Window = StatusView['maintenance'][number]

/** In bytes, without the line break (RFC 5545, 3.1). */
const maxLine = 75

/** Of RFC 5545, 3.3.11. Control characters are not allowed, not even escaped. */
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}--[\t\n]]/gv, '\ufffd')
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')

/** Continued on further lines, each after a space; no character is divided. */
export function folded(line: string): string {
  let text = ''
  let bytes = 0
  for (const character of line) {
    const more = Buffer.byteLength(character)
    if (bytes + more > maxLine) {
      text += '\r\n '
      bytes = 1
    }
    text += character
    bytes += more
  }
  return text
}

/** `20260601T120000Z`: whole seconds. */
const timeIn = (iso: string) => `${iso.slice(0, 19).replace(/[-:]/g, '')}Z`

function eventOf(view: StatusView, window: Window, page: string): string[] {
  const { id, components, from, until, text, revision } = window
  // Without a METHOD, DTSTAMP is the last change too.
  const changed = timeIn(window.announcedAt ?? from)
  const names = namesOf(view, english, components)
  return [
    'BEGIN:VEVENT',
    `UID:${id}`,
    `DTSTAMP:${changed}`,
    `LAST-MODIFIED:${changed}`,
    `SEQUENCE:${revision}`,
    `DTSTART:${timeIn(from)}`,
    `DTEND:${timeIn(until)}`,
    `SUMMARY:${escaped(fillText(english.maintenanceOf, { names }))}`,
    ...(text === null ? [] : [`DESCRIPTION:${escaped(text)}`]),
    `URL:${page}`,
    'STATUS:CONFIRMED',
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

/** A calendar has at least one part, so that one without maintenance is valid too. */
const utc = [
  'BEGIN:VTIMEZONE',
  'TZID:Etc/UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'TZNAME:UTC',
  'END:STANDARD',
  'END:VTIMEZONE',
]

/** The maintenance on the page as iCalendar, in UTC: what recurs is there as single events, whatever clocks change. */
export function printCalendar(view: StatusView, baseUrl: string, title: string): string {
  const page = `${baseUrl}/status`
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Menagerie//Status//EN',
    'CALSCALE:GREGORIAN',
    `NAME:${escaped(title)}`,
    `X-WR-CALNAME:${escaped(title)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...utc,
    ...view.maintenance.flatMap((window) => eventOf(view, window, page)),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}
