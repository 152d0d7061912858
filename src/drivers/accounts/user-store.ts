import type { Kysely } from 'kysely'
import { newEvent } from '../../accounts/audit.ts'
import type { Users } from '../../accounts/users.ts'
import { isId } from '../../lib/ids.ts'
import { accountOf, canBe, isWho, type PrincipalRow, principalColumns, principalOf, rowOf } from './account-rows.ts'
import { insertEvents } from './audit-rows.ts'
import { createChange } from './change-account.ts'
import type { Database, StoreDeps, Tables } from './database.ts'
import { createKeyReader } from './key-reader.ts'
import { keysOf } from './key-rows.ts'
import { createSessionReader, sessionsOf } from './session-rows.ts'
import { lockUsers, orRolledBack, RolledBack } from './transactions.ts'

export function createUserStore(database: Database, deps: StoreDeps): Users {
  const { kysely } = database
  const { clock } = deps
  const anybody = (db = kysely) => db.selectFrom('users').select('id').limit(1)
  const ownerIn = async (db: Kysely<Tables>) => (await anybody(db).where('role', '=', 'owner').execute()).length > 0
  async function userWith(table: 'api_keys' | 'sessions', id: string): Promise<string | null> {
    if (!isId(id)) return null
    const query = kysely.selectFrom(table).select('user_id').where('id', '=', id)
    return (await query.executeTakeFirst())?.user_id ?? null
  }

  return {
    findPrincipal: createPrincipalReader(database, deps),
    findKey: createKeyReader(database, deps),
    keysOf: (userId) => keysOf(kysely, userId),

    findSession: createSessionReader(database, deps),
    sessionsOf: (userId) => sessionsOf(kysely, userId, clock.now()),

    ownerOfKey: (keyId) => userWith('api_keys', keyId),
    ownerOfSession: (sessionId) => userWith('sessions', sessionId),

    async find(who) {
      if (!canBe(who)) return null
      const row = await kysely.selectFrom('users').selectAll().where(isWho(who)).executeTakeFirst()
      return row ? accountOf(row, clock.now()) : null
    },

    insert: (account, { action, by, isDryRun }, check) => {
      const insertIn = async (trx: Kysely<Tables>) => {
        const isOwner = account.role === 'owner'
        if (isOwner) await database.holdOwners?.execute(trx)
        if (check) {
          const { actor } = by
          const [row] = actor !== null && isId(actor) ? await lockUsers(database, trx, isWho({ id: actor })) : []
          check(row ? accountOf(row, clock.now()) : null, isOwner && (await ownerIn(trx)))
        }
        const query = trx
          .insertInto('users')
          .values(rowOf(account))
          .onConflict((conflict) => conflict.doNothing())
          .returning(database.now(clock).as('nowUs'))
        const inserted = await query.executeTakeFirst()
        if (!inserted) return false
        const after = { username: account.username, role: account.role }
        const event = { ...newEvent(deps, by), action, target: account.id, after }
        await insertEvents(trx, database, { us: inserted.nowUs, askedAt: event.happenedAt }, [event])
        if (isDryRun) throw new RolledBack(true)
        return true
      }
      return orRolledBack(() => database.transaction(insertIn))
    },

    change: createChange(database, deps),

    ownerExists: () => ownerIn(kysely),

    async isEmpty() {
      return (await anybody().execute()).length === 0
    },
  }
}

/** Every guarded request reads a principal. */
function createPrincipalReader({ finder }: Database, { clock }: StoreDeps): Users['findPrincipal'] {
  const query = { columns: principalColumns, from: 'users', key: 'id' }
  const find = finder(query, (row: PrincipalRow) => principalOf(row, clock.now()))
  return (id) => (isId(id) ? find(id) : null)
}
