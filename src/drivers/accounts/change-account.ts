import { type Kysely, sql } from 'kysely'
import { newEvent } from '../../accounts/audit.ts'
import type { Account, Act, Change, Parties, Users } from '../../accounts/users.ts'
import { isId } from '../../lib/ids.ts'
import { accountOf, canBe, changedColumns, isWho, principalOf } from './account-rows.ts'
import { insertEvents } from './audit-rows.ts'
import type { Database, StoreDeps, Tables } from './database.ts'
import { deleteAccount, deleteGrants, hasGrants } from './delete-account.ts'
import { linksOf } from './embed-links.ts'
import { keysOf, writeKeys } from './key-rows.ts'
import { hasSession, sessionsOf, writeSessions } from './session-rows.ts'
import { lockUsers, orRolledBack, RolledBack } from './transactions.ts'

/** A partial index is used only if its condition is literally in the query. */
const isOwner = sql<boolean>`(role = 'owner' AND role <> 'user')`

export function createChange(database: Database, { clock, newId }: StoreDeps): Users['change'] {
  const { isDuplicate } = database

  const rowsOf = (trx: Kysely<Tables>, { by, target, locksOwners }: Act) =>
    lockUsers(database, trx, (eb) =>
      eb.or([
        ...(canBe(target) ? [isWho(target)(eb)] : []),
        ...(by.actor !== null && isId(by.actor) ? [eb('id', '=', by.actor)] : []),
        ...(locksOwners ? [isOwner] : []),
      ]),
    )

  /** Writes and returns the columns that changed, and the time of the write. */
  const write = async (trx: Kysely<Tables>, change: Change, target: Account, now: number) => {
    const { values, keys, sessions, endsLink } = change
    const time = database.now(clock)
    if (values === 'delete') return { columns: {}, nowUs: await deleteAccount(trx, target.id, time) }
    if (values.endsGrants || values.passwordHash !== undefined)
      await deleteGrants(trx, target.id, values.keepsSession ?? null)
    if (keys) await writeKeys(trx, target.id, keys)
    if (sessions) await writeSessions(trx, target.id, sessions, now)
    if (endsLink !== undefined) await trx.deleteFrom('embed_links').where('id', '=', endsLink).execute()
    const columns = changedColumns(values, target, now)
    if (Object.keys(columns).length === 0)
      return { columns, ...(await trx.selectNoFrom(time.as('nowUs')).executeTakeFirstOrThrow()) }
    const update = trx.updateTable('users').set(columns).where('id', '=', target.id).returning(time.as('nowUs'))
    try {
      return { columns, nowUs: (await update.executeTakeFirstOrThrow()).nowUs }
    } catch (error) {
      if (isDuplicate(error)) throw new RolledBack({ account: target, changed: false, isNameTaken: true })
      throw error
    }
  }

  const changeIn = async (trx: Kysely<Tables>, act: Act, changeOf: (parties: Parties) => Change | null) => {
    const rows = await rowsOf(trx, act)
    const now = clock.now()
    const row = rows.find(({ id, username_key: key }) =>
      'id' in act.target ? id === act.target.id : key === act.target.username.toLowerCase(),
    )
    const actorRow = rows.find(({ id }) => id === act.by.actor)
    const target = row ? accountOf(row, now) : null
    const isOtherOwner = (other: typeof row) =>
      other !== row && other?.role === 'owner' && !principalOf(other, now).banned
    const change = changeOf({
      target,
      actor: actorRow ? accountOf(actorRow, now) : null,
      ...(act.locksOwners && { hasOtherOwner: rows.some(isOtherOwner) }),
      ...(act.readsKeys && { keys: row ? await keysOf(trx, row.id) : [] }),
      ...(act.readsSessions && { sessions: row ? await sessionsOf(trx, row.id, now) : [] }),
      ...(act.readsLinks && { links: row ? await linksOf(trx, row.id, now) : [] }),
      ...(act.by.sessionId && { hasSession: await hasSession(trx, act.by.sessionId, now) }),
      ...(act.seeksGrants && row && { hasGrants: await hasGrants(trx, row.id) }),
    })
    if (!change || !row || !target) return { account: target, changed: false, isNameTaken: false }
    const { columns, nowUs } = await write(trx, change, target, now)
    const { action, by } = act
    const { before = null, after = null } = change
    const event = { ...newEvent({ clock, newId }, by), action, target: row.id, before, after }
    await insertEvents(trx, database, { us: nowUs, askedAt: event.happenedAt }, [event])
    const outcome = { account: accountOf({ ...row, ...columns }, now), changed: true, isNameTaken: false }
    if (act.isDryRun) throw new RolledBack(outcome)
    return outcome
  }

  return (act, changeOf) => orRolledBack(() => database.transaction((trx) => changeIn(trx, act, changeOf)))
}
