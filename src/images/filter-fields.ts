import { choice, type Field, flag, flagAs, parsed } from '../http/fields.ts'
import type { Refusal } from '../http/refusal.ts'
import { integer } from '../http/schema.ts'
import { errors } from './errors.ts'
import { orientations } from './shapes/choices.ts'
import { readTags } from './tags.ts'

/** However many digits it has: no image is so large that the number would not be exact. */
const readSide = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)

const minSide = (invalid: Refusal, side: string): Field<number | undefined> => ({
  schema: integer({ minimum: 0, description: `Only images of at least this ${side}, in pixels as displayed` }),
  invalid,
  read: readSide,
})

/** An image of unknown shape matches none of the first four. */
export const filterFields = {
  orientation: choice(orientations, errors.badOrientation, {
    description: 'Only images of this orientation, as displayed',
  }),
  animated: flag(errors.badAnimated, { description: 'Only animated images, or only those that are not' }),
  minWidth: minSide(errors.badMinWidth, 'width'),
  minHeight: minSide(errors.badMinHeight, 'height'),
  tags: parsed(readTags, {
    invalid: errors.badTags,
    description: 'Only images that have all of these tags, separated by commas',
    examples: ['night,snow'],
  }),
  without: parsed(readTags, {
    invalid: errors.badWithout,
    description: 'Only images that have none of these tags, separated by commas',
    examples: ['drawing'],
  }),
}

export const metaField = flagAs(
  integer({
    minimum: 0,
    maximum: 1,
    default: 0,
    description:
      '1: adds `width`, `height`, `mime` and `animated`, as read from the first bytes of the file, `color` and `thumbhash` if they are known, and the details that are set',
  }),
  errors.badMeta,
)
