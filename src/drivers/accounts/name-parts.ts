import { sql } from 'kysely'

/* Conditions that a name contains a part. The part is lower case, and valid in a name. */

/** LIKE with its wildcards escaped. */
export const hasPart = (part: string) =>
  sql<boolean>`username_key LIKE ${`%${part.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`

const maxNameLength = 32

/** For PostgreSQL: the pairs of characters in a name, and its last one. Its trigrams skip other signs than letters. */
export const pairsOf = (name: string) => {
  const pairs = Array.from({ length: maxNameLength }, (_, at) => `substr(${name}, ${at + 1}, 2)`)
  return `array_to_tsvector(array_remove(ARRAY[${pairs.join(', ')}], ''))`
}
const pairs = sql.raw(pairsOf('username_key'))

/**
 * Finds two characters by the index of pairs, and more by the trigram index. LIKE comes first, since it is faster if
 * the index is not used. Both select the same rows; coalesce makes the planner count only one of them.
 */
export const hasPartByPairs = (part: string) =>
  part.length === 2
    ? sql<boolean>`(coalesce(${hasPart(part)}, false) AND ${pairs} @@ ${`'${part}'`}::tsquery)`
    : hasPart(part)
