import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { UserFilter } from '../../accounts/directory.ts'
import { isUsernamePart } from '../../accounts/username.ts'
import type { Tables } from './database.ts'
import { termsWith } from './name-index.ts'
import { hasPart } from './name-parts.ts'

/** Reading so many pages at random takes a third of a second from a cold disk; more users fill a page in its order. */
const maxPages = 3_000
const usersPerPage = 8
/** Registered one after another, so many users still are on so few pages. */
const maxFew = 30_000
const sampled = 1_000
const oftenInSample = 20

/**
 * For SQLite, whose planner knows no numbers: how to find the users that a filter can leave if they are few. Staff are,
 * and banned users have an index that covers all orders. Other roles are most users.
 */
export async function fewUsers(
  longReads: Kysely<Tables>,
  { role, banned, part }: UserFilter,
): Promise<RawBuilder<boolean> | null> {
  if (role !== undefined && role !== 'user') return sql`role <> 'user'`
  if (part !== undefined && isUsernamePart(part)) {
    const names = sql`SELECT username_key FROM users ORDER BY created_at, id LIMIT ${sampled}`
    // Nothing to look up for a part that many names have: the index would merge all their terms.
    const sample = sql`SELECT 1 FROM (${names}) WHERE ${hasPart(part.toLowerCase())}`
    const withTerms = sql`SELECT rowid FROM name_parts WHERE name_parts MATCH ${termsWith(part.toLowerCase())}`
    if ((await size(longReads, sample, sql`1`)).count < oftenInSample) {
      const found = await size(longReads, sql`${withTerms} LIMIT ${maxFew + 1}`, sql`rowid / ${usersPerPage}`)
      if (found.count <= maxFew && found.pages <= maxPages) return sql`users.rowid IN (${withTerms})`
    }
  }
  return banned === true ? sql`banned = 1` : null
}

async function size(longReads: Kysely<Tables>, query: RawBuilder<unknown>, page: RawBuilder<unknown>) {
  const numbers = sql<{ count: number; pages: number }>`SELECT count(*) AS count, count(DISTINCT ${page}) AS pages`
  const { rows } = await sql<{ count: number; pages: number }>`${numbers} FROM (${query})`.execute(longReads)
  return rows[0] ?? { count: 0, pages: 0 }
}
