import { closeSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isCorrupt } from './errors.ts'
import { oldestReaderOf, pragma, type SqliteSchema } from './schema.ts'

/** All pages in one step: a consistent snapshot that no write can restart. */
const allPages = 2_147_483_647
const busyMs = 5_000

/** Copies a database while others read and write it: SQLite's online backup. `to` must not exist. */
export async function copySqlite(from: string, to: string): Promise<void> {
  closeSync(openSync(to, 'wx', 0o600))
  using source = new DatabaseSync(from, { timeout: busyMs })
  // Fails here if another process has locked it exclusively, as a status worker of version 0.1 does.
  source.prepare('SELECT count(*) FROM sqlite_schema').get()
  await backup(source, to, { rate: allPages })
}

/** Checks every page of a database that no process has open. Null if this program can use it. */
export function problemOf(path: string, schema: SqliteSchema): string | null {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  try {
    using db = new DatabaseSync(url, { readOnly: true })
    const integrity = pragma(db, 'integrity_check(1)')
    if (integrity !== 'ok') return `is damaged: ${String(integrity).trim()}`
    if (pragma(db, 'application_id') !== schema.applicationId) return 'is not a database of Menagerie'
    if (oldestReaderOf(db, schema) > schema.migrations.length) return 'is newer than this program'
    return null
  } catch (error) {
    if (isCorrupt(error)) return `is damaged: ${(error as Error).message}`
    throw error
  }
}
