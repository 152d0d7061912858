import { fields, parsed, type ReadBy } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { array, integer, literal, object, string } from '../http/schema.ts'
import { isPromise } from '../lib/maybe-promise.ts'
import type { Catalogue } from './catalogue.ts'
import { errors } from './errors.ts'
import type { Kind, Kinds } from './kinds.ts'
import { cursorField, defaultPageSize, limitField, nextCursor } from './list-images.ts'
import { readKinds } from './random.ts'
import { inTime } from './selection.ts'
import { isTag, tagPattern } from './tags.ts'

export const tagFields = (kinds: Kinds) =>
  fields({
    kinds: parsed((text) => readKinds(kinds, text), {
      invalid: errors.badKinds,
      description: 'Comma-separated; only images of these kinds are counted. All kinds by default',
      examples: ['fox,bird'],
    }),
    limit: limitField,
    cursor: cursorField,
  })

export const tagPage = object(
  {
    status: literal(200),
    tags: array(
      object(
        {
          tag: string({ pattern: tagPattern, examples: ['snow'] }),
          count: integer({ minimum: 1, description: 'Images that have it', examples: [12] }),
        },
        { title: 'TagCount' },
      ),
      { description: 'The most frequent first' },
    ),
    next: nextCursor,
  },
  { title: 'TagPage' },
)

interface TagCount {
  readonly tag: string
  readonly count: number
}

/** The most frequent first, equally frequent ones by name. */
const order = (one: TagCount, other: TagCount) => other.count - one.count || (one.tag < other.tag ? -1 : 1)

/** A page of the tags of these kinds. Sorts all of them, which takes 5 ms for 10,000 different ones. */
export async function listTags(
  catalogue: Pick<Catalogue, 'tagCounts'>,
  kinds: readonly Kind[],
  { limit = defaultPageSize, cursor, kinds: of = kinds }: ReadBy<ReturnType<typeof tagFields>>,
) {
  const after = cursor === undefined ? null : readCursor(cursor)
  const all = new Map<string, number>()
  for (const kind of of) {
    const ofKind = catalogue.tagCounts(kind)
    for (const [tag, count] of isPromise(ofKind) ? await inTime(ofKind) : ofKind)
      all.set(tag, (all.get(tag) ?? 0) + count)
  }
  const counts = Array.from(all, ([tag, count]) => ({ tag, count }))
  const rest = after === null ? counts : counts.filter((each) => order(after, each) < 0)
  const tags = rest.sort(order).slice(0, limit)
  const last = tags.at(-1)
  return { status: 200, tags, next: last && rest.length > limit ? writeCursor(last) : null }
}

const writeCursor = ({ tag, count }: TagCount) => Buffer.from(`${count}/${tag}`).toString('base64url')

function readCursor(text: string): TagCount {
  const [count, tag = ''] = Buffer.from(text, 'base64url').toString().split('/')
  const cursor = { tag, count: Number(count) }
  return isTag(tag) && Number.isSafeInteger(cursor.count) && writeCursor(cursor) === text
    ? cursor
    : refuse(errors.badCursor)
}
