import { type RawBuilder, sql } from 'kysely'
import type { PagePosition } from '../../accounts/directory.ts'

/** The condition for keyset pagination: rows beyond this position. `by`: how to write a column. */
export function isBeyond(
  by: (column: string) => RawBuilder<unknown>,
  column: string,
  { value, id }: PagePosition,
  descending: boolean,
) {
  const sign = sql.raw(descending ? '<' : '>')
  return column === 'username_key'
    ? sql<boolean>`${by(column)} ${sign} ${value}`
    : sql<boolean>`(${by(column)}, ${by('id')}) ${sign} (${value}, ${id})`
}
