import { refuse } from '../../http/refusal.ts'
import { isId } from '../../lib/ids.ts'
import type { PagePosition } from '../directory.ts'
import { isUsername } from '../username.ts'
import { errors } from './errors.ts'

/** An opaque cursor: the position where a page ended, and its sort order. */
export interface Cursor extends PagePosition {
  readonly sort: string
}

export const writeCursor = ({ sort, value, id }: Cursor): string =>
  Buffer.from(JSON.stringify([sort, value, id])).toString('base64url')

/** Refuses a cursor that this service did not write, or wrote for another order. */
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
