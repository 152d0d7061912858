import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { ListedUser } from '../../accounts/directory.ts'
import type { Role } from '../../accounts/roles.ts'
import { isUsername } from '../../accounts/username.ts'
import type { Account, Principal, Values, Who } from '../../accounts/users.ts'
import { isId } from '../../lib/ids.ts'
import type { Tables, UsersTable } from './database.ts'

export const principalColumns = ['id', 'username', 'role', 'banned', 'banned_until', 'token_hash'] as const

export type PrincipalRow = Pick<UsersTable, (typeof principalColumns)[number]>

export const isBanned = ({ banned, banned_until: until }: Pick<PrincipalRow, 'banned' | 'banned_until'>, now: number) =>
  banned === 1 && (until === null || until > now)

/** The same as an SQL condition. */
export const bannedAt = (now: number) => sql<boolean>`(banned = 1 AND (banned_until IS NULL OR banned_until > ${now}))`

export const principalOf = (row: PrincipalRow, now: number, id = row.id): Principal => ({
  id,
  username: row.username,
  role: row.role as Role,
  banned: isBanned(row, now),
  tokenHash: row.token_hash,
})

type AccountRow = Selectable<UsersTable>

function shownOf(row: AccountRow, now: number): Omit<Account, 'passwordHash'> {
  const principal = principalOf(row, now)
  return {
    ...principal,
    ban: principal.banned
      ? { reason: row.ban_reason, since: row.banned_at ?? 0, until: row.banned_until, by: row.banned_by }
      : null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export const accountOf = (row: AccountRow, now: number): Account => ({
  ...shownOf(row, now),
  passwordHash: row.password_hash,
})

export const listedOf = (row: AccountRow, now: number): ListedUser => ({
  ...shownOf(row, now),
  requests:
    row.requests_id === null
      ? null
      : {
          id: row.requests_id,
          auth: row.auth,
          admin: row.admin,
          images: row.images,
          total: row.total,
          createdAt: row.requests_created_at ?? 0,
          updatedAt: row.requests_updated_at ?? 0,
        },
})

export const rowOf = (account: Account) => ({
  id: account.id,
  username: account.username,
  role: account.role,
  ...banColumns(account.ban),
  password_hash: account.passwordHash,
  token_hash: account.tokenHash,
  created_at: account.createdAt,
  updated_at: account.updatedAt,
})

const banColumns = (ban: Account['ban']) => ({
  banned: ban ? 1 : 0,
  ban_reason: ban?.reason ?? null,
  banned_at: ban?.since ?? null,
  banned_until: ban?.until ?? null,
  banned_by: ban?.by ?? null,
})

/** `updatedAt` is never before `createdAt`, even if the clock was set back. */
export function changedColumns(
  { username, role, ban, passwordHash, rehashed, tokenHash }: Values,
  account: Account,
  now: number,
) {
  const hash = passwordHash ?? rehashed
  const isUpdate = username !== undefined || role !== undefined || ban !== undefined || passwordHash !== undefined
  return {
    ...(username !== undefined && { username }),
    ...(role !== undefined && { role }),
    ...(ban !== undefined && banColumns(ban)),
    ...(hash !== undefined && { password_hash: hash }),
    ...(tokenHash !== undefined && { token_hash: tokenHash }),
    ...(isUpdate && { updated_at: Math.max(now, account.createdAt) }),
  }
}

/** Invalid ids and names need no query. */
export const canBe = (who: Who) => ('id' in who ? isId(who.id) : isUsername(who.username))

export const isWho = (who: Who) => (eb: ExpressionBuilder<Tables, 'users'>) =>
  'id' in who ? eb('id', '=', who.id) : eb('username_key', '=', who.username.toLowerCase())
