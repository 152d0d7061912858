import type { Logger } from '../process/logger.ts'

/** The statements from each version to the next, in a dialect. Never edit a released one. */
export type Migrations<Dialect> = readonly ((dialect: Dialect) => readonly string[])[]

/** Which programs can use the newest schema. */
export interface Readers {
  /** A table with a row for each version that was migrated to. Only its own program can use a version without a row. */
  readonly table: string
  /**
   * The newest version known to the oldest program that can still use the schema. A migration that only adds leaves it
   * as is; one that removes or changes what such a program uses raises it.
   */
  readonly oldest: number
}

export const readersTable = (table: string, integer: string, ending: string) =>
  `CREATE TABLE ${table} (version ${integer} PRIMARY KEY NOT NULL, oldest_reader ${integer} NOT NULL)${ending}`

/** Saved with the version. */
export const savedReaders = (version: number, readers: Readers | undefined) =>
  readers ? [`INSERT INTO ${readers.table} (version, oldest_reader) VALUES (${version}, ${readers.oldest})`] : []

export const oldestReaderText = ({ table }: Readers, version: number) =>
  `SELECT oldest_reader FROM ${table} WHERE version = ${version}`

/** Added to the version of a database while a move fills it, so that every program refuses to open it. */
export const unfinishedMove = 1_000_000

export const newerSchema = (found: number, newest: number) =>
  found > unfinishedMove
    ? unfinished(found - unfinishedMove, newest)
    : `has schema version ${found}, newer than this program's ${newest}; start the newer program`

const unfinished = (version: number, newest: number) =>
  version === newest
    ? 'is the target of an unfinished move; run the same cli move again to finish it, or empty it'
    : `is the target of an unfinished move by a program of schema version ${version}, and this one has ${newest}; empty it, and run cli move again`

export interface Migration {
  readonly database: string
  /** 0 if it was new. */
  readonly from: number
  readonly to: number
  /** By `performance.now`. */
  readonly startedAt: number
}

/** A new or current database was not migrated. */
export function logMigration(log: Pick<Logger, 'info'> | undefined, { startedAt, ...migration }: Migration): void {
  if (migration.from === 0 || migration.from >= migration.to) return
  log?.info({ ...migration, durationMs: Math.round(performance.now() - startedAt) }, 'migrated the schema')
}
