import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { newerSchema, oldestReaderText, type Readers, savedReaders } from '../migrations.ts'

export interface SqliteSchema {
  /** For messages: "is not …". */
  readonly name: string
  /** Identifies our files, so that those of other programs are never written to. */
  readonly applicationId: number
  /** The statements from each version to the next. */
  readonly migrations: readonly (readonly string[])[]
  /** If unset, only programs of this version can use the schema. */
  readonly readers?: Readers
  /** Larger files are not checked at startup: that takes about a second per gigabyte. */
  readonly maxCheckedBytes: number
}

export const pragma = (db: DatabaseSync, name: string): unknown =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

const versionOf = (db: DatabaseSync) => Number(pragma(db, 'user_version'))

/** The version itself, unless the database names an older one. */
export function oldestReaderOf(db: DatabaseSync, { readers }: Pick<SqliteSchema, 'readers'>): number {
  const version = versionOf(db)
  const isKnown = readers && db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(readers.table)
  const row = isKnown && db.prepare(oldestReaderText(readers, version)).get()
  return Number(row?.oldest_reader ?? version)
}

export const isEmpty = (db: DatabaseSync) => db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined

/** Why the file cannot be used; null if it can or is new. Writes nothing. */
export function schemaProblem(db: DatabaseSync, path: string, schema: SqliteSchema): string | null {
  const { name, applicationId, migrations, maxCheckedBytes } = schema
  const [mark, version] = [pragma(db, 'application_id'), versionOf(db)]
  if (isEmpty(db) && mark === 0 && version === 0) return null
  if (mark !== applicationId) return `is not ${name}; move it away`
  if (oldestReaderOf(db, schema) > migrations.length) return newerSchema(version, migrations.length)
  const isDamaged = statSync(path).size <= maxCheckedBytes && pragma(db, 'quick_check(1)') !== 'ok'
  return isDamaged ? 'is damaged; restore it from a backup' : null
}

export const isCurrent = (db: DatabaseSync, { migrations }: SqliteSchema) => versionOf(db) >= migrations.length

/** Call in a transaction, since several processes may start at once. Returns the previous version, 0 for a new file. */
export function migrate(db: DatabaseSync, { applicationId, migrations, readers }: SqliteSchema): number {
  const version = versionOf(db)
  const newest = migrations.length
  if (version >= newest) return version
  for (const sql of [...migrations.slice(version).flat(), ...savedReaders(newest, readers)]) db.exec(sql)
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${newest}`)
  return version
}

export function inTransaction<T>(db: DatabaseSync, mode: 'IMMEDIATE' | 'EXCLUSIVE', act: () => T): T {
  db.exec(`BEGIN ${mode}`)
  try {
    const result = act()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
