import { type Generated, type GeneratedAlways, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'

export interface UsersTable {
  id: string
  username: string
  /** In lower case: what names are found and sorted by. */
  username_key: GeneratedAlways<string>
  role: string
  banned: number
  ban_reason: string | null
  banned_at: number | null
  banned_until: number | null
  banned_by: string | null
  password_hash: string
  token_hash: string | null
  created_at: number
  updated_at: number
  /** Null until the first counted request. */
  requests_id: string | null
  auth: Generated<number>
  admin: Generated<number>
  images: Generated<number>
  total: GeneratedAlways<number>
  requests_created_at: number | null
  requests_updated_at: number | null
}

/** In the place of a user's id, for the counts of everybody together; these are kept for good. */
export const everybody = ''

/** Counts of a user on a day. */
export interface UsageTable {
  user_id: string
  day: string
  auth: number
  admin: number
  images: number
}

export interface AuditTable {
  id: string
  at: number
  action: string
  outcome: string
  actor: string | null
  target: string | null
  address: string | null
  request_id: string | null
  count: Generated<number>
  before: string | null
  after: string | null
}

/** What was written of the journal, so that nothing of it is written twice. */
export interface BatchesTable {
  id: string
  at: number
}

export interface Tables {
  users: UsersTable
  batches: BatchesTable
  usage: UsageTable
  audit: AuditTable
}

/** What only an embedded database can do: answer within the call, and prove that nothing has changed since. */
export interface Instant {
  /** A number that differs after every committed change, whoever made it. */
  mark(): number
  get(sql: string, ...params: (string | number | null)[]): Record<string, unknown> | undefined
}

/** One store in two dialects; what differs between them has a name here. */
export interface Database {
  readonly name: 'SQLite' | 'PostgreSQL'
  readonly kysely: Kysely<Tables>
  readonly instant: Instant | null
  readonly schemaVersion: number
  /** At the end of a SELECT in a transaction: its rows are this transaction's until its end. Null: they are anyway. */
  readonly holdRows: RawBuilder<unknown> | null
  /** At the end of a SELECT whose best plan depends on its values: it is planned each time, instead of once. */
  readonly planAnew: RawBuilder<unknown>
  /** Whether several machines write, and `now` therefore is the server's clock: it orders the audit, not theirs. */
  readonly keepsTime: boolean
  /** In microseconds since the epoch, at the moment when the statement gets to it. */
  now(clock: Clock): RawBuilder<number>
  /** All or nothing. Done again where the database undid it, a lost connection before the commit included. */
  transaction<T>(act: (trx: Kysely<Tables>) => Promise<T>): Promise<T>
  /** A JSON array of arrays as a table of one column, `value`: any number of rows is one parameter. */
  rowsOf(json: string): RawBuilder<unknown>
  /** The username in that column of the audit, or null: written as the indexes on it are. */
  nameIn(column: 'before' | 'after'): RawBuilder<string | null>
  /** Whether a write failed because another row has the value that must be unique. */
  isDuplicate(error: unknown): boolean
  /** Throws Unavailable when the database does not answer. */
  ping(): Promise<void>
  /** Throws Unavailable when nothing can be saved: writes what differs from what was written before. */
  proveWritable(): Promise<void>
  close(): Promise<void>
}

export const ownTime = (clock: Clock) => sql<number>`CAST(${clock.now() * 1000} AS bigint)`

/** The same database, with times by the clock that is handed in: for a clock that is not the machine's. */
export const withOwnTime = (database: Database): Database => ({ ...database, keepsTime: false, now: ownTime })

/** Of a row of `rowsOf`, a value by its place: a text, or a whole number. */
export const text = (place: number) => sql`value ->> ${sql.lit(place)}`
export const integer = (place: number) => sql`CAST(value ->> ${sql.lit(place)} AS bigint)`

/** What a store needs besides its database. */
export interface StoreDeps {
  readonly clock: Clock
  readonly newId: NewId
}

/** The database cannot be used as it is; the message is one line for the operator. Nothing was changed. */
export class BadDatabase extends Error {
  override readonly name = 'BadDatabase'
}
