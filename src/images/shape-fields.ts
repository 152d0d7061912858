import { choice, type Field, flag, flagAs } from '../http/fields.ts'
import type { Refusal } from '../http/refusal.ts'
import { integer } from '../http/schema.ts'
import { errors } from './errors.ts'
import { orientations } from './shapes/choices.ts'

/** However many digits it has: no image is so large that the number would not be exact. */
const readSide = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)

const minSide = (invalid: Refusal, side: string): Field<number | undefined> => ({
  schema: integer({ minimum: 0, description: `Only images of at least this ${side}, in pixels as displayed` }),
  invalid,
  read: readSide,
})

/** An image of unknown shape matches none of these. */
export const shapeFields = {
  orientation: choice(orientations, errors.badOrientation, {
    description: 'Only images of this orientation, as displayed',
  }),
  animated: flag(errors.badAnimated, { description: 'Only animated images, or only those that are not' }),
  minWidth: minSide(errors.badMinWidth, 'width'),
  minHeight: minSide(errors.badMinHeight, 'height'),
}

export const metaField = flagAs(
  integer({
    minimum: 0,
    maximum: 1,
    default: 0,
    description:
      '1: adds `width`, `height`, `mime` and `animated`, as read from the first bytes of the file, and the details that are set',
  }),
  errors.badMeta,
)
