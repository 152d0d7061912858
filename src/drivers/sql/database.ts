import type { Kysely } from 'kysely'

export interface UsersTable {
  id: string
  username: string
  role: string
  banned: number
  password_hash: string
  token_hash: string | null
  created_at: number
  updated_at: number
}

export interface Tables {
  users: UsersTable
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
  /** Throws Unavailable when the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** The database cannot be used as it is; the message is one line for the operator. Nothing was changed. */
export class BadDatabase extends Error {
  override readonly name = 'BadDatabase'
}
