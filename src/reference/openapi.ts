import type { GroupView, HeaderInput, Reference, ServiceInput } from './model.ts'
import { type Operation, printOperation } from './openapi-operation.ts'
import { printJson } from './print-json.ts'
import { createShapes, type Json } from './shapes.ts'
import { shareResponses } from './share-responses.ts'

export type Described = Pick<
  Reference,
  'title' | 'version' | 'summary' | 'license' | 'author' | 'groups' | 'anywhere'
> & { readonly token: Reference['token'] | null }

/** A service as OpenAPI 3.1: the first of the model. */
export function printOpenapi(model: Described, more = 'The full reference is at `/docs`.'): string {
  const { service } = model.groups[0] as GroupView
  const groups = model.groups.filter((group) => group.service === service)
  const anywhere = model.anywhere.find((one) => one.service === service)?.errors ?? []
  const shapes = createShapes()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const group of groups) {
    for (const view of group.routes) {
      const operation = printOperation(view, group, anywhere, shapes)
      paths[view.path] = { ...paths[view.path], [view.route.method.toLowerCase()]: operation }
    }
  }
  const responses = shareResponses(Object.values(paths).flatMap((operations) => Object.values(operations)))
  const document = {
    openapi: '3.1.0',
    info: {
      title: model.title,
      version: model.version,
      summary: model.summary,
      description: `${model.summary}\n\n${more}`,
      license: { name: model.license, identifier: model.license },
      contact: { name: model.author },
    },
    servers: [{ url: service.base, description: 'This service' }],
    tags: groups.map(({ title, description }) => ({ name: title, description: description || title })),
    paths,
    components: {
      schemas: shapes.found,
      responses,
      ...headersOf(service),
      ...(model.token && { securitySchemes: { accessToken: accessToken(model.token), apiKey } }),
    },
  }
  // Responses, parameters and properties have a line each: below them, indentation would be a third of the document.
  return `${printJson(document, 5)}\n`
}

const accessToken = ({ format, description }: Reference['token']) => ({
  type: 'http',
  scheme: 'bearer',
  bearerFormat: format,
  description,
})

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: 'The `key` of `POST /auth/keys`. It may also be sent as a bearer token.',
}

const printHeader = ({ description, example }: HeaderInput) => ({ description, schema: { type: 'string' }, example })

const headersOf = ({ headers }: ServiceInput): Json =>
  headers
    ? { headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, printHeader(header)])) }
    : {}
