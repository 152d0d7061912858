import type { Kysely } from 'kysely'
import type { Principal, Users } from '../../accounts/users.ts'
import { isId } from '../../lib/ids.ts'
import { createLru } from '../../lib/lru.ts'
import { accountOf, canBe, isWho, type PrincipalRow, principalColumns, principalOf, rowOf } from './account-rows.ts'
import { eventNow, insertEvents } from './audit-rows.ts'
import { createChange } from './change-account.ts'
import type { Database, StoreDeps, Tables } from './database.ts'
import { createKeyReader } from './key-reader.ts'
import { keysOf } from './key-rows.ts'
import { lockUsers, orRolledBack, RolledBack } from './transactions.ts'

export function createUserStore(database: Database, deps: StoreDeps): Users {
  const { kysely } = database
  const { clock } = deps
  const anybody = () => kysely.selectFrom('users').select('id').limit(1)

  return {
    findPrincipal: createPrincipalReader(database, deps),
    findKey: createKeyReader(database, deps),
    keysOf: (userId) => keysOf(kysely, userId),

    async ownerOfKey(keyId) {
      if (!isId(keyId)) return null
      const query = kysely.selectFrom('api_keys').select('user_id').where('id', '=', keyId)
      return (await query.executeTakeFirst())?.user_id ?? null
    },

    async find(who) {
      if (!canBe(who)) return null
      const row = await kysely.selectFrom('users').selectAll().where(isWho(who)).executeTakeFirst()
      return row ? accountOf(row, clock.now()) : null
    },

    insert: (account, { action, by, isDryRun }, judge) => {
      const insertIn = async (trx: Kysely<Tables>) => {
        if (judge) {
          const { actor } = by
          const [row] = actor !== null && isId(actor) ? await lockUsers(database, trx, isWho({ id: actor })) : []
          judge(row ? accountOf(row, clock.now()) : null)
        }
        const query = trx
          .insertInto('users')
          .values(rowOf(account))
          .onConflict((conflict) => conflict.doNothing())
          .returning(database.now(clock).as('nowUs'))
        const inserted = await query.executeTakeFirst()
        if (!inserted) return false
        const after = { username: account.username, role: account.role }
        const event = { ...eventNow(deps, by), action, target: account.id, before: null, after }
        await insertEvents(trx, database, { us: inserted.nowUs, askedAt: event.happenedAt }, [event])
        if (isDryRun) throw new RolledBack(true)
        return true
      }
      return orRolledBack(() => database.transaction(insertIn))
    },

    change: createChange(database, deps),

    async ownerExists() {
      return (await anybody().where('role', '=', 'owner').execute()).length > 0
    },

    async isEmpty() {
      return (await anybody().execute()).length === 0
    },
  }
}

const principalSql = `SELECT ${principalColumns.join(', ')} FROM users WHERE id = ?`
const maxKept = 10_000

/**
 * Every guarded request reads a principal. With SQLite a row is cached while the database proves that nothing was written
 * since, and no ban in it has ended; PostgreSQL is queried each time.
 */
function createPrincipalReader({ kysely, instant }: Database, { clock }: StoreDeps): Users['findPrincipal'] {
  if (!instant) {
    return async (id) => {
      if (!canBe({ id })) return null
      const row = await kysely.selectFrom('users').select(principalColumns).where('id', '=', id).executeTakeFirst()
      return row ? principalOf(row, clock.now()) : null
    }
  }
  const kept = createLru<{ mark: number; principal: Principal | null; until: number | null }>(maxKept)
  return (id) => {
    const mark = instant.mark()
    const known = kept.get(id)
    if (known?.mark === mark && (known.until === null || clock.now() < known.until)) return known.principal
    const row = instant.get(principalSql, id) as PrincipalRow | undefined
    const principal = row ? principalOf(row, clock.now()) : null
    kept.set(id, { mark, principal, until: principal?.banned ? (row?.banned_until ?? null) : null })
    return principal
  }
}
