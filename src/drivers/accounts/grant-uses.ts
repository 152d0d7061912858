import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { GrantUse } from '../../accounts/counts.ts'
import { dayOf } from '../../lib/timestamps.ts'
import { allUsers, type Database, integer, type Tables, text } from './database.ts'
import { lockRows } from './transactions.ts'

/** Adds uses to the keys and to the days of their users. The counters of the same batch have created those days. */
export async function addKeyUses(
  trx: Kysely<Tables>,
  database: Pick<Database, 'rowsOf' | 'holdRows'>,
  uses: readonly GrantUse[],
): Promise<void> {
  const { rowsOf } = database
  await lockRows(trx, database, 'api_keys', new Set(uses.map(({ grantId }) => grantId)))
  await sql`UPDATE api_keys SET
    requests = api_keys.requests + used.requests,
    last_used_at = CASE WHEN api_keys.last_used_at > used.at THEN api_keys.last_used_at ELSE used.at END
    FROM ${usedIn(rowsOf(sumsOf(uses)))} WHERE api_keys.id = used.id`.execute(trx)

  const ofUsers = uses.flatMap((use) => [use, { ...use, userId: allUsers }])
  const byDay = Map.groupBy(ofUsers, ({ userId, at }) => `${dayOf(at)} ${userId}`)
  const days = [...byDay].sort().map(([key, all]) => [...key.split(' '), sumOf(all)])
  await sql`UPDATE usage SET keys = usage.keys + used.requests
    FROM (SELECT ${text(0)} AS day, ${text(1)} AS user_id, ${integer(2)} AS requests
      FROM ${rowsOf(JSON.stringify(days))}) AS used
    WHERE usage.day = used.day AND usage.user_id = used.user_id`.execute(trx)
}

/** Writes a link or session at most once a minute. The users are locked. */
export async function addLastUses(
  trx: Kysely<Tables>,
  { rowsOf }: Pick<Database, 'rowsOf'>,
  table: 'embed_links' | 'sessions',
  uses: readonly GrantUse[],
): Promise<void> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  await sql`UPDATE ${sql.table(table)} SET last_used_at = used.at FROM ${usedIn(rowsOf(sumsOf(uses)))}
    WHERE ${column('id')} = used.id AND coalesce(${column('last_used_at')} < used.at, true)`.execute(trx)
}

/** The id, requests and last use of each grant. */
const sumsOf = (uses: readonly GrantUse[]) =>
  JSON.stringify(
    [...Map.groupBy(uses, ({ grantId }) => grantId)].map(([id, all]) => [
      id,
      sumOf(all),
      Math.max(...all.map(({ at }) => at)),
    ]),
  )

const usedIn = (sums: RawBuilder<unknown>) =>
  sql`(SELECT ${text(0)} AS id, ${integer(1)} AS requests, ${integer(2)} AS at FROM ${sums}) AS used`

const sumOf = (uses: readonly GrantUse[]) => uses.reduce((sum, { requests }) => sum + requests, 0)
