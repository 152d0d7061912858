import type { Route, Upload } from '../http/route.ts'
import type { Schema } from '../http/schema.ts'
import { limitList } from './limit-rows.ts'
import type { ErrorView, GroupView, RouteView } from './model.ts'
import { printResponses, type Responses } from './openapi-responses.ts'
import { aboutField } from './rows.ts'
import { paramSchema } from './samples/call.ts'
import type { Json, Shapes } from './shapes.ts'

export interface Operation extends Json {
  readonly responses: Responses
}

/** One route as an operation. */
export function printOperation(
  view: RouteView,
  group: GroupView,
  anywhere: readonly ErrorView[],
  shapes: Shapes,
): Operation {
  const { route, access } = view
  const parameters = [...view.params.map(({ name }) => pathParameter(name, route)), ...queryParameters(view)]
  const description = [route.description ?? `${route.summary}.`, `Access: ${access.label}.`, ...limitList(view.limits)]
  return {
    operationId: route.operationId,
    tags: [group.title],
    summary: route.summary,
    description: description.join('\n\n'),
    security: [...(access.needsToken ? [{ accessToken: [] }] : []), ...(access.takesKeys ? [{ apiKey: [] }] : [])],
    ...(parameters.length > 0 && { parameters }),
    // fetch, in browsers and Node, cannot send a GET with a body.
    ...(view.bodyExample && route.method !== 'GET' && { requestBody: requestBody(view, shapes) }),
    ...(route.upload && { requestBody: uploadBody(route.upload) }),
    responses: printResponses(view, anywhere, group.service.headers ?? {}, shapes),
  }
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

function requestBody({ route, body, bodyExample, bodyLimit }: RouteView, shapes: Shapes): Json {
  const { fields = {}, either, title = `${capital(route.operationId)}Request` } = route.body ?? {}
  const required = body.filter((row) => row.required).map(({ name }) => name)
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]))
  const objectWith = (names: readonly string[]): Schema => ({
    type: 'object',
    properties,
    ...(names.length > 0 && { required: names }),
  })
  // Whole objects, since generators cannot handle an alternative that is only `required`.
  const shape = either ? { anyOf: either.names.map((name) => objectWith([name, ...required])) } : objectWith(required)
  return {
    description: `At most ${bodyLimit}. Unknown fields are ignored.`,
    required: required.length > 0 || either !== undefined,
    content: {
      'application/json': {
        schema: shapes.print({ title, ...shape }),
        example: bodyExample,
      },
    },
  }
}

const capital = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1)

/** A concrete type comes first: generated clients send the first one as is. */
const uploadBody = ({ types, example, description, isRequired }: Upload): Json => ({
  description,
  required: isRequired,
  content: Object.fromEntries([example, types].map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
})
