import { randomUUID } from 'node:crypto'
import { closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { BadSetting } from '../../lib/settings.ts'
import type { StateKeeper, StateStore } from '../../status/state-store.ts'
import { prepareDataDir } from '../data-dir.ts'
import { isBusy, isUnusable } from '../sql/sqlite-errors.ts'
import { metaFrom, metaText } from './rows.ts'
import { migrations, newerSchema, schemaProbes, sqliteDialect } from './schema.ts'
import { createSqliteStore } from './sqlite-store.ts'

export const fileName = 'status.db'
/** "MENS": a file of another program, the accounts' among them, is never written to. */
export const applicationId = 0x4d454e53
/** Checking every page takes about a second a gigabyte: more than a start may. */
const mostCheckedBytes = 134_217_728
/** A backup that has just read the file, or a worker that is just ending, is no other worker. */
const patienceMs = 400
const pauseMs = 20

/** The state in a file of its own, which one process has as long as it runs. */
export function sqliteKeeper({ dataDir }: { readonly dataDir: string }): StateKeeper {
  const path = join(dataDir, fileName)
  const stores = new Set<StateStore>()
  return {
    async acquire(signal) {
      signal.throwIfAborted()
      prepareDataDir(dataDir)
      const store = await openStore(path, signal)
      stores.add(store)
      return store
    },
    async close() {
      for (const store of stores) await store.close()
      stores.clear()
    },
  }
}

async function openStore(path: string, signal: AbortSignal): Promise<StateStore> {
  makeFile(path)
  let db: DatabaseSync
  try {
    db = new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw new BadSetting(`DATA_DIR: ${path} cannot be opened: ${(error as Error).message}`)
  }
  try {
    await lock(db, path, signal)
    prepare(db, path)
    for (const probe of schemaProbes) db.prepare(probe).get()
    const rows = db.prepare(metaText).all() as { name: string; value: string }[]
    const meta = metaFrom(rows)
    if (meta === null) throw new BadSetting(unusable(path, 'status_meta is not whole'))
    return createSqliteStore(db, meta)
  } catch (error) {
    db.close()
    throw isUnusable(error) ? new BadSetting(unusable(path, (error as Error).message)) : error
  }
}

const unusable = (path: string, why: string) => `DATA_DIR: ${path} cannot be used: ${why}; restore it from a backup`

/**
 * For its owner alone, and not with whatever mode the umask leaves. One that is there is not even opened: closing it
 * again would end the locks that this process has on it.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Leaves a transaction open that has the file, for the checks to be in. The lock stays until the end of the process. */
async function lock(db: DatabaseSync, path: string, signal: AbortSignal): Promise<void> {
  db.exec('PRAGMA locking_mode = EXCLUSIVE')
  for (const until = performance.now() + patienceMs; ; ) {
    try {
      return db.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    if (performance.now() > until)
      throw new BadSetting(`DATA_DIR: ${path} is in use by another status worker; stop it or choose another folder`)
    await sleep(pauseMs)
    signal.throwIfAborted()
  }
}

/** Nothing is written before the file is known to be ours, and whole. */
function prepare(db: DatabaseSync, path: string): void {
  const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  const tables = Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n)
  const version = Number(pragma('user_version'))
  const isNew = tables === 0 && version === 0 && pragma('application_id') === 0
  if (!isNew && pragma('application_id') !== applicationId)
    throw new BadSetting(`DATA_DIR: ${path} is not the state of a status worker; move it away`)
  if (version > migrations.length) throw new BadSetting(newerSchema(`DATA_DIR: ${path}`, version))
  if (!isNew && statSync(path).size <= mostCheckedBytes && pragma('quick_check(1)') !== 'ok')
    throw new BadSetting(`DATA_DIR: ${path} is damaged; restore it from a backup`)
  for (const sql of migrations.slice(version).flatMap((migration) => migration(sqliteDialect))) db.exec(sql)
  if (isNew) db.prepare("INSERT INTO status_meta VALUES ('source', ?)").run(randomUUID())
  if (version < migrations.length)
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`)
  db.exec('COMMIT')
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216')
}
