import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiRoutes } from '../../src/api/routes.ts'
import { readConfig, textsOf } from '../../src/config/config.ts'
import { envelopeOf, fillIn, renderError } from '../../src/http/envelopes.ts'
import { errorsOf, type Route } from '../../src/http/route.ts'
import { object, string } from '../../src/http/schema.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { renderDocuments } from '../../src/reference/documents.ts'
import { referenceModel } from '../../src/reference/reference.ts'
import { createShapes } from '../../src/reference/shapes.ts'
import { printWorkerOpenapi } from '../../src/reference/worker.ts'

const config = readConfig({ MAINTAINER: 'Ada <ada> | "A"' })
const documents = renderDocuments(referenceModel(config))

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: { enum?: string[] } }[]
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

interface Response {
  readonly content: Record<string, { examples: Record<string, { value: unknown }> }>
}

/** By method and path, as a client may call it: once for each value of a parameter that lists its values. */
const operationsOf = (paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const listed = operation.parameters?.find((each) => each.in === 'path' && each.schema.enum)
      const called = listed?.schema.enum?.map((value) => path.replace(`{${listed.name}}`, value)) ?? [path]
      return called.map((each) => [`${method.toUpperCase()} ${each}`, operation] as const)
    }),
  )

test('the OpenAPI document has exactly the operations of the API, with each error text as an example', async () => {
  const { paths, components } = JSON.parse(await documents.openapi())
  const operations = operationsOf(paths)
  const responseOf = ({ responses }: Operation, status: number): Response | undefined => {
    const response = responses[status]
    if (!response || !('$ref' in response)) return response
    return components.responses[response.$ref.replace('#/components/responses/', '')] ?? assert.fail(response.$ref)
  }
  const nameOf = ({ method, path }: Route) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`
  assert.deepEqual(operations.map(([called]) => called).sort(), apiRoutes(builtInKinds).map(nameOf).sort())
  for (const route of apiRoutes(builtInKinds)) {
    const [, operation] = operations.find(([called]) => called === nameOf(route)) ?? assert.fail(nameOf(route))
    for (const error of errorsOf(route)) {
      const text = fillIn(error.message, textsOf(config))
      const body = renderError(envelopeOf(error, route, 'message'), error.status, text, 'N/A')
      const examples = responseOf(operation, error.status)?.content['application/json']?.examples ?? {}
      const bodies = Object.values(examples).map(({ value }) => JSON.stringify(value))
      assert.ok(bodies.includes(body), `${nameOf(route)}: ${body}`)
    }
  }
})

test('operation ids are unique, and every object that an OpenAPI document describes has a name', async () => {
  for (const text of [await documents.openapi(), printWorkerOpenapi(config)]) {
    const openapi = JSON.parse(text)
    const ids = Object.values<Record<string, { operationId: string }>>(openapi.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    assert.equal(new Set(ids).size, ids.length)
    for (const [, schema = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      assert.ok(openapi.components.schemas[schema], schema)
    assert.doesNotMatch(JSON.stringify(openapi.paths), /"properties":/)
    for (const { properties = {} } of Object.values<{ properties?: object }>(openapi.components.schemas))
      assert.doesNotMatch(JSON.stringify(properties), /"properties":\{"/)
  }
})

test('an error that several operations have is in the document once', async () => {
  for (const text of [await documents.openapi(), printWorkerOpenapi(config)]) {
    const { paths, components } = JSON.parse(text)
    const operations = Object.values<Record<string, Operation>>(paths).flatMap((path) => Object.values(path))
    const errors = operations
      .flatMap(({ responses }) => Object.entries(responses))
      .filter(([status]) => status >= '400')
    const inline = errors.filter(([, response]) => !('$ref' in response)).map((error) => JSON.stringify(error))
    assert.equal(new Set(inline).size, inline.length)
    const used = new Set(errors.flatMap(([, response]) => ('$ref' in response ? [response.$ref] : [])))
    assert.ok(used.size > 10 && used.size <= Object.keys(components.responses).length)
  }
})

test('no reply lists the kinds as its only values: a generated client would reject a kind that is added', async () => {
  const { paths, components } = JSON.parse(await documents.openapi())
  const schemas = new Set<string>()
  const reach = (part: unknown) => {
    const text = JSON.stringify(part)
    assert.doesNotMatch(text, /"enum":\[[^\]]*"fox"/)
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (schemas.has(name)) continue
      schemas.add(name)
      reach(components.schemas[name])
    }
  }
  for (const operations of Object.values<Record<string, Operation>>(paths))
    for (const { responses } of Object.values(operations)) reach(responses)
  assert.ok(schemas.has('KindList'))
})

test('two shapes of one name are refused', () => {
  const { print } = createShapes()
  print(object({ id: string({ examples: ['a'] }) }, { title: 'Thing' }))
  print(object({ id: string({ examples: ['b'] }) }, { title: 'Thing' }))
  assert.throws(() => print(object({ name: string() }, { title: 'Thing' })), /Thing/)
})

test('JSON comes first among the media types of a response, and is never declared beside binary content', async () => {
  const { paths } = JSON.parse(await documents.openapi())
  const { responses } = paths['/images/{kind}/random'].get
  assert.deepEqual(Object.keys(responses[200].content), ['application/json', 'text/plain', '*/*'])
  assert.doesNotMatch(JSON.stringify(responses), /"binary"/)
  assert.equal(paths['/i/{folder}/{filename}'].get.responses[200].content['*/*'].schema.format, 'binary')
})
