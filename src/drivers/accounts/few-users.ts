import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { UserFilter } from '../../accounts/directory.ts'
import { isUsernamePart } from '../../accounts/username.ts'
import type { Tables } from './database.ts'
import { termsWith } from './name-index.ts'
import { hasPart } from './name-parts.ts'

/**
 * Reading users at so many places takes half a second from a cold disk, which reads ahead to their neighbours; more of
 * them fill a page in its order. Accounts that a script registered, one after another, are many on few places.
 */
const maxPlaces = 3_000
const usersPerPlace = 128
const maxFew = 200_000
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
      const found = await size(longReads, sql`${withTerms} LIMIT ${maxFew + 1}`, sql`rowid / ${sql.lit(usersPerPlace)}`)
      if (found.count <= maxFew && found.places <= maxPlaces) return sql`users.rowid IN (${withTerms})`
    }
  }
  return banned === true ? sql`banned = 1` : null
}

async function size(longReads: Kysely<Tables>, query: RawBuilder<unknown>, place: RawBuilder<unknown>) {
  const numbers = sql<{ count: number; places: number }>`SELECT count(*) AS count, count(DISTINCT ${place}) AS places`
  const { rows } = await sql<{ count: number; places: number }>`${numbers} FROM (${query})`.execute(longReads)
  return rows[0] ?? { count: 0, places: 0 }
}
