import type { Kysely, RawBuilder } from 'kysely'
import type { Act, ActResult, Change, Parties, Users } from '../../accounts/users.ts'
import { isId } from '../../lib/ids.ts'
import { accountOf, canBe, changedColumns, isWho } from './account-rows.ts'
import { eventNow, insertEvents } from './audit-rows.ts'
import type { Database, StoreDeps, Tables } from './database.ts'

/** Rolls the transaction back and carries its result. */
class RolledBack extends Error {
  readonly outcome: ActResult

  constructor(outcome: ActResult) {
    super('rolled back')
    this.outcome = outcome
  }
}

export function createChange(database: Database, { clock, newId }: StoreDeps): Users['change'] {
  const { holdRows, isDuplicate } = database

  const rowsOf = (trx: Kysely<Tables>, { by, target }: Act) => {
    const { actor } = by
    // Locked in the order of their ids, so that two acts cannot deadlock.
    return trx
      .selectFrom('users')
      .selectAll()
      .where((eb) =>
        eb.or([
          ...(canBe(target) ? [isWho(target)(eb)] : []),
          ...(actor !== null && isId(actor) ? [eb('id', '=', actor)] : []),
        ]),
      )
      .orderBy('id')
      .$if(holdRows !== null, (found) => found.modifyEnd(holdRows as RawBuilder<unknown>))
      .execute()
  }

  const changeIn = async (trx: Kysely<Tables>, act: Act, judge: (parties: Parties) => Change | null) => {
    const rows = await rowsOf(trx, act)
    const now = clock.now()
    const row = rows.find(({ id, username_key: key }) =>
      'id' in act.target ? id === act.target.id : key === act.target.username.toLowerCase(),
    )
    const actorRow = rows.find(({ id }) => id === act.by.actor)
    const target = row ? accountOf(row, now) : null
    const change = judge({ target, actor: actorRow ? accountOf(actorRow, now) : null })
    if (!change || !row || !target) return { account: target, changed: false, isNameTaken: false }
    const columns = changedColumns(change.values, target, now)
    let nowUs: number
    try {
      const update = trx.updateTable('users').set(columns).where('id', '=', row.id)
      const updated = update.returning(database.now(clock).as('nowUs'))
      nowUs = (await updated.executeTakeFirstOrThrow()).nowUs
    } catch (error) {
      if (isDuplicate(error)) throw new RolledBack({ account: target, changed: false, isNameTaken: true })
      throw error
    }
    const { action, by } = act
    const { before = null, after = null } = change
    const event = { ...eventNow({ clock, newId }, by), action, target: row.id, before, after }
    await insertEvents(trx, database, { us: nowUs, askedAt: event.happenedAt }, [event])
    const outcome = { account: accountOf({ ...row, ...columns }, now), changed: true, isNameTaken: false }
    if (act.isDryRun) throw new RolledBack(outcome)
    return outcome
  }

  return async (act, judge) => {
    try {
      return await database.transaction((trx) => changeIn(trx, act, judge))
    } catch (error) {
      if (error instanceof RolledBack) return error.outcome
      throw error
    }
  }
}
