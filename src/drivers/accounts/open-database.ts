import type { Logger } from '../../process/logger.ts'
import type { Database } from './database.ts'
import { openSqlite } from './sqlite.ts'

/** The settings that say which database it is. */
export interface DatabasePlace {
  readonly DATA_DIR: string
  readonly DATABASE_URL: string | null
  readonly DATABASE_POOL_MAX?: number
}

/** The driver for PostgreSQL is loaded only where it is used. */
export async function openDatabase(
  { DATA_DIR, DATABASE_URL, DATABASE_POOL_MAX: max }: DatabasePlace,
  log?: Pick<Logger, 'warn'>,
): Promise<Database> {
  if (DATABASE_URL === null) return openSqlite(DATA_DIR)
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(DATABASE_URL, { ...(max && { max }), ...(log && { log }) })
}
