import { readWholeNumber, readYesNo } from '../lib/read-text.ts'
import { protocolErrors } from './errors.ts'
import { type Refusal, Refused, refuse } from './refusal.ts'
import { boolean, integer, mismatch, oneOf, type Schema, string } from './schema.ts'

/**
 * A field that a route reads from a body or query, with the refusals for a missing and an invalid value. An empty
 * value, or one that is not a string, counts as missing; unknown fields are ignored, except `strays`.
 */
export interface Field<T> {
  readonly schema: Schema
  readonly absent?: Refusal
  readonly invalid?: Refusal
  /** Refuses an empty string, which otherwise counts as missing. */
  readonly empty?: Refusal
  /** Two different values in a query are invalid; otherwise the first value counts. */
  readonly isUnanimous?: boolean
  /** Parses the text; undefined means invalid. Without it the text itself is checked against the schema. */
  readonly read?: (text: string) => unknown
  /** A value that is not a string is invalid rather than missing; 'null too' includes null. */
  readonly isStrict?: boolean | 'null too'
  /** Phantom: carries the type. */
  readonly _type?: T
}

/** Fields of which at least one is required; the first one counts. */
export interface Either {
  readonly names: readonly string[]
  readonly absent: Refusal
}

/** Undeclared field names that are refused rather than ignored. */
export interface Strays {
  /** Its message may contain the name, as `<PARAMETER>`. */
  readonly refusal: Refusal
  isStray(name: string): boolean
}

export interface Fields<T> {
  /** The name of this shape in the OpenAPI document. */
  readonly title?: string
  readonly fields: Readonly<Record<string, Field<unknown>>>
  readonly either?: Either
  readonly strays?: Strays
  /** Nothing is required. */
  readonly isOptional: boolean
  /** Phantom: carries the type. */
  readonly _type?: T
}

type Options = Omit<Schema, '_type' | 'type'>
type FieldOptions = Options & Pick<Field<unknown>, 'invalid' | 'empty' | 'isStrict'>

const field = <T>(
  make: (options: Options) => Schema,
  { invalid, empty, isStrict, ...options }: FieldOptions,
): Field<T> => ({
  schema: make(options),
  ...(invalid && { invalid }),
  ...(empty && { empty }),
  ...(isStrict && { isStrict }),
})

export const required = (absent: Refusal, options: FieldOptions = {}): Field<string> => ({
  ...field(string, options),
  absent,
})

export const requiredChoice = <const T extends readonly string[]>(
  values: T,
  absent: Refusal,
  invalid: Refusal,
  options: Options = {},
): Field<T[number]> => ({ schema: oneOf(values, options), absent, invalid })

export const optional = (options: FieldOptions = {}): Field<string | undefined> => field(string, options)

/** A field that `read` parses; undefined means invalid. */
export const parsed = <T>(
  read: (text: string) => T | undefined,
  options: FieldOptions & { readonly invalid: Refusal },
): Field<T | undefined> => ({ ...field(string, options), read })

export const wholeNumber = (
  invalid: Refusal,
  options: Options & { minimum: number; maximum: number },
): Field<number | undefined> => ({
  schema: integer(options),
  invalid,
  read: readWholeNumber(options.minimum, options.maximum),
})

export const choice = <const T extends readonly string[]>(
  values: T,
  invalid: Refusal,
  options: Options = {},
): Field<T[number] | undefined> => ({ schema: oneOf(values, options), invalid })

/** `true`, `1` or `yes`; `false`, `0` or `no`. `schema` documents the usual pair of them. */
export const flagAs = (schema: Schema, invalid: Refusal): Field<boolean | undefined> => ({
  schema,
  invalid,
  read: readYesNo,
})

export const flag = (invalid: Refusal, options: Options = {}) => flagAs(boolean(options), invalid)

export type ValuesOf<F> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** What these fields read. */
export type ReadBy<F> = F extends Fields<infer T> ? T : never

export function fields<const F extends Record<string, Field<unknown>>>(spec: F, either?: Either): Fields<ValuesOf<F>> {
  const isOptional = !either && Object.values(spec).every(({ absent }) => !absent)
  return { fields: spec, isOptional, ...(either && { either }) }
}

/** The same fields, named in the OpenAPI document. */
export const titled = <T>(title: string, spec: Fields<T>): Fields<T> => ({ ...spec, title })

/** The same fields, but these other names are refused. */
export const refusing = <T>(strays: Strays, spec: Fields<T>): Fields<T> => ({ ...spec, strays })

/** The same fields, but every other name is refused. */
export const strict = <T>(spec: Fields<T>): Fields<T> =>
  refusing({ refusal: protocolErrors.unknownParameter, isStray: () => true }, spec)

const nothing = Object.freeze({})

/** The last query that each route parsed: most requests repeat it. */
const lastQueries = new WeakMap<Fields<unknown>, { readonly search: string; readonly values: unknown }>()

export function readQuery<T>(spec: Fields<T>, search: string): T {
  if (search === '' && spec.isOptional) return nothing as T
  const last = lastQueries.get(spec)
  if (last?.search === search) return last.values as T
  const values = parseQuery(spec, search)
  lastQueries.set(spec, { search, values: Object.freeze(values) })
  return values
}

function parseQuery<T>(spec: Fields<T>, search: string): T {
  // It would strip a question mark of the first name.
  const params = new URLSearchParams(`?${search}`)
  for (const [name, { isUnanimous, invalid }] of Object.entries(spec.fields))
    if (isUnanimous && invalid && new Set(params.getAll(name)).size > 1) refuse(invalid)
  return readFields(spec, (name) => params.get(name) ?? undefined, params.keys())
}

/**
 * Refuses in this order: stray names, empty values, a missing `either`, missing fields in their order, invalid values.
 * `names` lists every name that is present.
 */
export function readFields<T>(spec: Fields<T>, read: (name: string) => unknown, names: Iterable<string> = []): T {
  if (spec.strays) refuseStrays(spec.fields, spec.strays, names)
  const given: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(spec.fields)) {
    const value = read(name)
    if (value === '' && field.empty) refuse(field.empty)
    if (isGiven(field, value)) given[name] = value
  }
  const { either } = spec
  if (either && !either.names.some((name) => Object.hasOwn(given, name))) refuse(either.absent)
  for (const [name, { absent }] of Object.entries(spec.fields))
    if (absent && !Object.hasOwn(given, name)) refuse(absent)
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given))
    values[name] = readValue(spec.fields[name] as Field<unknown>, value)
  return values as T
}

function refuseStrays(known: Fields<unknown>['fields'], { refusal, isStray }: Strays, names: Iterable<string>): void {
  for (const name of names)
    if (!Object.hasOwn(known, name) && isStray(name)) throw new Refused(refusal, {}, { PARAMETER: shown(name) })
}

const maxShownLength = 64
/**
 * The name goes into the response, the log and the audit, whose database rejects NUL and lone surrogates. A long run of
 * letters and digits may be a misplaced secret.
 */
const shown = (name: string) =>
  name
    .replace(/[\w-]{25,}/g, '...')
    .slice(0, maxShownLength)
    .replace(/[^\x20-\x7e]/g, '?')

/** A flag without a value counts as present but invalid. */
const isGiven = ({ isStrict, schema }: Field<unknown>, value: unknown) =>
  (value !== '' || schema.type === 'boolean') &&
  (isStrict ? value !== undefined && (value !== null || isStrict === 'null too') : typeof value === 'string')

function readValue({ schema, invalid, read }: Field<unknown>, value: unknown): unknown {
  if (value === null && mismatch(schema, null) === null) return null
  const found = read ? (typeof value === 'string' ? read(value) : undefined) : value
  if (invalid && (found === undefined || (!read && mismatch(schema, found) !== null))) refuse(invalid)
  return found
}

export function fieldErrors({ fields: spec, either, strays }: Fields<unknown>): Refusal[] {
  const all = Object.values(spec)
  return [
    strays?.refusal,
    ...all.map((field) => field.empty),
    either?.absent,
    ...all.map((field) => field.absent),
    ...all.map((field) => field.invalid),
  ].filter((error) => error !== undefined)
}
