import type { Notice } from '../../status/publication.ts'
import { isDown, maxNamed } from '../../status/statuses.ts'

/** A message to an alert channel. */
export interface Alert {
  readonly title: string
  readonly text: string
  readonly isDown: boolean
}

/** For `cli status test`. */
export const testAlert: Alert = { title: '[TEST]', text: 'Alerts from Menagerie arrive here.', isDown: false }

/** Discord allows 2,000 characters, with the title. */
const maxTextLength = 1_800

/** In the order in which a message lists them. A notice that repeats the last reported status is a reminder. */
const kinds = [
  { word: 'DOWN', includes: ({ status, previousStatus }: Notice) => isDown(status) && status !== previousStatus },
  { word: 'STILL DOWN', includes: ({ status, previousStatus }: Notice) => isDown(status) && status === previousStatus },
  { word: 'UP', includes: ({ status }: Notice) => !isDown(status) },
] as const

/** Names up to 20 components, and counts all. */
export function alertOf(notices: readonly Notice[]): Alert {
  const sorted = kinds.map(({ word, includes }) => ({ word, notices: notices.filter(includes) }))
  const present = sorted.filter((each) => each.notices.length > 0)
  const isAnyDown = notices.some(({ status }) => isDown(status))
  const [first, ...others] = notices
  if (first && others.length === 0) {
    return { title: `[${present[0]?.word}] ${first.componentId}`, text: sentenceOf(first), isDown: isAnyDown }
  }
  const title = present.map((each) => `[${each.word}] ${count(each.notices.length)}`).join(', ')
  return { title, text: listOf(present.flatMap((each) => each.notices)), isDown: isAnyDown }
}

const count = (components: number) => `${components} component${components === 1 ? '' : 's'}`

const iso = (at: number) => new Date(at).toISOString()
const timeOf = ({ reportedAt }: Notice) => iso(reportedAt)
const inSeconds = (at: number) => iso(at).replace(/\.\d+/, '')

function sentenceOf(notice: Notice): string {
  const { status, previousStatus, source, downSince } = notice
  if (!isDown(status))
    return downSince === undefined
      ? `Up again since ${timeOf(notice)}.`
      : `It was down from ${iso(downSince)} until ${timeOf(notice)}.`
  if (source === 'silence') return `No heartbeat; it was due at ${timeOf(notice)}.`
  return status === previousStatus
    ? `Its status has been ${status} since ${timeOf(notice)}.`
    : `It reported ${status} at ${timeOf(notice)}.`
}

function lineOf(notice: Notice): string {
  const { componentId, status, source, reportedAt, downSince } = notice
  if (!isDown(status) && downSince !== undefined)
    return `${componentId}: down from ${inSeconds(downSince)} until ${inSeconds(reportedAt)}`
  const what = !isDown(status) ? 'up since' : source === 'silence' ? 'no heartbeat, due at' : `${status} since`
  return `${componentId}: ${what} ${inSeconds(reportedAt)}`
}

function listOf(notices: readonly Notice[]): string {
  const lines: string[] = []
  let length = 0
  for (const notice of notices.slice(0, maxNamed)) {
    const line = lineOf(notice)
    length += line.length + 1
    if (length > maxTextLength) break
    lines.push(line)
  }
  const others = notices.length - lines.length
  return [...lines, ...(others > 0 ? [`and ${others} more`] : [])].join('\n')
}
