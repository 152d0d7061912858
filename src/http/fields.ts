import { type Refusal, refuse } from './refusal.ts'
import { mismatch, type Schema, string } from './schema.ts'

/**
 * What a route reads from a body or a query. Each field says which refusal its absence and its bad form are.
 * A value that is not a string, and an empty string, count as absent; unknown fields are not looked at.
 */
export interface Field<T> {
  readonly schema: Schema<string>
  readonly absent?: Refusal
  readonly invalid?: Refusal
  /** Never set: it only carries the type. */
  readonly _type?: T
}

export interface Fields<T> {
  readonly fields: Readonly<Record<string, Field<unknown>>>
  /** Never set: it only carries the type. */
  readonly _type?: T
}

type Options = Omit<Schema<string>, '_type' | 'type'>

export const required = (absent: Refusal, options: Options & { invalid?: Refusal } = {}): Field<string> => {
  const { invalid, ...schema } = options
  return { schema: string(schema), absent, ...(invalid && { invalid }) }
}

export const optional = (options: Options & { invalid?: Refusal } = {}): Field<string | undefined> => {
  const { invalid, ...schema } = options
  return { schema: string(schema), ...(invalid && { invalid }) }
}

export function fields<const F extends Record<string, Field<unknown>>>(
  spec: F,
): Fields<{ [K in keyof F]: F[K] extends Field<infer T> ? T : never }> {
  return { fields: spec }
}

/** Absences first, in the order of the fields, then bad forms. */
export function readFields<T>(spec: Fields<T>, read: (name: string) => unknown): T {
  const values: Record<string, string> = {}
  for (const [name, field] of Object.entries(spec.fields)) {
    const value = read(name)
    if (typeof value === 'string' && value !== '') values[name] = value
    else if (field.absent) refuse(field.absent)
  }
  for (const [name, field] of Object.entries(spec.fields)) {
    const value = values[name]
    if (value !== undefined && field.invalid && mismatch(field.schema, value) !== null) refuse(field.invalid)
  }
  return values as T
}

export function fieldErrors(spec: Fields<unknown>): Refusal[] {
  const all = Object.values(spec.fields)
  return [...all.map((field) => field.absent), ...all.map((field) => field.invalid)].filter(
    (error) => error !== undefined,
  )
}
