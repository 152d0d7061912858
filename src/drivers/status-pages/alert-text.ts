import { durationText } from '../../lib/duration-text.ts'
import { isoTime, utcText } from '../../lib/timestamps.ts'
import type { Notice } from '../../status/publication.ts'
import { isDown } from '../../status/statuses.ts'
import type { Fields } from './template.ts'

/** What a message may say of a component besides its notice. */
export interface Names {
  labelOf(componentId: string): string
  /** To the status page if it shows them all, else to the console: of one component, to its page. */
  linkOf(componentIds: readonly string[]): string | null
}

const maxMessageLength = 300

/** On one line, and without characters that change the direction of the text. */
function shortened(text: string, maxLength: number): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line
}

export function eventOf({ status, previousStatus, acknowledged }: Notice): string {
  if (acknowledged) return 'ACKNOWLEDGED'
  if (isDown(status)) return status === previousStatus ? 'STILL DOWN' : 'DOWN'
  return status === 'operational' ? 'UP' : status.toUpperCase()
}

function happened(notice: Notice): string {
  const { status, previousStatus, source, acknowledged, downSince, silentSince, lostRun } = notice
  const at = utcText(notice.reportedAt)
  if (acknowledged)
    return `Acknowledged by ${acknowledged.by} at ${utcText(acknowledged.at)}; ${status} since ${at}.${lostRun ? ` ${lostRun}.` : ''}`
  if (silentSince !== undefined)
    return `Down since ${at}. ${lostRun ?? `No further heartbeat; it was due at ${utcText(silentSince)}`}.`
  if (lostRun !== undefined) return `${lostRun}.`
  if (source === 'silence') return `No heartbeat; it was due at ${at}.`
  if (isDown(status) && status === previousStatus) return `Its status has been ${status} since ${at}.`
  // Announced, or reported by the component.
  if (status === 'maintenance') return `Under maintenance since ${at}.`
  if (status !== 'operational') return `It reported ${status} at ${at}.`
  const before = downSince === undefined ? '' : ` It was down for ${downFor(notice)}, since ${utcText(downSince)}.`
  return `Up again since ${at}.${before}`
}

/** The wall clock may have been set back. */
const downFor = ({ reportedAt, downSince }: Notice): string =>
  downSince === undefined ? '' : durationText(Math.max(0, reportedAt - downSince))

const repetition = 'Possibly repeated: whether the message arrived before is unknown.'

/** Null also if it only repeats which run did not end. */
const messageOf = ({ message = null, lostRun }: Notice) => (message === lostRun ? null : message)

function sentenceOf(notice: Notice): string {
  const message = shortened(messageOf(notice) ?? '', maxMessageLength)
  const said = message === '' ? '' : ` ${notice.source === 'silence' ? 'Last message' : 'Message'}: ${message}`
  return `${happened(notice)}${notice.mayRepeat ? ` ${repetition}` : ''}${said}`
}

/** Of a run that did not end in time, which one. */
const runLine = ({ lostRun }: Notice) => (lostRun === undefined ? '' : `, ${lostRun.replace(/^The/, 'the')}`)

function downLine(notice: Notice, since: string): string {
  const { status, source, silentSince, lostRun } = notice
  if (lostRun !== undefined) return `${silentSince === undefined ? status : 'down'} since ${since}${runLine(notice)}`
  if (silentSince !== undefined) return `down since ${since}, no further heartbeat, due at ${utcText(silentSince)}`
  return source === 'silence' ? `no heartbeat, due at ${since}` : `${status} since ${since}`
}

/** In a message about several components. */
export function lineOf(notice: Notice, { labelOf }: Names): string {
  const { componentId, status, reportedAt, downSince, acknowledged } = notice
  const since = utcText(reportedAt)
  const what = acknowledged
    ? `acknowledged by ${acknowledged.by}, ${status} since ${since}${runLine(notice)}`
    : !isDown(status)
      ? `up since ${since}${downSince === undefined ? '' : `, down for ${downFor(notice)}`}`
      : downLine(notice, since)
  const said = shortened(messageOf(notice) ?? '', 100)
  return `${labelOf(componentId)}: ${what}${notice.mayRepeat ? ' (possibly repeated)' : ''}${said && `; ${said}`}`
}

export function fieldsOf(notice: Notice, { labelOf, linkOf }: Names): Fields {
  const { componentId, status, message, reportedAt, acknowledged, acknowledgeUrl } = notice
  const label = labelOf(componentId)
  const event = eventOf(notice)
  return {
    title: `[${event}] ${label}`,
    text: sentenceOf(notice),
    event,
    label,
    status,
    component: componentId,
    message: shortened(message ?? '', maxMessageLength),
    by: acknowledged?.by ?? '',
    since: isoTime(reportedAt),
    duration: downFor(notice),
    link: linkOf([componentId]) ?? '',
    acknowledge: acknowledgeUrl ?? '',
  }
}
