import type { DatabaseStatus, StatusOptions } from './database-status.ts'
import type { DatabaseSettings } from './open-database.ts'
import { readSqliteStatus } from './sqlite-status.ts'

/** Looks without migrating, creating or locking anything. Throws Unavailable or BadDatabase where it cannot look. */
export async function readDatabaseStatus(
  { DATA_DIR, DATABASE_URL }: DatabaseSettings,
  options: StatusOptions,
): Promise<DatabaseStatus> {
  if (DATABASE_URL === null) return readSqliteStatus(DATA_DIR, options)
  const { readPostgresStatus } = await import('./postgres-status.ts')
  return readPostgresStatus(DATABASE_URL, options)
}
