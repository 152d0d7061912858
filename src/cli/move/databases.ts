import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { movedRows } from '../../drivers/accounts/migrations.ts'
import { fileName, schema } from '../../drivers/accounts/sqlite.ts'
import { prepareDataDir } from '../../drivers/data-dir.ts'
import { advisoryLocks } from '../../drivers/postgres/advisory-locks.ts'
import type { PostgresSchema } from '../../drivers/postgres/migrate.ts'
import type { SqliteSchema } from '../../drivers/sqlite/schema.ts'
import { movedRows as movedStatusRows } from '../../drivers/status-state/schema.ts'
import { fileName as statusFile, schema as statusSchema } from '../../drivers/status-state/sqlite.ts'
import type { PostgresPlace } from '../../drivers/tables/postgres-tables.ts'
import { openSqliteSource, openSqliteTarget } from '../../drivers/tables/sqlite-tables.ts'
import {
  checkVersion,
  type Table,
  type TableStore,
  type TargetState,
  tablesOf,
  targetState,
} from '../../drivers/tables/tables.ts'

type UrlSetting = 'DATABASE_URL' | 'STATUS_DATABASE_URL'

interface Kind {
  /** For scripts. */
  readonly id: string
  readonly name: string
  readonly fileName: string
  readonly schema: SqliteSchema
  readonly movedRows: Readonly<Record<string, string>>
  /** Where the URL comes from, if there is one. */
  settingOf(place: Config): UrlSetting
  /** The schema on PostgreSQL, and the lock that a move takes there. */
  postgres(setting: UrlSetting): Promise<{ readonly schema: PostgresSchema; readonly lock: number }>
}

const kinds: readonly Kind[] = [
  {
    id: 'accounts',
    name: 'accounts',
    fileName,
    schema,
    movedRows,
    settingOf: () => 'DATABASE_URL',
    postgres: async () => ({
      schema: (await import('../../drivers/accounts/postgres.ts')).schema,
      lock: advisoryLocks.move,
    }),
  },
  {
    id: 'statusWorker',
    name: "the status worker's state",
    fileName: statusFile,
    schema: statusSchema,
    movedRows: movedStatusRows,
    settingOf: ({ STATUS_DATABASE_URL }) => (STATUS_DATABASE_URL === null ? 'DATABASE_URL' : 'STATUS_DATABASE_URL'),
    async postgres(setting) {
      const { schemaOf } = await import('../../drivers/status-state/postgres-schema.ts')
      return { schema: schemaOf(setting), lock: advisoryLocks.state }
    },
  },
]

export const nameOf = (id: string) => kinds.find((kind) => kind.id === id)?.name ?? id

/** A database to move. */
export interface OpenDatabase {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly tables: readonly Table[]
  readonly source: TableStore
  readonly target: TableStore
  readonly state: TargetState
}

export async function openDatabases(from: Config, to: Config) {
  const stores: TableStore[] = []
  const databases: OpenDatabase[] = []
  /** What does not move, and why. */
  const stay: string[] = []
  const close = async () => {
    for (const store of stores) await store.close()
  }
  const keep = <S extends TableStore | null>(store: S): S => {
    if (store) stores.push(store)
    return store
  }
  try {
    const sources: { readonly kind: Kind; readonly source: TableStore; readonly version: number }[] = []
    for (const kind of kinds) {
      const isThere = placeOf(kind, from) !== placeOf(kind, to)
      const source = isThere ? keep(await openSource(kind, from)) : null
      const version = kind.schema.migrations.length
      if (source !== null) {
        await checkVersion(source, version)
        sources.push({ kind, source, version })
      } else
        stay.push(
          isThere
            ? `${kind.name}: there is none`
            : `${kind.name}, in ${kind.fileName} of ${to.DATA_DIR} before and after`,
        )
    }
    // No target is touched until every source is known to be good.
    for (const { kind, source, version } of sources) {
      const tables = tablesOf(kind.schema, kind.movedRows)
      const target = keep(await openTarget(kind, to))
      const state = await targetState(target, tables, version)
      databases.push({ id: kind.id, name: kind.name, version, tables, source, target, state })
    }
    return { databases, stay, close }
  } catch (error) {
    await close()
    throw error
  }
}

const placeOf = (kind: Kind, place: Config) => place[kind.settingOf(place)] ?? join(place.DATA_DIR, kind.fileName)

async function openSource(kind: Kind, place: Config): Promise<TableStore | null> {
  const server = await serverOf(kind, place)
  if (server === null) return openSqliteSource(placeOf(kind, place), kind.schema)
  return (await import('../../drivers/tables/postgres-tables.ts')).openPostgresSource(server)
}

async function openTarget(kind: Kind, place: Config): Promise<TableStore> {
  const server = await serverOf(kind, place)
  if (server !== null) return (await import('../../drivers/tables/postgres-tables.ts')).openPostgresTarget(server)
  prepareDataDir(place.DATA_DIR)
  return openSqliteTarget(placeOf(kind, place), kind.schema)
}

async function serverOf(kind: Kind, place: Config): Promise<PostgresPlace | null> {
  const setting = kind.settingOf(place)
  const url = place[setting]
  if (url === null) return null
  const { whereOf } = await import('../../drivers/accounts/postgres-status.ts')
  return { url, setting, where: whereOf(url), ...(await kind.postgres(setting)) }
}
