import type { Database } from './database.ts'
import { migrations } from './migrations.ts'

/**
 * ready: as this program needs it. missing, empty, older: made or migrated at the next start. newer, foreign,
 * damaged: no start is possible with it.
 */
export type DatabaseState = 'ready' | 'missing' | 'empty' | 'older' | 'newer' | 'foreign' | 'damaged'

export interface Counts {
  readonly users: number
  readonly owners: number
  readonly banned: number
}

export interface DatabaseStatus {
  readonly name: Database['name']
  /** The file, or the name and the server; without credentials. */
  readonly where: string
  readonly state: DatabaseState
  readonly schemaVersion: number | null
  readonly counts: Counts | null
  /** `ok` or the first problem; null where it was not looked at. */
  readonly integrity: string | null
}

export interface StatusOptions {
  /** Counts, and checks every page of an embedded database: about a second a gigabyte. */
  readonly deep: boolean
  /** When it is, for bans that end. */
  readonly now: number
}

export function stateOf(schemaVersion: number): DatabaseState {
  if (schemaVersion === migrations.length) return 'ready'
  return schemaVersion < migrations.length ? 'older' : 'newer'
}

/** An older schema knows no end of a ban. */
export const countsSql = (schemaVersion: number, now: number) => `SELECT count(*) AS users,
  count(*) FILTER (WHERE role = 'owner') AS owners,
  count(*) FILTER (WHERE banned = 1${schemaVersion < 2 ? '' : ` AND coalesce(banned_until > ${now}, true)`}) AS banned
FROM users`
