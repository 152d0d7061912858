import { fields, type ReadBy, strict } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { array, boolean, integer, literal, object, oneOf } from '../http/schema.ts'
import { type Catalogue, faults } from './catalogue.ts'
import { type BaseUrl, describeImage, descriptor } from './descriptor.ts'
import { errors } from './errors.ts'
import type { Kind, Kinds } from './kinds.ts'
import { cursorField, defaultPageSize, limitField, nextCursor } from './list-images.ts'
import { keyOf, parseKey } from './names.ts'
import type { ImageParts } from './parts.ts'

interface SetAsideDeps extends Pick<ImageParts, 'catalogue' | 'kinds'> {
  readonly baseUrl: BaseUrl
  readonly imagesOnly: boolean
}

export const setAsideFields = strict(
  fields({
    limit: limitField,
    cursor: cursorField,
  }),
)

export const setAsidePage = object(
  {
    status: literal(200),
    imagesOnly: boolean({ description: '`CHOOSE_IMAGES_ONLY`; if false, nothing is set aside', examples: [true] }),
    count: integer({ minimum: 0, description: 'All objects that are set aside', examples: [1] }),
    objects: array(
      object(
        {
          image: descriptor,
          fault: oneOf(faults, {
            title: 'ImageFault',
            description:
              '`bytes`: the first bytes are not those of a known type of image. `type`: the stored type is not `image/*`',
          }),
        },
        { title: 'SetAsideObject' },
      ),
      { description: 'Sorted by name' },
    ),
    next: nextCursor,
  },
  { title: 'SetAsidePage' },
)

/** Sorted by name. */
export function listSetAside(
  { catalogue, kinds, baseUrl, imagesOnly }: SetAsideDeps,
  { limit = defaultPageSize, cursor }: ReadBy<typeof setAsideFields>,
) {
  const after = cursor === undefined ? null : (readCursor(kinds, cursor) ?? refuse(errors.badCursor))
  const sorted = [...kinds].sort()
  const found = []
  for (const kind of sorted.filter((each) => after === null || each >= after.kind)) {
    const from = kind === after?.kind ? after.filename : ''
    const some = catalogue.setAside(kind, from, limit + 1 - found.length)
    found.push(...some.map(({ entry, fault }) => ({ kind, entry, fault })))
  }
  const last = found[limit - 1]
  return {
    status: 200,
    imagesOnly,
    count: countSetAside(catalogue, sorted),
    objects: found.slice(0, limit).map(({ fault, ...choice }) => ({ image: describeImage(baseUrl, choice), fault })),
    next: last && found.length > limit ? writeCursor(last.kind, last.entry.filename) : null,
  }
}

const countSetAside = (catalogue: Pick<Catalogue, 'countSetAside'>, kinds: readonly Kind[]) =>
  kinds.reduce((sum, kind) => sum + catalogue.countSetAside(kind), 0)

const writeCursor = (kind: Kind, filename: string) => Buffer.from(keyOf(kind, filename)).toString('base64url')

function readCursor(kinds: Kinds, text: string) {
  const image = parseKey(kinds, Buffer.from(text, 'base64url').toString())
  return image && writeCursor(image.kind, image.filename) === text ? image : null
}
