import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isCorrupt, translate } from '../sqlite/errors.ts'
import { isEmpty, oldestReaderOf, pragma } from '../sqlite/schema.ts'
import { BadDatabase } from './database.ts'
import { type Counts, countsSql, type DatabaseStatus, type StatusOptions, stateOf } from './database-status.ts'
import { fileName, schema } from './sqlite.ts'

const waitMs = 5_000

/** Reads the state of the embedded database without creating any file, not even -wal and -shm. */
export function readSqliteStatus(dataDir: string, options: StatusOptions): DatabaseStatus {
  const path = resolve(join(dataDir, fileName))
  if (!isThere(path)) return { ...nothingKnown(path), state: 'missing' }
  const isOpenElsewhere = () => isThere(`${path}-wal`)
  const atRest = !isOpenElsewhere()
  const status = inspect(path, atRest, options)
  // Another process opened it meanwhile: what was read may be inconsistent.
  return atRest && isOpenElsewhere() ? inspect(path, false, options) : status
}

/** A reader of a WAL database creates -shm and -wal, unless `immutable` promises that there are no writers. */
function inspect(path: string, immutable: boolean, { deep, now }: StatusOptions): DatabaseStatus {
  const url = pathToFileURL(path)
  if (immutable) url.searchParams.set('immutable', '1')
  using db = open(url, path)
  const status = nothingKnown(path)
  try {
    if (isEmpty(db)) return { ...status, state: 'empty', schemaVersion: 0 }
    if (pragma(db, 'application_id') !== schema.applicationId) return { ...status, state: 'foreign' }
    const schemaVersion = Number(pragma(db, 'user_version'))
    const state = stateOf(schemaVersion, oldestReaderOf(db, schema))
    if (!deep) return { ...status, state, schemaVersion }
    const integrity = String(pragma(db, 'integrity_check(1)'))
    if (integrity !== 'ok') return { ...status, state: 'damaged', schemaVersion, integrity: integrity.trim() }
    // A newer schema may count differently.
    const counts =
      state === 'newer' ? null : ({ ...db.prepare(countsSql(schemaVersion, now)).get() } as unknown as Counts)
    return { ...status, state, schemaVersion, counts, integrity }
  } catch (error) {
    if (!isCorrupt(error)) throw translate(error)
    return { ...status, state: 'damaged', integrity: (error as Error).message }
  }
}

function open(url: URL, path: string): DatabaseSync {
  try {
    return new DatabaseSync(url, { readOnly: true, timeout: waitMs })
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    throw cannotOpen(path, error)
  }
}

const cannotOpen = (path: string, error: unknown) =>
  new BadDatabase(`${path} cannot be opened: ${(error as Error).message}`)

const nothingKnown = (where: string) =>
  ({ name: 'SQLite', where, schemaVersion: null, counts: null, integrity: null }) as const
