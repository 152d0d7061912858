import { fields, optional, type ReadBy, wholeNumber } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { array, integer, literal, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Catalogue } from './catalogue.ts'
import type { Choice } from './choose.ts'
import { type BaseUrl, describeImage, describeWithShape, descriptor } from './descriptor.ts'
import { errors, maxPageSize } from './errors.ts'
import type { Kind } from './kinds.ts'
import { isFilename } from './names.ts'
import { metaField, shapeFields } from './shape-fields.ts'
import { filterOf } from './shapes/classes.ts'

export const defaultPageSize = 50

export const kindList = (kinds: readonly Kind[]) =>
  object(
    {
      status: literal(200),
      kinds: array(
        object(
          {
            kind: oneOf(kinds, { title: 'ImageKind' }),
            count: integer({ minimum: 0, description: 'Images', examples: [4] }),
            bytes: integer({ minimum: 0, description: 'Total size', examples: [30_118] }),
            newest: nullable(timestamp({ description: 'When the newest was stored; null if there is none' })),
          },
          { title: 'KindSummary' },
        ),
      ),
    },
    { title: 'KindList' },
  )

export const imagePage = object(
  {
    status: literal(200),
    images: array(descriptor),
    next: nullable(string({ description: 'The `cursor` of the next page; null on the last' })),
  },
  { title: 'ImagePage' },
)

export const limitField = (description: string) =>
  wholeNumber(errors.badLimit, { minimum: 1, maximum: maxPageSize, default: defaultPageSize, description })

export const pageFields = fields({
  limit: limitField('Images per page'),
  cursor: optional({ description: 'The `next` of the previous page' }),
  ...shapeFields,
  meta: metaField,
})

export function listKinds(catalogue: Catalogue, kinds: readonly Kind[]) {
  const summaries = kinds.map((kind) => {
    const { count, bytes, newest } = catalogue.summary(kind)
    return { kind, count, bytes, newest: newest === null ? null : isoTime(newest) }
  })
  return { status: 200, kinds: summaries }
}

/** Keyset pagination by file name: images added or removed between two pages shift no others. */
export function listImages(
  catalogue: Catalogue,
  baseUrl: BaseUrl,
  kind: Kind,
  { limit = defaultPageSize, cursor, meta, ...terms }: ReadBy<typeof pageFields>,
) {
  const found = catalogue.page(kind, cursor === undefined ? '' : readCursor(cursor), limit + 1, filterOf(terms))
  const describe = (choice: Choice) =>
    meta === 1 ? describeWithShape(baseUrl, catalogue, choice) : describeImage(baseUrl, choice)
  const images = found.slice(0, limit)
  const last = images.at(-1)
  return {
    status: 200,
    images: images.map((entry) => describe({ kind, entry })),
    next: last && found.length > limit ? writeCursor(last.filename) : null,
  }
}

const writeCursor = (filename: string) => Buffer.from(filename).toString('base64url')

function readCursor(text: string): string {
  const filename = Buffer.from(text, 'base64url').toString()
  return isFilename(filename) && writeCursor(filename) === text ? filename : refuse(errors.badCursor)
}
