import { fileName, schema } from './accounts/sqlite.ts'
import type { SqliteSchema } from './sqlite/schema.ts'
import { fileName as statusFile, schema as statusSchema } from './status-state/sqlite.ts'

/** The databases in DATA_DIR that cannot be rebuilt. */
export const embeddedDatabases: ReadonlyMap<string, SqliteSchema> = new Map([
  [fileName, schema],
  [statusFile, statusSchema],
])
