import { sql } from 'kysely'
import type { PagePosition } from '../../accounts/directory.ts'

/** The condition for keyset pagination: rows beyond this position. */
export function isBeyond(column: string, { value, id }: PagePosition, descending: boolean) {
  const sign = sql.raw(descending ? '<' : '>')
  const by = sql.ref(column)
  return column === 'username_key'
    ? sql<boolean>`${by} ${sign} ${value}`
    : sql<boolean>`(${by}, id) ${sign} (${value}, ${id})`
}
