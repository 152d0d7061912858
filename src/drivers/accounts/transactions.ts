import type { ExpressionBuilder, ExpressionWrapper, Kysely, RawBuilder, SqlBool } from 'kysely'
import { type Database, isAmong, type Tables } from './database.ts'

/** Rolls a transaction back and carries its result. */
export class RolledBack<T> extends Error {
  readonly outcome: T

  constructor(outcome: T) {
    super('rolled back')
    this.outcome = outcome
  }
}

export async function orRolledBack<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (error instanceof RolledBack) return error.outcome
    throw error
  }
}

/** Reads and locks these users in the order of their ids, so that two transactions cannot deadlock. */
export const lockUsers = (
  { holdRows }: Pick<Database, 'holdRows'>,
  trx: Kysely<Tables>,
  isMeant: (eb: ExpressionBuilder<Tables, 'users'>) => ExpressionWrapper<Tables, 'users', SqlBool>,
) =>
  trx
    .selectFrom('users')
    .selectAll()
    .where(isMeant)
    .orderBy('id')
    .$if(holdRows !== null, (found) => found.modifyEnd(holdRows as RawBuilder<unknown>))
    .execute()

/** Locks rows in the order of their ids, for the same reason. */
export async function lockRows(
  trx: Kysely<Tables>,
  database: Pick<Database, 'rowsOf' | 'holdRows'>,
  table: 'users' | 'api_keys',
  ids: ReadonlySet<string>,
): Promise<void> {
  const { holdRows } = database
  if (holdRows === null || ids.size === 0) return
  const found = trx
    .selectFrom(table)
    .select('id')
    .where(isAmong(database, 'id', ids))
  await found.orderBy('id').modifyEnd(holdRows).execute()
}
