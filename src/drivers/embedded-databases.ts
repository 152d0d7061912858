import { migrations } from './accounts/migrations.ts'
import { applicationId, fileName } from './accounts/sqlite.ts'
import type { KnownDatabase } from './sqlite/copy.ts'
import { migrations as statusMigrations } from './status-state/schema.ts'
import { fileName as statusFile, applicationId as statusId } from './status-state/sqlite.ts'

/** The databases in DATA_DIR that hold something that is nowhere else. */
export const embeddedDatabases: ReadonlyMap<string, KnownDatabase> = new Map([
  [fileName, { applicationId, schemaVersion: migrations.length }],
  [statusFile, { applicationId: statusId, schemaVersion: statusMigrations.length }],
])
