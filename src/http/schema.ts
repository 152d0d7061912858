/**
 * JSON Schema as plain values that carry their TypeScript type: check, type and documentation in one. Covers only what
 * we use; typebox does more, but takes 10 MB and 60 ms at start.
 */
export interface Schema<T = unknown> {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null'
  /** The name of this shape in the OpenAPI document. */
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly (string | number)[]
  readonly const?: string | number | boolean
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  /** Phantom: carries the type. */
  readonly _type?: T
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never
type Shape = Readonly<Record<string, Schema>>
type Options = Partial<Omit<Schema, 'type' | '_type'>>

export const string = (options: Options = {}): Schema<string> => ({ type: 'string', ...options })
export const integer = (options: Options = {}): Schema<number> => ({ type: 'integer', ...options })
export const number = (options: Options = {}): Schema<number> => ({ type: 'number', ...options })
export const boolean = (options: Options = {}): Schema<boolean> => ({ type: 'boolean', ...options })
export const timestamp = (options: Options = {}): Schema<string> => ({
  type: 'string',
  format: 'date-time',
  ...options,
})

export const literal = <const T extends string | number | boolean>(value: T, options: Options = {}): Schema<T> => ({
  type: typeof value === 'string' ? 'string' : typeof value === 'number' ? 'integer' : 'boolean',
  const: value,
  ...options,
})

export const oneOf = <const T extends readonly string[]>(values: T, options: Options = {}): Schema<T[number]> => ({
  type: 'string',
  enum: values,
  ...options,
})

export const nullable = <T>(schema: Schema<T>): Schema<T | null> => ({ anyOf: [schema, { type: 'null' }] })
export const array = <T>(items: Schema<T>, options: Options = {}): Schema<T[]> => ({ type: 'array', items, ...options })

export const object = <const S extends Shape>(
  properties: S,
  options: Options = {},
): Schema<{ [K in keyof S]: TypeOf<S[K]> }> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...options,
})

export const record = <T>(values: Schema<T>, options: Options = {}): Schema<Record<string, T>> => ({
  type: 'object',
  additionalProperties: values,
  ...options,
})

const isoTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The first mismatch, as a path and what was expected; null if the value matches. */
export function mismatch(schema: Schema, value: unknown, path = 'value'): string | null {
  if (schema.anyOf) {
    return schema.anyOf.some((option) => mismatch(option, value, path) === null)
      ? null
      : `${path}: matches no alternative`
  }
  if (!hasType(schema, value)) return `${path}: expected ${schema.type}`
  if (schema.const !== undefined && value !== schema.const) return `${path}: expected ${schema.const}`
  if (schema.enum && !schema.enum.includes(value as string)) return `${path}: expected one of ${schema.enum.join(', ')}`
  if (typeof value === 'string') return stringMismatch(schema, value, path)
  if (typeof value === 'number') {
    const within = value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity)
    return within ? null : `${path}: out of range`
  }
  if (Array.isArray(value))
    return first(value.map((item, index) => schema.items && mismatch(schema.items, item, `${path}[${index}]`)))
  if (schema.type === 'object') return objectMismatch(schema, value as Record<string, unknown>, path)
  return null
}

function hasType(schema: Schema, value: unknown): boolean {
  switch (schema.type) {
    case undefined:
      return true
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === schema.type
  }
}

function stringMismatch(schema: Schema, value: string, path: string): string | null {
  if (value.length < (schema.minLength ?? 0)) return `${path}: shorter than ${schema.minLength}`
  // Counted in code points, as in JSON Schema.
  const { maxLength = Infinity } = schema
  if (value.length > maxLength && [...value].length > maxLength) return `${path}: longer than ${schema.maxLength}`
  if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value)) return `${path}: expected ${schema.pattern}`
  if (schema.format === 'date-time' && !isoTimestamp.test(value))
    return `${path}: expected an ISO 8601 timestamp in UTC with milliseconds`
  return null
}

function objectMismatch(schema: Schema, value: Record<string, unknown>, path: string): string | null {
  const properties = schema.properties ?? {}
  const missing = (schema.required ?? []).find((key) => !Object.hasOwn(value, key))
  if (missing !== undefined) return `${path}.${missing}: missing`
  return first(
    Object.entries(value).map(([key, item]) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
      if (property === false) return `${path}.${key}: not declared`
      return typeof property === 'object' ? mismatch(property, item, `${path}.${key}`) : null
    }),
  )
}

const first = (found: readonly (string | null | undefined)[]) => found.find((text) => typeof text === 'string') ?? null
