import { choice, type Field, fields, type ReadBy, requiredChoice } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { array, string } from '../http/schema.ts'
import { errors } from './errors.ts'
import { badStatuses } from './periods.ts'
import * as schemas from './schemas.ts'
import { readable, strictField, timeField } from './terms.ts'
import { type OpeningTerms, stages, type UpdateTerms } from './written-incidents.ts'

/* Fields of the worker's bodies about incidents, which the API's bodies share. */

const maxTitleLength = 100
const maxTextLength = 2_000
const maxComponents = 200

const textOf = (maxLength: number, invalid: Refusal, example: string): Field<string> => ({
  schema: string({ maxLength, examples: [example] }),
  invalid,
  absent: invalid,
  empty: invalid,
  isStrict: true,
  read: (text) => (text.length <= maxLength && text.trim() !== '' ? readable(text).trim() : undefined),
})

const components = strictField<readonly string[]>(
  array(schemas.params.componentId, {
    description: 'Those that it affects; none: the service as a whole',
    examples: [['api', 'database']],
  }),
  errors.badAffected,
)
const text = textOf(maxTextLength, errors.badUpdateText, 'A disk has failed. We are replacing it.')

export const openingTerms = fields({
  title: textOf(maxTitleLength, errors.badTitle, 'Slow uploads'),
  level: requiredChoice(badStatuses, errors.badLevel, errors.badLevel),
  components,
  stage: choice(stages, errors.badStage, { description: '`investigating` by default' }),
  text,
  from: timeField('When it began: now by default, at most 31 days ago'),
})

export const updateTerms = fields({
  stage: requiredChoice(stages, errors.badStage, errors.badStage),
  text,
  level: choice(badStatuses, errors.badLevel),
  components,
})

const distinct = (ids: readonly string[]): readonly string[] => {
  const unique = [...new Set(ids)]
  return unique.length <= maxComponents ? unique : refuse(errors.badAffected)
}

export const openingOf = ({ stage, components, from, ...terms }: ReadBy<typeof openingTerms>): OpeningTerms => ({
  ...terms,
  stage: stage ?? 'investigating',
  components: distinct(components ?? []),
  from: from ?? null,
})

export const updateOf = ({ stage, text, level, components }: ReadBy<typeof updateTerms>): UpdateTerms => ({
  stage,
  text,
  level,
  components: components && distinct(components),
})
