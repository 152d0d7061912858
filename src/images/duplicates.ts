import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReadBy } from '../http/fields.ts'
import { fields, parsed, strict } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { array, integer, literal, object, string } from '../http/schema.ts'
import { isMd5 } from './checksum.ts'
import { describeImage, descriptor } from './descriptor.ts'
import { errors } from './errors.ts'
import { cursorField, defaultPageSize, limitField, nextCursor } from './list-images.ts'
import { keyOf } from './names.ts'
import type { ObjectRef } from './object-store.ts'
import type { ImageParts } from './parts.ts'
import type { RandomDeps } from './random.ts'

/** Images shown of one group. */
const maxShown = 100
/** Groups handled per turn of the event loop. */
const groupsPerTurn = 50
/** More than one, since some may be hidden. */
const maxOthers = 10

export const duplicateFields = strict(
  fields({
    limit: limitField,
    cursor: cursorField,
    md5: parsed((text) => (isMd5(text) ? text.toLowerCase() : undefined), {
      invalid: errors.badMd5,
      description: 'Only the images with these bytes, even if there is only one; checking first can save an upload',
      examples: ['9b2cf535f27731c974343645a3985328'],
    }),
  }),
)

export const duplicatePage = object(
  {
    status: literal(200),
    duplicates: array(
      object(
        {
          etag: string({ description: 'The MD5 of their bytes', examples: ['9b2cf535f27731c974343645a3985328'] }),
          size: integer({ minimum: 1, description: 'Size of each, in bytes', examples: [7421] }),
          count: integer({ minimum: 1, description: 'Images with these bytes; 1 only with `md5`', examples: [2] }),
          images: array(descriptor, { description: `Sorted by name; at most ${maxShown}` }),
        },
        { title: 'Duplicate' },
      ),
    ),
    next: nextCursor,
  },
  { title: 'DuplicatePage' },
)

/** Groups of images with equal bytes, sorted by MD5. */
export async function listDuplicates(
  { catalogue, baseUrl }: Pick<RandomDeps, 'catalogue' | 'baseUrl'>,
  { limit = defaultPageSize, cursor = '', md5: only }: ReadBy<typeof duplicateFields>,
) {
  const group = (md5: string, min: number) => {
    const { count, some } = catalogue.copies(md5, maxShown)
    const [first] = some
    if (first === undefined || count < min) return null
    const images = some.map((each) => describeImage(baseUrl, each)).sort((a, b) => (a.name < b.name ? -1 : 1))
    return { etag: md5, size: first.entry.size, count, images }
  }
  if (cursor !== '' && !isMd5(cursor)) refuse(errors.badCursor)
  const found: NonNullable<ReturnType<typeof group>>[] = []
  if (only !== undefined)
    return { status: 200, duplicates: [group(only, 1)].filter((each) => each !== null), next: null }
  let looked = 0
  for (const md5s of catalogue.repeatedMd5s(cursor.toLowerCase())) {
    for (const md5 of md5s) {
      if (++looked % groupsPerTurn === 0) await nextTurn()
      const copies = group(md5, 2)
      if (copies === null) continue
      if (found.length === limit) return { status: 200, duplicates: found, next: found.at(-1)?.etag ?? null }
      found.push(copies)
    }
    await nextTurn()
  }
  return { status: 200, duplicates: found, next: null }
}

/** The name of another image with these bytes; null if none is known. */
export function duplicateOf(
  { catalogue, bucket, log }: Pick<ImageParts, 'catalogue' | 'bucket' | 'log'>,
  ref: ObjectRef,
  md5: string,
): string | null {
  if (ref.bucket !== bucket) return null
  try {
    const names = catalogue.copies(md5, maxOthers).some.map(({ kind, entry }) => keyOf(kind, entry.filename))
    return names.find((name) => name !== ref.name) ?? null
  } catch (error) {
    log.warn({ err: error }, 'could not look for images with the bytes of an upload')
    return null
  }
}
