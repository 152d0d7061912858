import { renderError } from '../http/envelopes.ts'
import { STATUS_CODES } from '../http/node-http.ts'
import type { Envelope } from '../http/refusal.ts'
import type { Route, Upload } from '../http/route.ts'
import type { Schema } from '../http/schema.ts'
import type { ErrorView, GroupView, HeaderInput, Reference, ReplyView, RouteView } from './model.ts'
import { aboutField } from './rows.ts'
import { paramSchema } from './samples/call.ts'

type Json = Readonly<Record<string, unknown>>
type ServiceHeaders = Readonly<Record<string, HeaderInput>>

/** The API as OpenAPI 3.1, without the worker, which has another address. */
export function printOpenapi(model: Reference): string {
  const service = model.groups[0]?.service
  const groups = model.groups.filter((group) => group.service === service)
  const anywhere = model.anywhere.find((one) => one.service === service)?.errors ?? []
  const paths: Record<string, Record<string, Json>> = {}
  for (const group of groups) {
    for (const view of group.routes) {
      paths[view.path] = { ...paths[view.path], [view.route.method.toLowerCase()]: operation(view, group, anywhere) }
    }
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: model.title,
      version: model.version,
      summary: model.summary,
      description: `${model.summary}\n\nThe full reference is at \`/docs\`.`,
      license: { name: model.license, identifier: model.license },
      contact: { name: model.author },
    },
    servers: [{ url: service?.base ?? '/', description: 'This service' }],
    tags: groups.map(({ title, description }) => ({ name: title, description: description || title })),
    paths,
    components: {
      schemas: envelopesIn(JSON.stringify(paths)),
      ...(service?.headers && { headers: headersOfService(service.headers) }),
      securitySchemes: { accessToken: accessToken(model) },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const accessToken = ({ token }: Reference) => ({
  type: 'http',
  scheme: 'bearer',
  bearerFormat: token.format,
  description: token.description,
})

function operation(view: RouteView, group: GroupView, anywhere: readonly ErrorView[]): Json {
  const { route, access } = view
  const parameters = [...view.params.map(({ name }) => pathParameter(name, route)), ...queryParameters(view)]
  return {
    operationId: operationId(view),
    tags: [group.title],
    summary: route.summary,
    description: `${route.description ?? `${route.summary}.`}\n\nAccess: ${access.label}.`,
    security: access.needsToken ? [{ accessToken: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(view.bodyExample && { requestBody: requestBody(view) }),
    ...(route.upload && { requestBody: uploadBody(route.upload) }),
    responses: responses(view, anywhere, group.service.headers ?? {}),
  }
}

/** `GET /auth/me` becomes getAuthMe. */
function operationId({ route }: RouteView): string {
  const names = (route.path === '/' ? 'root' : route.path).split(/[^A-Za-z0-9]+/).filter((name) => name !== '')
  return route.method.toLowerCase() + names.map((name) => name.slice(0, 1).toUpperCase() + name.slice(1)).join('')
}

const pathParameter = (name: string, route: Route) => ({
  name,
  in: 'path',
  required: true,
  schema: paramSchema(route, name),
})

/** The description says what OpenAPI cannot express: that one of two parameters is required. */
const queryParameters = ({ route, query }: RouteView) =>
  query.map((row) => {
    const { description: _, ...schema } = route.query?.fields[row.name]?.schema ?? {}
    const description = aboutField(row)
    return { name: row.name, in: 'query', required: row.required, ...(description && { description }), schema }
  })

function requestBody({ route, body, bodyExample, bodyLimit }: RouteView): Json {
  const entries = Object.entries(route.body?.fields ?? {})
  const either = route.body?.either?.names.map((name) => ({ required: [name] }))
  const required = body.filter((row) => row.required).map(({ name }) => name)
  return {
    description: `At most ${bodyLimit}. Unknown fields are ignored.`,
    required: required.length > 0 || either !== undefined,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(([name, field]) => [name, field.schema])),
          ...(required.length > 0 && { required }),
          ...(either && { anyOf: either }),
        },
        example: bodyExample,
      },
    },
  }
}

const uploadBody = ({ types, description }: Upload): Json => ({
  description,
  required: true,
  content: { [types]: { schema: { type: 'string', format: 'binary' } } },
})

function responses(view: RouteView, anywhere: readonly ErrorView[], headers: ServiceHeaders): Json {
  const errors = [...view.errors, ...anywhere.filter(isPossible)]
  const statuses = new Set([...view.replies.map(({ spec }) => spec.status), ...errors.map(({ status }) => status)])
  const replyOf = (status: number) => view.replies.filter(({ spec }) => spec.status === status)
  return Object.fromEntries(
    [...statuses]
      .toSorted((a, b) => a - b)
      .map((status) => [
        status,
        response(
          status,
          replyOf(status),
          errors.filter((error) => error.status === status),
          headers,
        ),
      ]),
  )
}

/** The 404 of an unmatched path belongs to no operation. */
const isPossible = ({ status }: ErrorView) => status !== 404

function response(
  status: number,
  replies: readonly ReplyView[],
  errors: readonly ErrorView[],
  ofService: ServiceHeaders,
): Json {
  const notes = [...replies.map(({ spec }) => spec.description ?? STATUS_CODES[status] ?? ''), ...texts(errors)]
  const headers = { ...headersOf(errors), ...headerRefs(ofService, status) }
  return {
    description: notes.join('; '),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...contentOf({ ...otherContent(replies), ...jsonContent(replies, errors) }),
  }
}

const texts = (errors: readonly ErrorView[]) => [...new Set(errors.map(({ message }) => message))]

const contentOf = (content: Json): Json => (Object.keys(content).length > 0 ? { content } : {})

const otherContent = (replies: readonly ReplyView[]): Json =>
  Object.fromEntries(
    replies
      .flatMap(({ types }) => types)
      .filter((type) => type !== 'application/json')
      .map((type) => [type, { schema: { type: 'string' } }]),
  )

function jsonContent(replies: readonly ReplyView[], errors: readonly ErrorView[]): Json {
  const schemas = [
    ...replies.flatMap(({ spec }): (Schema | Json)[] => (spec.schema ? [spec.schema] : [])),
    ...[...new Set(errors.map(({ envelope }) => envelope))].map((envelope) => ({ $ref: refOf(envelope) })),
  ]
  if (schemas.length === 0) return {}
  const examples = Object.fromEntries([
    ...replies.filter(({ spec }) => spec.schema).map(({ example }) => ['reply', { value: example }]),
    ...errors.map((error) => [exampleName(error), { summary: error.message, value: JSON.parse(error.body) }]),
  ])
  return { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas }, examples } }
}

const exampleName = ({ message, envelope }: ErrorView) =>
  `${message.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}-${envelope}`

const headersOf = (errors: readonly ErrorView[]): Json =>
  Object.fromEntries(
    errors.flatMap(({ headers }) =>
      Object.entries(headers).map(([name, value]) => [name, { schema: { type: 'string' }, example: value }]),
    ),
  )

const headersOfService = (headers: ServiceHeaders): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, { description, example }]) => [
      name,
      { description, schema: { type: 'string' }, example },
    ]),
  )

/** On successes and 429, where a program looks for them. */
const headerRefs = (headers: ServiceHeaders, status: number): Json =>
  status >= 400 && status !== 429
    ? {}
    : Object.fromEntries(
        Object.entries(headers)
          .filter(([, { status: only = status }]) => only === status)
          .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
      )

const schemaNames = {
  error: 'Error',
  status: 'StatusError',
  message: 'MessageError',
  ok: 'OkError',
} as const satisfies Record<Envelope, string>

const refOf = (envelope: Envelope) => `#/components/schemas/${schemaNames[envelope]}`

function envelopesIn(paths: string): Json {
  const all = Object.keys(schemaNames) as Envelope[]
  const used = all.filter((envelope) => paths.includes(`"${refOf(envelope)}"`))
  return Object.fromEntries(used.map((envelope) => [schemaNames[envelope], envelopeSchema(envelope)]))
}

function envelopeSchema(envelope: Envelope): Json {
  const fields: Json = JSON.parse(renderError(envelope, 500, 'text', 'N/A'))
  const typeOf = (value: unknown) => ({ type: typeof value === 'number' ? 'integer' : typeof value })
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, typeOf(value)])),
    required: Object.keys(fields),
    additionalProperties: false,
  }
}
