import { BadSetting } from '../../config/parser.ts'
import { messageOf } from '../../lib/failure.ts'
import { unfinishedMove } from '../migrations.ts'
import { migrate, type PostgresSchema } from '../postgres/migrate.ts'
import { createLink, type Link, Pooled } from '../status-state/postgres-link.ts'
import type { TableStore } from './tables.ts'

export interface PostgresPlace {
  readonly url: string
  /** The setting that the URL comes from. */
  readonly setting: string
  /** For messages: the database and its server. */
  readonly where: string
  readonly schema: PostgresSchema
  /** The advisory lock that a move holds. */
  readonly lock: number
}

/** Long enough for a statement that reads or inserts a page, or clears a table. */
const pace = { pollMs: 10_000, answerMs: 60_000 }
const maxMigrationMs = 3_600_000
const name = 'menagerie move'

/** Null if it has no tables. */
export const openPostgresSource = (place: PostgresPlace): Promise<TableStore | null> =>
  opened(place, async (version) => version !== 0)

/** Creates and migrates the tables, unless it is the target of an unfinished move. */
export const openPostgresTarget = async (place: PostgresPlace): Promise<TableStore> =>
  (await opened(place, async (version, link) => {
    if (version === unfinishedMove + place.schema.migrations.length) return true
    await migrate((text) => link.query({ text, timeoutMs: maxMigrationMs }), place.schema)
    return true
  })) as TableStore

async function opened(
  place: PostgresPlace,
  prepare: (version: number, link: Link) => Promise<boolean>,
): Promise<TableStore | null> {
  const { url, where, schema, lock } = place
  const link = createLink(url, pace, name)
  const orWhy = <T>(act: Promise<T>) =>
    act.catch((error) => {
      throw reasonFrom(error, place)
    })
  const query: TableStore['query'] = (text, values) => orWhy(link.query({ text }, values))
  const run: TableStore['run'] = async (texts) => {
    for (const text of ['BEGIN', ...texts, 'COMMIT']) await query(text)
  }
  const store: TableStore = {
    where,
    place: (n) => `$${n}`,
    query,
    run,
    async insert({ name, columns }, rows) {
      const from = `json_populate_recordset(NULL::${name}, $1::json)`
      await query(`INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${from}`, [
        JSON.stringify(rows),
      ])
    },
    readVersion: () => schema.readVersion(query),
    saveVersion: (version) => schema.saveVersion(version, version),
    async settle(tables) {
      const numbered = await query(`SELECT table_name AS name, column_name AS number FROM information_schema.columns
        WHERE table_schema = current_schema() AND is_identity = 'YES'`)
      const own = numbered.filter((each) => tables.some((table) => table.name === each.name))
      return [
        ...own.map(
          ({ name, number }) =>
            `SELECT setval(pg_get_serial_sequence('${name}', '${number}'), max(${number})) FROM ${name}`,
        ),
        ...tables.map((table) => `ANALYZE ${table.name}`),
      ]
    },
    async checkUnused() {
      const [found] = await query(usersText)
      if (found?.count !== 0) throw new BadSetting(`${place.setting}: ${where} is in use; stop the service first`)
    },
    close: () => link.close(),
  }
  try {
    await orWhy(link.connect())
    link.watch(() => {})
    const [locked] = await query(`SELECT pg_try_advisory_lock(${lock})::int AS locked`)
    if (locked?.locked !== 1)
      throw new BadSetting(`${place.setting}: ${where} is in use by another move, or by a status worker; stop it first`)
    await store.checkUnused()
    if (await orWhy(prepare(await store.readVersion(), link))) return store
  } catch (error) {
    link.destroy()
    throw error
  }
  await link.close()
  return null
}

/** Counts connections of the service, the status worker and the operator's tool. */
const usersText = `SELECT count(*) AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'menagerie%' AND application_name <> '${name}'`

const pooled =
  'this is a connection pooler (PgBouncer), and a move needs a direct connection; set it to the PostgreSQL server itself meanwhile'

function reasonFrom(error: unknown, { setting }: PostgresPlace): Error {
  if (error instanceof Error && /^Bad/.test(error.name)) return error
  const { cause } = error as Error
  return new BadSetting(`${setting}: ${error instanceof Pooled ? pooled : messageOf(cause ?? error)}`)
}
