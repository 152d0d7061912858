import { type Selectable, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Role } from '../../accounts/roles.ts'
import type { Account, Principal, Users, UsersForOperator } from '../../accounts/users.ts'
import type { Database, UsersTable } from './database.ts'

/** The accounts in one implementation over both databases. */
export function createUserStore(database: Database): Users & UsersForOperator {
  const { kysely } = database
  const all = () => kysely.selectFrom('users').selectAll()
  const update = (id: string, values: Partial<UsersTable>) =>
    kysely.updateTable('users').set(values).where('id', '=', id)
  const changed = async (query: ReturnType<typeof update>) => isOne((await query.executeTakeFirst()).numUpdatedRows)
  /** No row fitted, or a lost connection made the driver ask twice and the first time did it: then the token is there. */
  const changedTo = async (id: string, tokenHash: string, query: ReturnType<typeof update>) => {
    if (await changed(query)) return true
    const row = await kysely.selectFrom('users').select('token_hash').where('id', '=', id).executeTakeFirst()
    return row?.token_hash === tokenHash
  }

  return {
    findPrincipal: createPrincipalReader(database),

    async findById(id) {
      return accountOrNull(await all().where('id', '=', id).executeTakeFirst())
    },

    async findByName(username) {
      return accountOrNull(await all().where(sql`lower(username)`, '=', username.toLowerCase()).executeTakeFirst())
    },

    async insert(account) {
      const query = kysely
        .insertInto('users')
        .values(rowOf(account))
        .onConflict((conflict) => conflict.doNothing())
      if (isOne((await query.executeTakeFirst()).numInsertedOrUpdatedRows)) return true
      // The name is taken; by this very account, if a lost connection made the driver ask twice.
      return (await kysely.selectFrom('users').select('id').where('id', '=', account.id).execute()).length > 0
    },

    startSession({ id, tokenHash, verifiedHash, rehashed }) {
      const values = { token_hash: tokenHash, ...(rehashed !== null && { password_hash: rehashed }) }
      const query = update(id, values).where('banned', '=', 0).where('password_hash', '=', verifiedHash)
      return changedTo(id, tokenHash, query)
    },

    endSession: (id, tokenHash) => changed(update(id, { token_hash: null }).where('token_hash', '=', tokenHash)),

    changePassword({ id, passwordHash, tokenHash, verifiedHash, currentTokenHash, at }) {
      const query = update(id, { password_hash: passwordHash, token_hash: tokenHash, updated_at: at })
        .where('banned', '=', 0)
        .where('password_hash', '=', verifiedHash)
        .where('token_hash', '=', currentTokenHash)
      return changedTo(id, tokenHash, query)
    },

    setPassword: (id, passwordHash, at) =>
      changed(update(id, { password_hash: passwordHash, token_hash: null, updated_at: at })),

    setRole: (id, role, at) => changed(update(id, { role, updated_at: at }).where('role', '!=', role)),

    setBanned(id, banned, at) {
      const value = banned ? 1 : 0
      return changed(update(id, { banned: value, updated_at: at }).where('banned', '!=', value))
    },

    revokeToken: (id) => changed(update(id, { token_hash: null }).where('token_hash', 'is not', null)),

    async ownerExists() {
      return (await kysely.selectFrom('users').select('id').where('role', '=', 'owner').limit(1).execute()).length > 0
    },

    async isEmpty() {
      return (await kysely.selectFrom('users').select('id').limit(1).execute()).length === 0
    },

    async list(afterId, limit, filter = {}) {
      const { role, banned, query } = filter
      const rows = await all()
        .$if(afterId !== null, (found) => found.where('id', '>', afterId ?? ''))
        .$if(role !== undefined, (found) => found.where('role', '=', role ?? ''))
        .$if(banned !== undefined, (found) => found.where('banned', '=', banned ? 1 : 0))
        .$if(query !== undefined, (found) => found.where(contains(query ?? '')))
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(accountOf)
    },
  }
}

/** LIKE with its own signs escaped; both sides in lower case, since the two databases differ on that. */
function contains(query: string) {
  const pattern = `%${query.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`lower(username) LIKE ${pattern} ESCAPE '\\'`
}

const principalColumns = ['id', 'username', 'role', 'banned', 'token_hash'] as const
const principalSql = `SELECT ${principalColumns.join(', ')} FROM users WHERE id = ?`
const mostKept = 10_000

/**
 * Every guarded request asks this. Embedded, a row is kept as long as the database proves that nothing was
 * written since; PostgreSQL is asked each time.
 */
function createPrincipalReader({ kysely, instant }: Database): Users['findPrincipal'] {
  if (!instant) {
    return async (id) => {
      const row = await kysely.selectFrom('users').select(principalColumns).where('id', '=', id).executeTakeFirst()
      return row ? principalOf(row) : null
    }
  }
  const kept = new LRUCache<string, { mark: number; principal: Principal | null }>({ max: mostKept })
  return (id) => {
    const mark = instant.mark()
    const known = kept.get(id)
    if (known?.mark === mark) return known.principal
    const row = instant.get(principalSql, id)
    const principal = row ? principalOf(row as unknown as PrincipalRow) : null
    kept.set(id, { mark, principal })
    return principal
  }
}

type PrincipalRow = Pick<UsersTable, (typeof principalColumns)[number]>

const principalOf = (row: PrincipalRow): Principal => ({
  id: row.id,
  username: row.username,
  role: row.role as Role,
  banned: row.banned === 1,
  tokenHash: row.token_hash,
})

const accountOf = (row: Selectable<UsersTable>): Account => ({
  ...principalOf(row),
  passwordHash: row.password_hash,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const accountOrNull = (row: Selectable<UsersTable> | undefined) => (row ? accountOf(row) : null)

const rowOf = (account: Account): UsersTable => ({
  id: account.id,
  username: account.username,
  role: account.role,
  banned: account.banned ? 1 : 0,
  password_hash: account.passwordHash,
  token_hash: account.tokenHash,
  created_at: account.createdAt,
  updated_at: account.updatedAt,
})

const isOne = (count: bigint | undefined) => count === 1n
