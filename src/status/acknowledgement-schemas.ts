import { fields } from '../http/fields.ts'
import { nullable, string, timestamp } from '../http/schema.ts'
import { errors } from './errors.ts'
import { hashPattern } from './links.ts'
import { acknowledgementOfOutage as acknowledgement, mute, params, reply, status } from './schemas.ts'
import { strictField, timeField } from './terms.ts'

const { componentId } = params
const aTime = { examples: ['2026-06-01T12:00:00.000Z'] }
export const acknowledged = reply('AcknowledgedOutage', { componentId, acknowledgement })
export const muted = reply('MutedComponent', { componentId, mute: nullable(mute) })

export const linkParams = {
  hash: string({ description: "SHA-256 of the link's token", pattern: hashPattern, examples: ['a'.repeat(64)] }),
}
export const outage = reply('OutageOfLink', {
  componentId,
  status,
  since: timestamp({ description: 'When the outage began', ...aTime }),
  target: string({ description: 'The channel that the link was sent to', examples: ['team_chat'] }),
  acknowledgement: nullable(acknowledgement),
})

/** One line, as it is shown in messages. */
const byPattern = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u
const by = {
  ...strictField<string>(string(), errors.badBy),
  absent: errors.badBy,
  read: (text: string) => (byPattern.test(text) ? text : undefined),
}
const until = {
  ...timeField('At most 31 days from now'),
  ...{ absent: errors.badMute, invalid: errors.badMute, empty: errors.badMute },
}
export const byTerms = fields({ by })
/** Of the API, which knows who asks. */
export const untilTerms = fields({ until })
export const muteTerms = fields({ until, by })
