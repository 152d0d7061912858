import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { KeyUse } from '../../accounts/key-uses.ts'
import { dayOf } from '../../lib/timestamps.ts'
import { type Database, everybody, integer, type Tables, text } from './database.ts'

/** Adds uses to the keys, and to the days of their users, which the counters of the same batch have made. */
export async function addKeyUses(
  trx: Kysely<Tables>,
  { rowsOf, holdRows }: Pick<Database, 'rowsOf' | 'holdRows'>,
  uses: readonly KeyUse[],
): Promise<void> {
  const byKey = [...Map.groupBy(uses, ({ keyId }) => keyId)].map(([keyId, all]) => [
    keyId,
    sumOf(all),
    Math.max(...all.map(({ at }) => at)),
  ])
  if (holdRows) await hold(trx, rowsOf(JSON.stringify(byKey)), holdRows)
  await sql`UPDATE api_keys SET
    requests = api_keys.requests + used.requests,
    last_used_at = CASE WHEN api_keys.last_used_at > used.at THEN api_keys.last_used_at ELSE used.at END
    FROM (SELECT ${text(0)} AS id, ${integer(1)} AS requests, ${integer(2)} AS at
      FROM ${rowsOf(JSON.stringify(byKey))}) AS used WHERE api_keys.id = used.id`.execute(trx)

  const ofUsers = uses.flatMap((use) => [use, { ...use, userId: everybody }])
  const byDay = Map.groupBy(ofUsers, ({ userId, at }) => `${dayOf(at)} ${userId}`)
  const days = [...byDay].sort().map(([key, all]) => [...key.split(' '), sumOf(all)])
  await sql`UPDATE usage SET keys = usage.keys + used.requests
    FROM (SELECT ${text(0)} AS day, ${text(1)} AS user_id, ${integer(2)} AS requests
      FROM ${rowsOf(JSON.stringify(days))}) AS used
    WHERE usage.day = used.day AND usage.user_id = used.user_id`.execute(trx)
}

const sumOf = (uses: readonly KeyUse[]) => uses.reduce((sum, { requests }) => sum + requests, 0)

/** Locks the keys in one order, so that two instances cannot deadlock. */
async function hold(trx: Kysely<Tables>, rows: RawBuilder<unknown>, held: RawBuilder<unknown>): Promise<void> {
  const isUsed = sql<boolean>`id IN (SELECT ${text(0)} FROM ${rows})`
  await trx.selectFrom('api_keys').select('id').where(isUsed).orderBy('id').modifyEnd(held).execute()
}
