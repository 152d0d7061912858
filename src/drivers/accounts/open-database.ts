import type { Logger } from '../../process/logger.ts'
import type { Database } from './database.ts'
import type { DatabaseStatus, StatusOptions } from './database-status.ts'
import type { PoolTimes } from './postgres-pool.ts'
import { openSqlite } from './sqlite.ts'
import { readSqliteStatus } from './sqlite-status.ts'

export interface DatabaseSettings {
  readonly DATA_DIR: string
  readonly DATABASE_URL: string | null
  readonly DATABASE_POOL_MAX?: number
}

/** Loads the PostgreSQL driver only if it is needed. */
export async function openDatabase({
  DATA_DIR,
  DATABASE_URL,
  DATABASE_POOL_MAX: max,
}: DatabaseSettings): Promise<Database> {
  if (DATABASE_URL === null) return openSqlite(DATA_DIR)
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(DATABASE_URL, { ...(max && { max }) })
}

/** As `openDatabase`, but does not fail if the server is away: see `Database.prepare`. */
export async function awaitDatabase(
  settings: DatabaseSettings,
  log: Pick<Logger, 'warn' | 'info'>,
  times: Partial<PoolTimes> = {},
): Promise<Database> {
  const { DATABASE_URL, DATABASE_POOL_MAX: max } = settings
  if (DATABASE_URL === null) return openSqlite(settings.DATA_DIR, log)
  const { awaitPostgres } = await import('./postgres.ts')
  return awaitPostgres(DATABASE_URL, { ...(max && { max }), log, times })
}

/** Does not migrate, create or lock anything. Throws Unavailable or BadDatabase if it cannot read. */
export async function readDatabaseStatus(
  { DATA_DIR, DATABASE_URL }: DatabaseSettings,
  options: StatusOptions,
): Promise<DatabaseStatus> {
  if (DATABASE_URL === null) return readSqliteStatus(DATA_DIR, options)
  const { readPostgresStatus } = await import('./postgres-status.ts')
  return readPostgresStatus(DATABASE_URL, options)
}
