import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from './database.ts'

/** What is deleted with an account: the tables with its rows, by the column of its id. The audit is kept. */
const belongings = { usage: 'user_id', api_keys: 'user_id' } as const satisfies Partial<Record<keyof Tables, string>>

/** The account must be locked, so that nobody adds to its belongings meanwhile. Returns `now`. */
export async function deleteAccount(trx: Kysely<Tables>, id: string, now: RawBuilder<number>): Promise<number> {
  for (const [table, column] of Object.entries(belongings))
    await sql`DELETE FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${id}`.execute(trx)
  const deleted = trx.deleteFrom('users').where('id', '=', id).returning(now.as('nowUs'))
  return (await deleted.executeTakeFirstOrThrow()).nowUs
}
