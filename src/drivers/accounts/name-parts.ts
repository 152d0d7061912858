import { sql } from 'kysely'

/* Conditions on names, for a part that a name can have, in lower case. */

/** LIKE with its own signs escaped. */
export const hasPart = (part: string) =>
  sql<boolean>`username_key LIKE ${`%${part.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`

/**
 * For the trigram index of PostgreSQL: two characters are none, but are with each that can precede them, which only a
 * regular expression says. LIKE comes first, since it is faster where the index is not used; coalesce lets the planner
 * count only one of the two, for they select the same rows.
 */
export const hasPartByTrigrams = (part: string) =>
  part.length === 2
    ? sql<boolean>`(coalesce(${hasPart(part)}, false) AND username_key ~ ${`(^|[a-z0-9._-])${part.replaceAll('.', '\\.')}`})`
    : hasPart(part)
