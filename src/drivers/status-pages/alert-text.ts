import { durationText } from '../../lib/duration-text.ts'
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
const iso = (at: number) => new Date(at).toISOString()
const inSeconds = (at: number) => iso(at).replace(/\.\d+/, '')

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
  const { status, previousStatus, source, acknowledged, downSince, silentSince } = notice
  const at = iso(notice.reportedAt)
  if (acknowledged) return `Acknowledged by ${acknowledged.by} at ${iso(acknowledged.at)}; ${status} since ${at}.`
  if (silentSince !== undefined) return `Down since ${at}. No further heartbeat; it was due at ${iso(silentSince)}.`
  if (source === 'silence') return `No heartbeat; it was due at ${at}.`
  if (isDown(status) && status === previousStatus) return `Its status has been ${status} since ${at}.`
  if (status !== 'operational') return `It reported ${status} at ${at}.`
  const before = downSince === undefined ? '' : ` It was down for ${downFor(notice)}, since ${iso(downSince)}.`
  return `Up again since ${at}.${before}`
}

/** The wall clock may have been set back. */
const downFor = ({ reportedAt, downSince }: Notice): string =>
  downSince === undefined ? '' : durationText(Math.max(0, reportedAt - downSince))

const repetition = 'Possibly repeated: whether the message arrived before is unknown.'

function sentenceOf(notice: Notice): string {
  const message = shortened(notice.message ?? '', maxMessageLength)
  const said = message === '' ? '' : ` ${notice.source === 'silence' ? 'Last message' : 'Message'}: ${message}`
  return `${happened(notice)}${notice.mayRepeat ? ` ${repetition}` : ''}${said}`
}

function downLine({ status, source, silentSince }: Notice, since: string): string {
  if (silentSince !== undefined) return `down since ${since}, no further heartbeat, due at ${inSeconds(silentSince)}`
  return source === 'silence' ? `no heartbeat, due at ${since}` : `${status} since ${since}`
}

/** In a message about several components. */
export function lineOf(notice: Notice, { labelOf }: Names): string {
  const { componentId, status, reportedAt, downSince, acknowledged, message } = notice
  const since = inSeconds(reportedAt)
  const what = acknowledged
    ? `acknowledged by ${acknowledged.by}, ${status} since ${since}`
    : !isDown(status)
      ? `up since ${since}${downSince === undefined ? '' : `, down for ${downFor(notice)}`}`
      : downLine(notice, since)
  const said = shortened(message ?? '', 100)
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
    since: iso(reportedAt),
    duration: downFor(notice),
    link: linkOf([componentId]) ?? '',
    acknowledge: acknowledgeUrl ?? '',
  }
}
