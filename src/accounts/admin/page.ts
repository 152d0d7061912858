import { optional, wholeNumber } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { isId } from '../../lib/ids.ts'
import type { PagePosition } from '../directory.ts'
import { isUsername } from '../username.ts'
import { errors } from './errors.ts'
import { defaultPageSize, maxPageSize } from './limits.ts'

export const { badCursor } = errors
export const limitField = wholeNumber(errors.badLimit, { minimum: 1, maximum: maxPageSize, default: defaultPageSize })
export const cursorField = optional({ description: 'The `next` of the previous page' })

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** Pagination: `found` has one row more than the limit if there is a next page. */
export function pageOf<Row>(found: readonly Row[], limit: number, cursorOf: (last: Row) => Cursor): Page<Row> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: found.length > limit && last ? writeCursor(cursorOf(last)) : null }
}

/** An opaque cursor: the position where a page ended, and its sort order. */
export interface Cursor extends PagePosition {
  readonly sort: string
}

export const writeCursor = ({ sort, value, id }: Cursor): string =>
  Buffer.from(JSON.stringify([sort, value, id])).toString('base64url')

/** Refuses a cursor that this service did not write, or wrote for a different order. */
export function readCursor(text: string, sorts: readonly string[]): Cursor {
  const [sort, value, id, ...more] = parts(text)
  const isValue =
    typeof sort === 'string' && /username$/.test(sort)
      ? typeof value === 'string' && isUsername(value)
      : Number.isSafeInteger(value)
  if (sorts.includes(sort as string) && isValue && typeof id === 'string' && isId(id) && more.length === 0) {
    const cursor = { sort, value, id } as Cursor
    if (writeCursor(cursor) === text) return cursor
  }
  refuse(errors.badCursor)
}

function parts(text: string): unknown[] {
  try {
    const found: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}
