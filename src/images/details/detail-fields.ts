import { type Field, fields, refusing, titled } from '../../http/fields.ts'
import type { Refusal } from '../../http/refusal.ts'
import { refuse } from '../../http/refusal.ts'
import { array, nullable, object, string } from '../../http/schema.ts'
import { errors } from '../errors.ts'
import { maxTags, readTags, tagPattern } from '../tags.ts'
import { type DetailValues, detailNames, maxLengths, readDetail, type TextName, textNames } from './details.ts'

interface Meaning {
  readonly description: string
  readonly example: string
  readonly invalid: Refusal
}

const meanings: Record<TextName, Meaning> = {
  alt: {
    description: 'What the image shows, for those who cannot see it',
    example: 'A fox at dusk',
    invalid: errors.badAlt,
  },
  title: { description: 'Its title', example: 'Dusk', invalid: errors.badTitle },
  artist: { description: 'Who made it', example: 'Ada', invalid: errors.badArtist },
  source: {
    description: 'Where it is from: an http or https URL',
    example: 'https://example.org/dusk',
    invalid: errors.badSource,
  },
  license: { description: 'The terms of its use', example: 'CC BY 4.0', invalid: errors.badLicense },
}

const forTexts = <T>(of: (name: TextName) => T) =>
  Object.fromEntries(textNames.map((name) => [name, of(name)])) as Record<TextName, T>

const textOf = (name: TextName) =>
  string({ maxLength: maxLengths[name], description: meanings[name].description, examples: [meanings[name].example] })
const tags = array(string({ pattern: tagPattern, examples: ['dusk'] }), { description: `At most ${maxTags}` })

/** Of a descriptor. */
export const shownDetails = {
  ...forTexts(textOf),
  tags,
}

export const detailsSchema = object(shownDetails, {
  title: 'ImageDetails',
  required: [],
  description: 'Only those that are set',
})

/** A value of the wrong type is invalid rather than missing, and so is an empty text. */
const change = (name: TextName): Field<string | null | undefined> => ({
  schema: nullable(textOf(name)),
  invalid: meanings[name].invalid,
  empty: meanings[name].invalid,
  isStrict: 'null too',
})

export const changeFields = titled(
  'ImageDetailsChange',
  refusing(
    { refusal: errors.unknownDetail, isStray: () => true },
    fields(
      {
        ...forTexts(change),
        tags: {
          schema: nullable(tags),
          invalid: errors.badTags,
          empty: errors.badTags,
          isStrict: 'null too',
        } as Field<readonly string[] | null | undefined>,
      },
      { names: detailNames, absent: errors.detailsRequired },
    ),
  ),
)

type Given = Partial<Record<TextName, string | null | undefined>> & {
  readonly tags?: readonly string[] | null | undefined
}

/** Refuses what is invalid, in the order of the fields. */
export function readChange(given: Given): DetailValues {
  const values: { -readonly [Name in keyof DetailValues]: DetailValues[Name] } = {}
  for (const name of textNames) {
    const text = given[name]
    if (text !== undefined)
      values[name] = text === null ? null : (readDetail(name, text) ?? refuse(meanings[name].invalid))
  }
  if (given.tags !== undefined) values.tags = readTags(given.tags ?? []) ?? refuse(errors.badTags)
  return values
}
