import { newerSchema } from '../migrations.ts'

type Row = Record<string, unknown>
export type Query = (text: string) => Promise<readonly Row[]>

export interface PostgresSchema {
  /** The statements to each version from the one before. */
  readonly migrations: readonly (readonly string[])[]
  /** Sent before the version is read: what keeps others from migrating, and what the version is kept in. */
  readonly prepare?: readonly string[]
  /** 0 where there are no tables yet. */
  readVersion(query: Query): Promise<number>
  saveVersion(version: number, before: number): readonly string[]
  refusal(why: string): Error
}

/** In one transaction, which takes as long as it takes; where it throws, the connection has to be closed. */
export async function migrate(query: Query, schema: PostgresSchema): Promise<void> {
  const { migrations, prepare = [] } = schema
  for (const text of ['BEGIN', 'SET LOCAL statement_timeout = 0', ...prepare]) await query(text)
  const version = await schema.readVersion(query)
  const newest = migrations.length
  if (version > newest) throw schema.refusal(newerSchema(version, newest))
  const steps = version < newest ? [...migrations.slice(version).flat(), ...schema.saveVersion(newest, version)] : []
  for (const text of [...steps, 'COMMIT']) await query(text)
}
