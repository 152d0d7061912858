import { type Field, fields, parsed, type ReadBy } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { array, nullable, type Schema, string } from '../http/schema.ts'
import { readTimestamp } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import * as schemas from './schemas.ts'

/* Fields of the worker's bodies, which the API's bodies share. */

/** PostgreSQL stores neither NUL nor lone surrogates; other control characters are unreadable. */
export const readable = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd')

/** Refused also if it is empty, or of another type. */
export const strictField = <T>(schema: Schema, invalid: Refusal): Field<T | undefined> => ({
  schema,
  invalid,
  empty: invalid,
  isStrict: true,
})

/** Where the next page begins. */
export const cursorField = <T>(read: (text: string) => T | undefined, invalid: Refusal) =>
  parsed(read, { invalid, description: 'The `next` of the previous page' })

export const maxTextLength = 500

/** A short text from a sender. */
export const shortText = (
  invalid: Refusal,
  options: Pick<Parameters<typeof string>[0] & {}, 'description' | 'examples'>,
): Field<string | undefined> => ({
  schema: string({ ...options, maxLength: maxTextLength }),
  invalid,
  isStrict: true,
  read: (text) => (text.length <= maxTextLength ? readable(text) : undefined),
})

export const timeField = (description: string) => ({
  ...parsed(readTimestamp, {
    invalid: errors.badTime,
    empty: errors.badTime,
    description,
    examples: ['2026-06-01T12:00:00Z'],
  }),
  isStrict: true,
})

const maxComponents = 1_000
export const bodyLimitBytes = 131_072

const components = strictField<readonly string[]>(
  array(schemas.params.componentId, { examples: [['backup', 'database']] }),
  errors.badComponents,
)
const windowText = shortText(errors.badText, { examples: ['Moving to the new disks'] })
const from = timeField('Now by default')
const until = timeField('At most 31 days after `from`')

export const windowFields = { components, from, until, text: windowText }
export const maintenanceChanges = fields({
  components,
  from: timeField('When it begins'),
  until,
  text: {
    ...windowText,
    schema: nullable({ ...windowText.schema, description: 'Null removes it' }),
    isStrict: 'null too',
  } satisfies Field<string | null | undefined>,
})
export const maintenanceTerms = fields({
  ...windowFields,
  components: { ...components, absent: errors.badComponents },
  until: { ...until, absent: errors.badTime },
})

export function listOf(ids: readonly string[]): readonly string[] {
  const unique = [...new Set(ids)]
  return unique.length > 0 && unique.length <= maxComponents ? unique : refuse(errors.badComponents)
}

export const maintenanceOf = ({ components, from, until, text }: ReadBy<typeof maintenanceTerms>) => ({
  components: listOf(components ?? []),
  ...(from !== undefined && { from }),
  until: until ?? refuse(errors.badTime),
  text: text ?? null,
})

export const announcementTerms = fields({
  text: {
    ...shortText(errors.badText, { examples: ['The photographs of the zoo arrive on Monday'] }),
    absent: errors.badText,
    empty: errors.badText,
  },
  from: timeField('Now by default'),
  until: timeField('By default it has no end'),
})

export const announcementOf = ({ text, from, until }: ReadBy<typeof announcementTerms>) => ({
  text: text?.trim() || refuse(errors.badText),
  ...(from !== undefined && { from }),
  until: until ?? null,
})
