import { closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely, sql } from 'kysely'
import { SqliteConnection } from '../sqlite/connection.ts'
import { isDuplicate, isUnusable, translate, whileBusy } from '../sqlite/errors.ts'
import { BadDatabase, type Database, ownTime, type Tables } from './database.ts'
import { migrations, newerSchema, schemaProbes, sqliteDialect } from './migrations.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'

/** "MENA": marks a file as ours, so that a file of another program is never written to. */
export const applicationId = 0x4d454e41
export const fileName = 'menagerie.db'
/** Checking every page takes about a second a gigabyte: more than a start may. */
const mostCheckedBytes = 134_217_728

/**
 * 64 KB, more than a registration writes (12 pages): with less room on the disk that fails as well. SQLite writes no
 * page that stays as it is, so the bytes are random.
 */
const proof = CompiledQuery.raw(
  'INSERT INTO probe VALUES (1, hex(randomblob(32768))) ON CONFLICT (id) DO UPDATE SET content = excluded.content',
)

/** Opens and migrates the embedded database. Throws BadDatabase where the file is corrupt, foreign or newer. */
export async function openSqlite(dataDir: string): Promise<Database> {
  const path = join(dataDir, fileName)
  // Made here, for its owner alone, and not by SQLite with whatever mode the umask leaves.
  closeSync(openSync(path, 'a', 0o600))
  const writer = open(path, false)
  let reader: SqliteConnection
  try {
    await prepare(writer, path)
    for (const probe of schemaProbes) writer.get(probe, [])
    reader = open(path, true)
  } catch (error) {
    writer.close()
    const cause = (error as Error).cause ?? error
    if (!isUnusable(cause)) throw error
    throw new BadDatabase(`${path} cannot be used: ${(cause as Error).message}; restore it from a backup`)
  }

  const change = createChangeMark(reader)
  const kysely = new Kysely<Tables>({ dialect: createSqliteDialect({ writer, reader, onCommit: change.forget }) })
  const get = (sql: string, ...params: (string | number | null)[]) => {
    try {
      return reader.get(sql, params)
    } catch (error) {
      throw translate(error)
    }
  }
  return {
    name: 'SQLite',
    kysely,
    instant: { mark: change.mark, get },
    schemaVersion: migrations.length,
    // An immediate transaction holds every row.
    holdRows: null,
    planAnew: sql``,
    keepsTime: false,
    now: ownTime,
    transaction: (act) => kysely.transaction().execute(act),
    rowsOf: (json) => sql`json_each(${json})`,
    nameIn: (column) => sql.raw(sqliteDialect.nameIn(column)),
    isDuplicate,
    async proveWritable() {
      await kysely.executeQuery(proof)
    },
    ping: async () => void get('SELECT id FROM users LIMIT 1'),
    async close() {
      await kysely.destroy()
      reader.close()
      writer.close()
    },
  }
}

function open(path: string, readOnly: boolean): SqliteConnection {
  try {
    return new SqliteConnection(path, { readOnly })
  } catch (error) {
    throw new BadDatabase(`${path} cannot be opened: ${(error as Error).message}`)
  }
}

async function prepare(writer: SqliteConnection, path: string): Promise<void> {
  const { db } = writer
  const pragma = (name: string) => Number(Object.values(writer.get(`PRAGMA ${name}`, []) ?? {})[0])
  const tables = await whileBusy(() => Number(writer.get('SELECT count(*) AS n FROM sqlite_schema', [])?.n))
  if (tables > 0 && pragma('application_id') !== applicationId)
    throw new BadDatabase(`${path} is not a database of Menagerie`)
  if (pragma('user_version') > migrations.length) throw new BadDatabase(newerSchema(path, pragma('user_version')))
  if (tables > 0 && statSync(path).size <= mostCheckedBytes && !isSound(writer)) {
    throw new BadDatabase(`${path} is damaged; restore it from a backup`)
  }
  await whileBusy(() => db.exec('PRAGMA journal_mode = WAL'))
  db.exec('PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864')
  await migrate(writer)
}

const isSound = (writer: SqliteConnection) => Object.values(writer.get('PRAGMA quick_check(1)', []) ?? {})[0] === 'ok'

/** Two first starts at once: the second waits for the lock, and finds the work done. */
async function migrate(writer: SqliteConnection): Promise<void> {
  const { db } = writer
  const versionNow = () => Number(writer.get('PRAGMA user_version', [])?.user_version)
  while (versionNow() < migrations.length) {
    await whileBusy(() => db.exec('BEGIN EXCLUSIVE'))
    try {
      const version = versionNow()
      for (const sql of migrations[version]?.(sqliteDialect) ?? []) db.exec(sql)
      if (version < migrations.length)
        db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version + 1}`)
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw translate(error)
    }
  }
}

/**
 * PRAGMA data_version on the reading connection differs after a commit of any other connection, those of
 * other processes too. One look covers a turn of the event loop: the requests of a turn arrived before it.
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
      try {
        mark = Number(reader.get('PRAGMA data_version', [])?.data_version)
      } catch (error) {
        throw translate(error)
      }
      looked = true
      setImmediate(forget)
      return mark
    },
  }
}
