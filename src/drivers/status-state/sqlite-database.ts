import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Unavailable } from '../../lib/unavailable.ts'
import { translating } from '../sqlite/errors.ts'
import { inTransaction } from '../sqlite/schema.ts'
import type { StateDatabase, Statement } from './store.ts'

/** A database that this process has locked and migrated. */
export function sqliteDatabase(db: DatabaseSync, isThere = () => true): StateDatabase {
  const prepared = new Map<string, StatementSync>()
  const run = <Row extends object>({ text, values }: Statement): Row[] => {
    const statement = prepared.get(text) ?? db.prepare(text.replaceAll('$', '?'))
    prepared.set(text, statement)
    // SQLite's rows have no prototype.
    return statement.all(...values).map((row) => ({ ...row }) as Row)
  }
  return {
    elements: 'json_each',
    holdsLease: () => db.isOpen && isThere(),
    read: async (statement) => translating(() => run(statement)),
    async write(statements) {
      if (!isThere()) throw new Unavailable('database')
      return translating(() => inTransaction(db, 'IMMEDIATE', () => statements.map(run<object>)))
    },
    async close() {
      if (db.isOpen) db.close()
    },
  }
}
