import type { Logger } from '../../process/logger.ts'
import type { Database } from './database.ts'
import type { PoolTimes } from './postgres-pool.ts'
import { openSqlite } from './sqlite.ts'

export interface DatabaseSettings {
  readonly DATA_DIR: string
  readonly DATABASE_URL: string | null
  readonly DATABASE_POOL_MAX?: number
}

/** Loads the PostgreSQL driver only if it is needed. */
export async function openDatabase(
  { DATA_DIR, DATABASE_URL, DATABASE_POOL_MAX: max }: DatabaseSettings,
  log?: Pick<Logger, 'warn'>,
  times?: Partial<PoolTimes>,
): Promise<Database> {
  if (DATABASE_URL === null) return openSqlite(DATA_DIR)
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(DATABASE_URL, { ...(max && { max }), ...(log && { log }), ...(times && { times }) })
}
