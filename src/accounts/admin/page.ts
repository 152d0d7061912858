import { optional, wholeNumber } from '../../http/fields.ts'
import { type Cursor, writeCursor } from './cursor.ts'
import { errors } from './errors.ts'
import { defaultPageSize, maxPageSize } from './limits.ts'

export const limitField = wholeNumber(errors.badLimit, { minimum: 1, maximum: maxPageSize, default: defaultPageSize })
export const cursorField = optional({ description: 'The `next` value of the previous page' })

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
