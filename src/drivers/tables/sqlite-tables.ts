import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { BadDatabase } from '../accounts/database.ts'
import { unfinishedMove } from '../migrations.ts'
import { inTransaction, migrate, pragma, type SqliteSchema, schemaProblem } from '../sqlite/schema.ts'
import type { Row, TableStore, Value } from './tables.ts'

/** Opens the database without changing anything; null if there is none. */
export function openSqliteSource(path: string, schema: SqliteSchema): TableStore | null {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return null
  const url = pathToFileURL(path)
  // A reader of a WAL database creates files beside it, unless `immutable` promises that there are no writers.
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
  const before = tracesOf(path)
  return opened(
    path,
    () => new DatabaseSync(url, { readOnly: true }),
    (db) => {
      const problem = schemaProblem(db, path, schema)
      if (problem !== null) throw new BadDatabase(`${path} ${problem}`)
      return async () => {
        if (tracesOf(path) === before) return
        throw new BadDatabase(`${path} was changed during the move; stop the service, and run the same command again`)
      }
    },
  )
}

/** Creates and migrates the database, unless it is the target of an unfinished move. */
export function openSqliteTarget(path: string, schema: SqliteSchema): TableStore {
  closeSync(openSync(path, 'a', 0o600))
  return opened(
    path,
    () => new DatabaseSync(path, { enableForeignKeyConstraints: true }),
    (db) => {
      if (Number(pragma(db, 'user_version')) !== unfinishedMove + schema.migrations.length) {
        const problem = schemaProblem(db, path, schema)
        if (problem !== null) throw new BadDatabase(`${path} ${problem}`)
        inTransaction(db, 'EXCLUSIVE', () => migrate(db, schema))
      }
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864')
      return async () => {}
    },
  )
}

function opened(path: string, open: () => DatabaseSync, prepare: (db: DatabaseSync) => TableStore['checkUnused']) {
  let db: DatabaseSync | undefined
  try {
    db = open()
    return storeOf(path, db, prepare(db))
  } catch (error) {
    db?.close()
    throw error instanceof BadDatabase ? error : unusable(path, error)
  }
}

const unusable = (path: string, error: unknown) =>
  new BadDatabase(`${path} cannot be used: ${(error as Error).message}`)

function storeOf(path: string, db: DatabaseSync, checkUnused: TableStore['checkUnused']): TableStore {
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    return known
  }
  const inOneTransaction = async (act: () => void) => {
    try {
      inTransaction(db, 'IMMEDIATE', act)
    } catch (error) {
      throw unusable(path, error)
    }
  }
  return {
    where: path,
    place: () => '?',
    query: async (text, values = []) => statement(text).all(...values) as Row[],
    run: (texts) =>
      inOneTransaction(() => {
        for (const text of texts) db.exec(text)
      }),
    insert: ({ name, columns }, rows) =>
      inOneTransaction(() => {
        const insert = statement(`INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => '?')})`)
        for (const row of rows) insert.run(...columns.map((column) => row[column] as Value))
      }),
    readVersion: async () => Number(pragma(db, 'user_version')),
    saveVersion: (version) => [`PRAGMA user_version = ${version}`],
    settle: async () => [],
    checkUnused,
    async close() {
      db.close()
    },
  }
}

/** Changes once anything is written. */
const tracesOf = (path: string) =>
  [path, `${path}-wal`]
    .map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }))
    .map((found) => found && `${found.ino} ${found.size} ${found.mtimeNs}`)
    .join()
