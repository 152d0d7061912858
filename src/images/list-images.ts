import { choice, fields, optional, type ReadBy, wholeNumber } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { array, integer, literal, nullable, object, string, timestamp } from '../http/schema.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type Catalogue, type CatalogueEntry, type PagePosition, type Sort, sorts } from './catalogue.ts'
import { describeImage, descriptor } from './descriptor.ts'
import { type DescribeDeps, describeAll } from './details/describe.ts'
import { errors, maxPageSize, maxQuery } from './errors.ts'
import { filterOf } from './filter.ts'
import { filterFields, metaField } from './filter-fields.ts'
import type { Kind } from './kinds.ts'
import { isFilename } from './names.ts'
import { whenCompiled } from './selection.ts'
import { sizeFields } from './sizes/size.ts'
import type { Sizes } from './sizes/sizes.ts'

export const defaultPageSize = 50

export const kindList = (kinds: readonly Kind[]) =>
  object(
    {
      status: literal(200),
      kinds: array(
        object(
          {
            // Open: kinds are added without a new version.
            kind: string({ examples: [...kinds.slice(0, 1)] }),
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

export const cursorField = optional({ description: 'The `next` of the previous page' })
export const nextCursor = nullable(string({ description: 'The `cursor` of the next page; null on the last' }))

export const imagePage = object(
  {
    status: literal(200),
    images: array(descriptor),
    next: nextCursor,
  },
  { title: 'ImagePage' },
)

export const limitField = wholeNumber(errors.badLimit, { minimum: 1, maximum: maxPageSize, default: defaultPageSize })

export const pageFields = (hasSizes: boolean) =>
  fields({
    limit: limitField,
    sort: choice(sorts, errors.badSort, {
      default: 'name',
      description: '`newest`: by `lastModified`, the newest first. A `cursor` continues its own order',
    }),
    cursor: cursorField,
    q: optional({
      maxLength: maxQuery,
      invalid: errors.badQuery,
      description: 'Only images with this text in their filename or in one of their tags, in upper or lower case',
      examples: ['snow'],
    }),
    ...filterFields,
    meta: metaField,
    ...sizeFields(hasSizes),
  })

interface ListDeps extends DescribeDeps {
  readonly sizes: Pick<Sizes, 'sizeOf'> | null
}

export function listKinds(catalogue: Catalogue, kinds: readonly Kind[]) {
  const summaries = kinds.map((kind) => {
    const { count, bytes, newest } = catalogue.summary(kind)
    return { kind, count, bytes, newest: newest === null ? null : isoTime(newest) }
  })
  return { status: 200, kinds: summaries }
}

/** Keyset pagination: images added or removed between two pages do not shift the others. */
export function listImages(
  deps: ListDeps,
  kind: Kind,
  { limit = defaultPageSize, cursor, sort: wanted, q, meta, ...terms }: ReadBy<ReturnType<typeof pageFields>>,
) {
  const { catalogue, baseUrl, sizes } = deps
  const size = sizes?.sizeOf(terms) ?? null
  const after = cursor === undefined ? null : readCursor(cursor, wanted)
  const sort = after?.sort ?? wanted ?? 'name'
  const filter = filterOf(terms)
  const text = q?.toLowerCase() ?? null
  const reply = (found: readonly CatalogueEntry[]) => {
    const choices = found.slice(0, limit).map((entry) => ({ kind, entry }))
    const last = choices.at(-1)?.entry
    const next = last && found.length > limit ? writeCursor({ ...last, sort }) : null
    if (meta === true) return describeAll(deps, choices, size).then((images) => ({ status: 200, images, next }))
    return { status: 200, images: choices.map((choice) => describeImage(baseUrl, choice, size)), next }
  }
  if (filter !== null || text !== null)
    return whenCompiled(catalogue, { of: [kind], filter }, () =>
      catalogue.matching(kind, filter, { sort, after, limit: limit + 1, text }).then(reply),
    )
  const isByName = sort === 'name'
  return reply(
    isByName ? catalogue.page(kind, after?.filename ?? '', limit + 1) : catalogue.newest(kind, after, limit + 1),
  )
}

interface Cursor extends PagePosition {
  readonly sort: Sort
}

/** No file name contains a slash. */
const writeCursor = ({ sort, filename, modified }: Cursor) =>
  Buffer.from(sort === 'name' ? filename : `${modified}/${filename}`).toString('base64url')

/** Refuses a cursor that this service did not write, or wrote for a different order. */
function readCursor(text: string, wanted: Sort | undefined): Cursor {
  const parts = Buffer.from(text, 'base64url').toString().split('/')
  const filename = parts.at(-1) as string
  const modified = parts.length > 1 ? Number(parts[0]) : 0
  const cursor: Cursor = { sort: parts.length > 1 ? 'newest' : 'name', filename, modified }
  const isOurs = isFilename(filename) && Number.isSafeInteger(modified) && writeCursor(cursor) === text
  return isOurs && (wanted ?? cursor.sort) === cursor.sort ? cursor : refuse(errors.badCursor)
}
