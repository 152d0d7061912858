import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from './database.ts'

/* The caller has locked the account, so nobody adds rows meanwhile. */

/** Tables of grants (they act for a user without a login, until a new password), with the column of the user's id. */
const grants = { api_keys: 'user_id', embed_links: 'user_id' } as const satisfies Partial<Record<keyof Tables, string>>

/** A new password ends them too, but the one that changed it may stay. */
const sessions = { sessions: 'user_id' } as const satisfies Partial<Record<keyof Tables, string>>

/** Tables whose rows are deleted with an account. The audit is kept. */
const belongings = {
  usage: 'user_id',
  report_reasons: 'user_id',
  walks: 'user_id',
  ...grants,
  ...sessions,
} as const satisfies Partial<Record<keyof Tables, string>>

async function deleteRows(trx: Kysely<Tables>, from: Readonly<Record<string, string>>, id: string): Promise<void> {
  for (const [table, column] of Object.entries(from))
    await sql`DELETE FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${id}`.execute(trx)
}

/** Whether the user has API keys, embed links or console sessions. */
export async function hasGrants(trx: Kysely<Tables>, id: string): Promise<boolean> {
  for (const [table, column] of Object.entries({ ...grants, ...sessions })) {
    const found = sql`SELECT 1 FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${id} LIMIT 1`
    if ((await found.execute(trx)).rows.length > 0) return true
  }
  return false
}

/** Deletes the user's API keys, embed links and console sessions but one. */
export async function deleteGrants(trx: Kysely<Tables>, id: string, keptSession: string | null): Promise<void> {
  await deleteRows(trx, grants, id)
  const ended = trx.deleteFrom('sessions').where('user_id', '=', id)
  await (keptSession === null ? ended : ended.where('id', '<>', keptSession)).execute()
}

/** Returns `now`. */
export async function deleteAccount(trx: Kysely<Tables>, id: string, now: RawBuilder<number>): Promise<number> {
  await deleteRows(trx, belongings, id)
  const deleted = trx.deleteFrom('users').where('id', '=', id).returning(now.as('nowUs'))
  return (await deleted.executeTakeFirstOrThrow()).nowUs
}
