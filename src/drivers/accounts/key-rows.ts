import { type Kysely, type Selectable, sql } from 'kysely'
import type { ApiKey, KeyInUse, KeyScope, KeyWrite } from '../../accounts/keys.ts'
import type { KeysTable, Tables } from './database.ts'

export const inUseColumns = [
  'id',
  'user_id',
  'name',
  'scopes',
  'limit_per_minute',
  'created_at',
  'expires_at',
] as const satisfies readonly (keyof KeysTable)[]

export type InUseRow = Pick<Selectable<KeysTable>, (typeof inUseColumns)[number]>

export const inUseOf = (row: InUseRow): KeyInUse => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  scopes: row.scopes.split(',') as KeyScope[],
  limitPerMinute: row.limit_per_minute,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

const keyOf = (row: Selectable<KeysTable>): ApiKey => ({
  ...inUseOf(row),
  lastUsedAt: row.last_used_at,
  requests: row.requests,
})

export async function keysOf(database: Kysely<Tables>, userId: string): Promise<ApiKey[]> {
  const query = database.selectFrom('api_keys').selectAll().where('user_id', '=', userId).orderBy('id')
  return (await query.execute()).map(keyOf)
}

/** The caller has locked the user, so nobody adds keys meanwhile. Secrets are deleted with their key. */
export async function writeKeys(trx: Kysely<Tables>, userId: string, write: KeyWrite): Promise<void> {
  if ('rotate' in write) return rotate(trx, write)
  if (write.remove.length > 0) await trx.deleteFrom('api_keys').where('id', 'in', write.remove).execute()
  if (!('add' in write)) return
  const { id, name, scopes, limitPerMinute, createdAt, expiresAt } = write.add
  const terms = { name, scopes: scopes.join(','), limit_per_minute: limitPerMinute, expires_at: expiresAt }
  await trx
    .insertInto('api_keys')
    .values({ id, user_id: userId, created_at: createdAt, ...terms })
    .execute()
  await trx.insertInto('key_secrets').values({ hash: write.secretHash, key_id: id }).execute()
}

async function rotate(
  trx: Kysely<Tables>,
  { rotate: id, secretHash, oldUntil, now }: Extract<KeyWrite, { rotate: string }>,
): Promise<void> {
  const older = trx.deleteFrom('key_secrets').where('key_id', '=', id)
  // Without a grace period, no older secret stays: a slow clock, here or on another instance, would still accept it.
  await (oldUntil <= now ? older : older.where('expires_at', '<=', now)).execute()
  await trx
    .updateTable('key_secrets')
    .set({ expires_at: oldUntil })
    .where('key_id', '=', id)
    .where(sql<boolean>`coalesce(expires_at > ${oldUntil}, true)`)
    .execute()
  await trx.insertInto('key_secrets').values({ hash: secretHash, key_id: id }).execute()
}
