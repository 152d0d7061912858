import { fields, parsed, wholeNumber } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { array, integer, nullable, object, record, string, timestamp } from '../http/schema.ts'
import { isId } from '../lib/ids.ts'
import { isoTime } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import { leaderErrors, maxLimit, reading, type StatusDeps } from './route-parts.ts'
import { reply } from './schemas.ts'
import { maxRecords } from './statuses.ts'

const id = { examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e5'] }
const details = (description: string, example: object) => nullable(record({}, { description, examples: [example] }))

const change = object(
  {
    id: string({ description: 'The `X-Request-Id` of the response', ...id }),
    at: timestamp({ description: "By the worker's clock" }),
    action: string({ examples: ['announce'] }),
    outcome: string({
      description: '`success`; or `refused: ` with the message of the response',
      examples: ['success'],
    }),
    target: nullable(string({ description: 'An id or name', examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e4'] })),
    address: nullable(
      string({ description: 'Null if too many addresses were refused in a second', examples: ['192.0.2.7'] }),
    ),
    count: integer({
      minimum: 1,
      examples: [1],
      description: 'Number of attempts: refused ones within a second are one record',
    }),
    before: details('The changed values, before', { text: 'New disks' }),
    after: details('The changed values, after', { text: 'New disks and memory' }),
  },
  { title: 'ChangeRecord' },
)

export const changeRecords = reply('ChangeRecords', {
  now: timestamp({ description: "By the worker's clock" }),
  records: array(change, { description: 'In the order in which they were saved' }),
})

export const auditPageSize = 100

export const auditRoute: Route<StatusDeps, unknown> = defineRoute({
  ...reading,
  path: '/audit',
  operationId: 'listChanges',
  summary: 'List the changes that were accepted, or refused for their address',
  description: `Oldest first. Heartbeats are not among them. The API copies these records to its audit. At most ${maxRecords} accepted and as many refused ones are kept, for 90 days.`,
  isRoutine: true,
  query: fields({
    after: parsed((text) => (isId(text) ? text : undefined), {
      invalid: errors.badAfter,
      ...id,
      description: 'Only records saved after the one with this id; all if it is no longer kept',
    }),
    limit: wholeNumber(errors.badLimit, { minimum: 1, maximum: maxLimit, default: auditPageSize }),
  }),
  reply: { status: 200, schema: changeRecords },
  errors: leaderErrors,
  async handle({ query: { after = null, limit = auditPageSize } }, { leader }: StatusDeps) {
    const { store, now } = leader()
    const records = await store.audit(after, limit)
    return { ok: true, now: isoTime(now()), records: records.map((each) => ({ ...each, at: isoTime(each.at) })) }
  },
})
