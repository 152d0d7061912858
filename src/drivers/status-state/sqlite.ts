import { randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { BadSetting } from '../../config/parser.ts'
import type { StateLease, StateStore } from '../../status/state-store.ts'
import { prepareDataDir } from '../data-dir.ts'
import { logMigration } from '../migrations.ts'
import { isBusy, isUnusable } from '../sqlite/errors.ts'
import { databaseFiles } from '../sqlite/file-id.ts'
import { inTransaction, migrate, type SqliteSchema, schemaProblem } from '../sqlite/schema.ts'
import { type FileLock, takeFileLock } from './lock.ts'
import { type FileLog, watchReplacedFiles } from './replaced-files.ts'
import { metaFrom, metaText } from './rows.ts'
import { migrations, readers, schemaProbes, sqliteDialect } from './schema.ts'
import { sqliteDatabase } from './sqlite-database.ts'
import { createStateStore } from './store.ts'

export const fileName = 'status.db'
/** The worker locks this file, so that `status.db` itself can be copied while it runs. */
const lockName = 'status.lock'
export const schema: SqliteSchema = {
  name: 'the state of a status worker',
  // "MENS"
  applicationId: 0x4d454e53,
  migrations: migrations.map((migration) => migration(sqliteDialect)),
  readers,
  maxCheckedBytes: 134_217_728,
}
/** How long to wait for a worker that is stopping. */
const maxWaitMs = 400
const pauseMs = 20

interface SqliteLease {
  readonly dataDir: string
  readonly log?: FileLog
}

const silent: FileLog = { error() {}, info() {} }

/** The lease on a folder: the leader locks `status.lock` for as long as it runs; others may read `status.db`. */
export function sqliteLease({ dataDir, log = silent }: SqliteLease): StateLease {
  const path = join(dataDir, fileName)
  const lockPath = join(dataDir, lockName)
  const stores = new Set<StateStore>()
  return {
    async acquire(signal) {
      signal.throwIfAborted()
      prepareDataDir(dataDir)
      const lock = await takeLock(dataDir, signal)
      try {
        const store = releasing(await openStore(path, { lockPath, log, signal }), lock)
        stores.add(store)
        return store
      } catch (error) {
        lock.release()
        throw error
      }
    },
    async close() {
      for (const store of stores) await store.close()
      stores.clear()
    },
  }
}

async function takeLock(dataDir: string, signal: AbortSignal): Promise<FileLock> {
  const path = join(dataDir, lockName)
  try {
    makeFile(path)
    return await retried(
      signal,
      () => takeFileLock(path),
      () => inUse(join(dataDir, fileName)),
    )
  } catch (error) {
    throw isUnusable(error)
      ? new BadSetting(`DATA_DIR: ${path} cannot be locked: ${(error as Error).message}; remove it`)
      : error
  }
}

const releasing = (store: StateStore, lock: FileLock): StateStore => ({
  ...store,
  async close() {
    await store.close()
    lock.release()
  },
})

async function openStore(
  path: string,
  { lockPath, log, signal }: { readonly lockPath: string; readonly log: FileLog; readonly signal: AbortSignal },
): Promise<StateStore> {
  makeFile(path)
  let db: DatabaseSync
  try {
    db = new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw new BadSetting(`DATA_DIR: ${path} cannot be opened: ${(error as Error).message}`)
  }
  try {
    // A worker of version 0.1 locks the file itself.
    await retried(
      signal,
      () => unlessBusy(() => inTransaction(db, 'EXCLUSIVE', () => prepare(db, path, log))),
      () => inUse(path),
    )
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216')
    for (const probe of schemaProbes) db.prepare(probe).get()
    const rows = db.prepare(metaText).all() as { name: string; value: string }[]
    const meta = metaFrom(rows)
    if (meta === null) throw new BadSetting(unusable(path, 'status_meta is incomplete'))
    const isThere = watchReplacedFiles([...databaseFiles(path), lockPath], log)
    return createStateStore(sqliteDatabase(db, isThere), meta)
  } catch (error) {
    db.close()
    throw isUnusable(error) ? new BadSetting(unusable(path, (error as Error).message)) : error
  }
}

const unusable = (path: string, why: string) => `DATA_DIR: ${path} cannot be used: ${why}; restore it from a backup`

/** Readable by its owner only. An existing file is not opened: closing it would release the locks of this process. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Retries for `maxWaitMs`. */
async function retried<T>(signal: AbortSignal, act: () => T | null, problem: () => Error): Promise<T> {
  for (const until = performance.now() + maxWaitMs; ; ) {
    const result = act()
    if (result !== null) return result
    if (performance.now() > until) throw problem()
    await sleep(pauseMs)
    signal.throwIfAborted()
  }
}

const inUse = (path: string) =>
  new BadSetting(`DATA_DIR: ${path} is in use by another status worker; stop it or choose another folder`)

function unlessBusy<T>(act: () => T): T | null {
  try {
    return act()
  } catch (error) {
    if (isBusy(error)) return null
    throw error
  }
}

/** Checks that the file is ours and intact before anything is written. */
function prepare(db: DatabaseSync, path: string, log: FileLog): true {
  const problem = schemaProblem(db, path, schema)
  if (problem !== null) throw new BadSetting(`DATA_DIR: ${path} ${problem}`)
  const startedAt = performance.now()
  const from = migrate(db, schema)
  logMigration(log, { database: fileName, from, to: migrations.length, startedAt })
  if (from === 0) db.prepare("INSERT INTO status_meta (name, value) VALUES ('source', ?)").run(randomUUID())
  return true
}
