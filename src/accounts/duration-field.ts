import { duration } from '../config/formats.ts'
import type { Field } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { integer, type Schema, string } from '../http/schema.ts'

const maxSeconds = 3650 * 86_400

/** A lifetime: a duration as in the settings, or a number of seconds; with `mayBeNever` also `never`. */
export const lifetimeField = (
  invalid: Refusal,
  { mayBeNever = false, ...options }: Pick<Schema, 'description' | 'default'> & { readonly mayBeNever?: boolean },
): Field<string | number | undefined> => ({
  schema: {
    anyOf: [
      string({ pattern: mayBeNever ? '^(\\d{1,9}[smhd]|never)$' : '^\\d{1,9}[smhd]$' }),
      integer({ minimum: 1, maximum: maxSeconds }),
    ],
    ...options,
    examples: ['30d'],
  },
  invalid,
  empty: invalid,
  isStrict: true,
})

/** In milliseconds. */
export const readLifetime = (value: string | number, invalid: Refusal): number =>
  typeof value === 'number' ? value * 1000 : (duration.read(value) ?? refuse(invalid))
