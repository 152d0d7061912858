import { renderError } from '../http/envelopes.ts'
import { STATUS_CODES } from '../http/node-http.ts'
import type { Envelope } from '../http/refusal.ts'
import type { ErrorView, ReplyView, RouteView, ServiceInput } from './model.ts'
import { envelopeNames, type Json, refTo, type Shapes } from './shapes.ts'

type ServiceHeaders = NonNullable<ServiceInput['headers']>

/** By status. */
export type Responses = Record<string, Json>

/** The responses of an operation, by status: its replies, its errors, and those of any path. */
export function printResponses(
  view: RouteView,
  anywhere: readonly ErrorView[],
  ofService: ServiceHeaders,
  shapes: Shapes,
): Responses {
  const all = [...view.errors, ...anywhere.filter(isPossible)]
  const statuses = new Set([...view.replies.map(({ spec }) => spec.status), ...all.map(({ status }) => status)])
  // Generators that find binary content read every reply as binary, including JSON beside it.
  const isBinary = view.replies.every(({ spec }) => !spec.schema)
  const print = (status: number): Json => {
    const replies = view.replies.filter(({ spec }) => spec.status === status)
    const errors = all.filter((error) => error.status === status)
    const notes = [...replies.map(({ spec }) => spec.description ?? STATUS_CODES[status] ?? ''), ...texts(errors)]
    const headers = { ...ownHeaders(replies, shapes), ...headersOf(errors), ...headerRefs(ofService, status) }
    // JSON first: many generators take the first type.
    const content = { ...jsonContent(replies, errors, shapes), ...otherContent(replies, isBinary) }
    return {
      description: notes.join('; '),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(Object.keys(content).length > 0 && { content }),
    }
  }
  return Object.fromEntries([...statuses].toSorted((a, b) => a - b).map((status) => [status, print(status)]))
}

/** The 404 for an unmatched path belongs to no operation. */
const isPossible = ({ status }: ErrorView) => status !== 404

const texts = (errors: readonly ErrorView[]) => [...new Set(errors.map(({ message }) => message))]

const otherContent = (replies: readonly ReplyView[], isBinary: boolean): Json =>
  Object.fromEntries(
    replies
      .flatMap(({ spec, types }) => (spec.schema ? types.slice(1) : types))
      .map((type) => [type, { schema: schemaOf(type, isBinary) }]),
  )

const schemaOf = (type: string, isBinary: boolean): Json =>
  type === 'application/json'
    ? { type: 'object' }
    : { type: 'string', ...(type === '*/*' && isBinary && { format: 'binary' }) }

function jsonContent(replies: readonly ReplyView[], errors: readonly ErrorView[], shapes: Shapes): Json {
  const envelopes = [...new Set(errors.map(({ envelope }) => envelope))]
  const schemas = [
    ...replies.flatMap(({ spec }) => (spec.schema ? [shapes.print(spec.schema)] : [])),
    ...envelopes.map((envelope) => envelopeRef(envelope, shapes)),
  ]
  if (schemas.length === 0) return {}
  const examples = Object.fromEntries([
    ...replies.filter(({ spec }) => spec.schema).map(({ example }) => ['reply', { value: example }]),
    ...errors.map((error) => [exampleName(error), { value: JSON.parse(error.body) }]),
  ])
  return { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas }, examples } }
}

const exampleName = ({ message, envelope }: ErrorView) =>
  `${message.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}-${envelope}`

const ownHeaders = (replies: readonly ReplyView[], shapes: Shapes): Json =>
  Object.fromEntries(
    replies.flatMap(({ spec }) =>
      Object.entries(spec.headers ?? {}).map(([name, schema]) => [name, { schema: shapes.print(schema) }]),
    ),
  )

const headersOf = (errors: readonly ErrorView[]): Json =>
  Object.fromEntries(
    errors.flatMap(({ headers }) =>
      Object.entries(headers).map(([name, value]) => [name, { schema: { type: 'string' }, example: value }]),
    ),
  )

/** On successes and 429, where programs look for them. */
const headerRefs = (headers: ServiceHeaders, status: number): Json =>
  status >= 400 && status !== 429
    ? {}
    : Object.fromEntries(
        Object.entries(headers)
          .filter(([, { status: only = status }]) => only === status)
          .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
      )

function envelopeRef(envelope: Envelope, shapes: Shapes): Json {
  const fields: Json = JSON.parse(renderError(envelope, 500, 'text', 'N/A'))
  const typeOf = (value: unknown) =>
    value === false ? { type: 'boolean', const: false } : { type: typeof value === 'number' ? 'integer' : typeof value }
  const name = envelopeNames[envelope]
  shapes.add(name, {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, typeOf(value)])),
    required: Object.keys(fields),
    additionalProperties: false,
  })
  return { $ref: refTo(name) }
}
