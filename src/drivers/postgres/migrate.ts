import { newerSchema, oldestReaderText, type Readers, savedReaders } from '../migrations.ts'

type Row = Record<string, unknown>
export type Query = (text: string) => Promise<readonly Row[]>

export interface PostgresSchema {
  /** The statements from each version to the next. */
  readonly migrations: readonly (readonly string[])[]
  readonly readers: Readers
  /** Sent before the version is read: the lock, and the table of the version. */
  readonly prepare?: readonly string[]
  /** 0 if there are no tables yet. */
  readVersion(query: Query): Promise<number>
  saveVersion(version: number, before: number): readonly string[]
  refusal(why: string): Error
}

/** Migrates in one transaction without a timeout; returns the previous version. If it throws, close the connection. */
export async function migrate(query: Query, schema: PostgresSchema): Promise<number> {
  const { migrations, prepare = [] } = schema
  for (const text of ['BEGIN', 'SET LOCAL statement_timeout = 0', ...prepare]) await query(text)
  const version = await schema.readVersion(query)
  const newest = migrations.length
  if ((await oldestReaderOf(query, schema, version)) > newest) throw schema.refusal(newerSchema(version, newest))
  const saved = [...schema.saveVersion(newest, version), ...savedReaders(newest, schema.readers)]
  const steps = version < newest ? [...migrations.slice(version).flat(), ...saved] : []
  for (const text of [...steps, 'COMMIT']) await query(text)
  return version
}

/** The version itself, unless the database names an older one. */
export async function oldestReaderOf(query: Query, { readers }: PostgresSchema, version: number): Promise<number> {
  const [found] = await query(`SELECT to_regclass('${readers.table}') IS NOT NULL AS known`)
  const [row] = found?.known ? await query(oldestReaderText(readers, version)) : []
  return Number(row?.oldest_reader ?? version)
}
