import type { DatabaseStatus, StatusOptions } from './database-status.ts'
import type { DatabaseSettings } from './open-database.ts'
import { readSqliteStatus } from './sqlite-status.ts'

/** Migrates, creates and locks nothing. Throws Unavailable or BadDatabase if it cannot read. */
export async function readDatabaseStatus(
  { DATA_DIR, DATABASE_URL }: DatabaseSettings,
  options: StatusOptions,
): Promise<DatabaseStatus> {
  if (DATABASE_URL === null) return readSqliteStatus(DATA_DIR, options)
  const { readPostgresStatus } = await import('./postgres-status.ts')
  return readPostgresStatus(DATABASE_URL, options)
}
