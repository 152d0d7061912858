import { type Kysely, type Selectable, sql } from 'kysely'
import type { ConsoleSession, SessionHolder, SessionWrite } from '../../accounts/sessions.ts'
import type { Users } from '../../accounts/users.ts'
import { type PrincipalRow, principalColumns, principalOf } from './account-rows.ts'
import type { Database, SessionsTable, StoreDeps, Tables } from './database.ts'

type InUseRow = Pick<Selectable<SessionsTable>, 'id' | 'user_id' | 'created_at' | 'expires_at'>
type Row = InUseRow & PrincipalRow

const query = {
  columns: [
    ...['id', 'user_id', 'created_at', 'expires_at'].map((name) => `sessions.${name}`),
    ...principalColumns.filter((name) => name !== 'id').map((name) => `users.${name}`),
  ],
  from: 'sessions JOIN users ON users.id = sessions.user_id',
  key: 'sessions.hash',
}

/** Every request with a session reads it and its user, in one statement. */
export function createSessionReader({ finder }: Database, { clock }: StoreDeps): Users['findSession'] {
  return finder(query, (row: Row): SessionHolder | null => {
    const now = clock.now()
    if (row.expires_at <= now) return null
    const session = { id: row.id, userId: row.user_id, createdAt: row.created_at }
    return { session, user: principalOf(row, now, row.user_id) }
  })
}

const sessionOf = (row: Selectable<SessionsTable>): ConsoleSession => ({
  id: row.id,
  userId: row.user_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  address: row.address,
  browser: row.browser,
})

/** Without expired ones, newest first. */
export async function sessionsOf(database: Kysely<Tables>, userId: string, now: number): Promise<ConsoleSession[]> {
  const rows = database.selectFrom('sessions').selectAll().where('user_id', '=', userId).where('expires_at', '>', now)
  return (await rows.orderBy('id', 'desc').execute()).map(sessionOf)
}

export async function hasSession(trx: Kysely<Tables>, id: string, now: number): Promise<boolean> {
  const found = trx.selectFrom('sessions').select('id').where('id', '=', id).where('expires_at', '>', now)
  return (await found.executeTakeFirst()) !== undefined
}

/** The caller has locked the user, so nobody adds sessions meanwhile. */
export async function writeSessions(
  trx: Kysely<Tables>,
  userId: string,
  write: SessionWrite,
  now: number,
): Promise<void> {
  const own = trx.deleteFrom('sessions').where('user_id', '=', userId)
  if ('remove' in write) return void (await own.where('id', '=', write.remove).execute())
  const { add, secretHash, replaces, max } = write
  await own.where('expires_at', '<=', now).execute()
  if (replaces !== null) await own.where('id', '=', replaces).execute()
  await sql`DELETE FROM sessions WHERE user_id = ${userId} AND id NOT IN
    (SELECT id FROM sessions WHERE user_id = ${userId} ORDER BY created_at DESC, id DESC LIMIT ${max - 1})`.execute(trx)
  const { id, createdAt, expiresAt, lastUsedAt, address, browser } = add
  const times = { created_at: createdAt, expires_at: expiresAt, last_used_at: lastUsedAt }
  await trx
    .insertInto('sessions')
    .values({ id, user_id: userId, hash: secretHash, ...times, address, browser })
    .execute()
}
