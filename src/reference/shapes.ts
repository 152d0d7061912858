import type { Envelope } from '../http/refusal.ts'
import type { Schema } from '../http/schema.ts'

export type Json = Readonly<Record<string, unknown>>

/** None is called `Error`, which would hide JavaScript's own in a generated client. */
export const envelopeNames = {
  error: 'AuthError',
  status: 'StatusError',
  message: 'MessageError',
  ok: 'WorkerError',
} as const satisfies Record<Envelope, string>

/** Collects titled shapes as components, in order of first use. */
export function createShapes() {
  const found: Record<string, Json> = {}

  /** The schema in OpenAPI's form, with references for titled schemas. */
  function print(schema: Schema): Json {
    const { title, ...rest } = schema
    const shape = printParts(rest)
    if (title === undefined) return shape
    const { description, ...others } = shape
    const isObject = schema.type === 'object'
    add(title, isObject ? shape : others)
    return { $ref: refTo(title), ...(!isObject && description !== undefined && { description }) }
  }

  function add(name: string, shape: Json): void {
    const known = found[name]
    if (known && formOf(known) !== formOf(shape)) throw new Error(`Two different shapes are called ${name}`)
    found[name] ??= shape
  }

  function printParts(schema: Schema): Json {
    const { properties, items, anyOf, additionalProperties } = schema
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, print(part)])),
      }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: print(additionalProperties) }),
      ...(items && { items: print(items) }),
      ...(anyOf && { anyOf: anyOf.map(print) }),
    }
  }

  return { print, add, found }
}

export type Shapes = ReturnType<typeof createShapes>

export const refTo = (name: string) => `#/components/schemas/${name}`

/** Examples may differ. */
const formOf = (shape: Json) => JSON.stringify(shape, (key, value) => (key === 'examples' ? undefined : value))
