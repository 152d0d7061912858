import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely, sql } from 'kysely'
import { Unavailable } from '../../lib/unavailable.ts'
import type { Logger } from '../../process/logger.ts'
import { logMigration } from '../migrations.ts'
import { SqliteConnection } from '../sqlite/connection.ts'
import { isDuplicate, isUnusable, translating, whileBusy } from '../sqlite/errors.ts'
import { databaseFiles, lostFile } from '../sqlite/file-id.ts'
import { inTransaction, isCurrent, migrate, type SqliteSchema, schemaProblem } from '../sqlite/schema.ts'
import { BadDatabase, type Database, serviceTime, type Tables } from './database.ts'
import { fewUsers } from './few-users.ts'
import { migrations, readers, schemaProbes, sqliteDialect } from './migrations.ts'
import { isNameIndexCurrent, rebuildNameIndex } from './name-index.ts'
import { hasPart } from './name-parts.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { createFinder } from './sqlite-finder.ts'
import { createLongReads, threadFromBytes } from './sqlite-long-reads.ts'

export const fileName = 'menagerie.db'
export const schema: SqliteSchema = {
  name: 'a database of Menagerie',
  /** "MENA" */
  applicationId: 0x4d454e41,
  migrations: migrations.map((migration) => migration(sqliteDialect)),
  readers,
  maxCheckedBytes: 134_217_728,
}

/**
 * 64 KB, more than a registration writes (12 pages), so that success proves there is room for one. SQLite skips
 * unchanged pages, so the bytes are random.
 */
const proof = CompiledQuery.raw(
  'INSERT INTO probe (id, content) VALUES (1, hex(randomblob(32768))) ON CONFLICT (id) DO UPDATE SET content = excluded.content',
)

/**
 * Opens and migrates the embedded database. Throws BadDatabase if the file is corrupt, foreign or newer. From
 * `fromBytes` on, administrators' queries get a thread of their own.
 */
export async function openSqlite(
  dataDir: string,
  log?: Pick<Logger, 'info'>,
  fromBytes = threadFromBytes,
): Promise<Database> {
  const path = join(dataDir, fileName)
  // Created with mode 0600; SQLite would use the umask.
  closeSync(openSync(path, 'a', 0o600))
  const writer = open(path, false)
  let reader: SqliteConnection
  try {
    await prepare(writer, path, log)
    for (const probe of schemaProbes) writer.get(probe, [])
    reader = open(path, true)
  } catch (error) {
    writer.close()
    const cause = (error as Error).cause ?? error
    if (!isUnusable(cause)) throw error
    throw new BadDatabase(`${path} cannot be used: ${(cause as Error).message}; restore it from a backup`)
  }

  const findLost = lostFile(databaseFiles(path))
  const assertKept = () => {
    const lost = findLost()
    if (lost !== null) throw new Unavailable('database', new Error(lostText(lost.path)))
  }
  const change = createChangeMark(reader)
  const kysely = new Kysely<Tables>({
    dialect: createSqliteDialect({ writer, reader, assertKept, onCommit: change.forget }),
  })
  const longReads = createLongReads({ path, reader, threadFromBytes: fromBytes })
  const get = (sql: string, ...params: (string | number | null)[]) => translating(() => reader.get(sql, params))
  return {
    name: 'SQLite',
    async prepare() {},
    kysely,
    longReads: longReads.kysely,
    finder: createFinder(change.mark, get),
    schemaVersion: migrations.length,
    // An immediate transaction locks everything.
    holdRows: null,
    holdOwners: null,
    replan: sql``,
    userCount: sql<number>`(SELECT count FROM user_count)`,
    fewUsers: (filter) => fewUsers(longReads.kysely, filter),
    keepsTime: false,
    now: serviceTime,
    transaction: (act) => kysely.transaction().execute(act),
    rowsOf: (json) => sql`json_each(${json})`,
    hasPart,
    nameIn: (column) => sql.raw(sqliteDialect.nameIn(column)),
    isDuplicate,
    async proveWritable() {
      await kysely.executeQuery(proof)
    },
    async ping() {
      get('SELECT id FROM users LIMIT 1')
      assertKept()
    },
    async close() {
      await kysely.destroy()
      await longReads.close()
      reader.close()
      writer.close()
    },
  }
}

const lostText = (path: string) =>
  `${path} was removed or replaced, and nothing can be saved until it is back; move it back, or restart the API`

function open(path: string, readOnly: boolean): SqliteConnection {
  try {
    return new SqliteConnection(path, { readOnly })
  } catch (error) {
    throw new BadDatabase(`${path} cannot be opened: ${(error as Error).message}`)
  }
}

/** If two first starts are concurrent, the second waits for the lock and finds the work done. */
async function prepare({ db }: SqliteConnection, path: string, log?: Pick<Logger, 'info'>): Promise<void> {
  const problem = await whileBusy(() => schemaProblem(db, path, schema))
  if (problem !== null) throw new BadDatabase(`${path} ${problem}`)
  await whileBusy(() => db.exec('PRAGMA journal_mode = WAL'))
  db.exec('PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864')
  if (!isCurrent(db, schema)) {
    const startedAt = performance.now()
    const from = await whileBusy(() => inTransaction(db, 'EXCLUSIVE', () => migrate(db, schema)))
    logMigration(log, { database: fileName, from, to: migrations.length, startedAt })
  }
  if (!isNameIndexCurrent(db)) await whileBusy(() => inTransaction(db, 'IMMEDIATE', () => rebuildNameIndex(db)))
}

/**
 * The data version of the read connection changes with every commit. It is read once per turn of the event loop, since
 * the requests of a turn arrived before the turn.
 */
function createChangeMark(reader: SqliteConnection) {
  let looked = false
  let mark = 0
  const forget = () => {
    looked = false
  }
  return {
    forget,
    mark(): number {
      if (looked) return mark
      mark = translating(() => reader.dataVersion())
      looked = true
      setImmediate(forget)
      return mark
    },
  }
}
