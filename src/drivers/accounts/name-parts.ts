import { sql } from 'kysely'

/* Conditions that a name contains a part. The part is lower case, and valid in a name. */

/** LIKE with its wildcards escaped. */
export const hasPart = (part: string) =>
  sql<boolean>`username_key LIKE ${`%${part.replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`

/**
 * For PostgreSQL's trigram index: two characters are no trigram, but become one with each character that can precede
 * them, which only a regular expression can express. LIKE comes first, since it is faster if the index is not used.
 * Both select the same rows; coalesce makes the planner count only one of them.
 */
export const hasPartByTrigrams = (part: string) =>
  part.length === 2
    ? sql<boolean>`(coalesce(${hasPart(part)}, false) AND username_key ~ ${`(^|[a-z0-9._-])${part.replaceAll('.', '\\.')}`})`
    : hasPart(part)
