import { type Field, fields, flagAs, optional, type ReadBy, titled } from '../http/fields.ts'
import type { Refusal } from '../http/refusal.ts'
import { refuse } from '../http/refusal.ts'
import { array, oneOf, string } from '../http/schema.ts'
import type { Kind, Kinds } from '../images/kinds.ts'
import { type Period, periodOf, periods } from '../images/period.ts'
import { type Orientation, orientations } from '../images/shapes/choices.ts'
import { readTags, tagPattern } from '../images/tags.ts'
import { lifetimeField, readLifetime } from './duration-field.ts'
import { errors } from './errors.ts'
import { passwordAgainField } from './password-again.ts'

const defaultTtl = '365d'
export const repeats = ['yes', 'no'] as const

/** The body of POST /auth/embed. */
export const linkFields = (kinds: Kinds) => {
  const known = oneOf([...kinds])
  const kind: Field<Kind | undefined> = { schema: known, invalid: errors.badKind, isStrict: true }
  const several: Field<readonly Kind[] | string | undefined> = {
    schema: {
      anyOf: [array(known), string()],
      description: 'A list, or names separated by commas; every image of these kinds is equally likely',
      examples: [['fox', 'bird']],
    },
    invalid: errors.badKinds,
    isStrict: true,
  }
  const ttl = lifetimeField(errors.badTtl, {
    description: 'How long the link lives: a duration such as `12h` or `30d`, or a number of seconds',
    default: defaultTtl,
  })
  const repeat: Field<boolean | undefined> = {
    ...flagAs(
      oneOf([...repeats], {
        description: '`no`: the link shows every image of a kind once before it repeats any',
        default: 'yes',
      }),
      errors.badRepeat,
    ),
    isStrict: true,
  }
  const orientation: Field<Orientation | undefined> = {
    schema: oneOf(orientations, { description: 'Only images of this orientation, as displayed; by default all' }),
    invalid: errors.badOrientation,
    isStrict: true,
  }
  const tagList = (those: string, invalid: Refusal): Field<readonly string[] | string | undefined> => ({
    schema: {
      anyOf: [array(string({ pattern: tagPattern })), string()],
      description: `Only images that have ${those} of these tags: a list, or tags separated by commas`,
      examples: [['snow']],
    },
    invalid,
    isStrict: true,
  })
  const tags = tagList('all', errors.badTags)
  const without = tagList('none', errors.badWithout)
  const per: Field<Period['per'] | undefined> = {
    schema: oneOf(periods, {
      description: 'The link shows everybody the same image until the next hour, day or week (from Monday)',
    }),
    invalid: errors.badPer,
    isStrict: true,
  }
  const tz = optional({
    description: 'With `per`: the time zone in which days begin at midnight; UTC by default',
    examples: ['Europe/Berlin'],
    invalid: errors.badTz,
    isStrict: true,
  })
  return titled(
    'EmbedLinkTerms',
    fields(
      { kind, kinds: several, ttl, repeat, orientation, tags, without, per, tz, password: passwordAgainField },
      { names: ['kind', 'kinds'], absent: errors.kindRequired },
    ),
  )
}

export function readNewLink(
  { kind, kinds, ttl = defaultTtl, repeat, ...terms }: ReadBy<ReturnType<typeof linkFields>>,
  known: Kinds,
) {
  if (kind !== undefined && kinds !== undefined) refuse(errors.kindAndKinds)
  const names = kinds ?? [kind as Kind]
  const wanted = new Set(typeof names === 'string' ? names.split(',').map((name) => name.trim()) : names)
  if (wanted.size === 0 || !wanted.isSubsetOf(known)) refuse(errors.badKinds)
  const ttlMs = readLifetime(ttl, errors.badTtl)
  const period = periodOf(terms)
  if (period !== null && repeat !== undefined) refuse(errors.perAndRepeat)
  const { orientation = null, tags = [], without = [] } = terms
  const filter = {
    orientation,
    tags: readTags(tags) ?? refuse(errors.badTags),
    without: readTags(without) ?? refuse(errors.badWithout),
  }
  return { kinds: [...wanted], isRepeating: repeat !== false, ...filter, period, ttlMs }
}
