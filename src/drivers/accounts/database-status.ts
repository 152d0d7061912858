import { unfinishedMove } from '../migrations.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations.ts'

/**
 * ready: usable now. missing, empty, older: created or migrated at the next start. newer, foreign, damaged, unfinished
 * (target of an unfinished move): the service cannot start with it.
 */
export type DatabaseState = 'ready' | 'missing' | 'empty' | 'older' | 'newer' | 'foreign' | 'damaged' | 'unfinished'

export interface Counts {
  readonly users: number
  readonly owners: number
  readonly banned: number
}

export interface DatabaseStatus {
  readonly name: Database['name']
  /** The file, or the database name and server, without credentials. */
  readonly where: string
  readonly state: DatabaseState
  readonly schemaVersion: number | null
  readonly counts: Counts | null
  /** `ok` or the first problem; null if it was not checked. */
  readonly integrity: string | null
}

export interface StatusOptions {
  /** Also count accounts, and check every page of an embedded database: about a second per gigabyte. */
  readonly deep: boolean
  /** Decides whether a temporary ban has ended. */
  readonly now: number
}

export function stateOf(schemaVersion: number, oldestReader: number): DatabaseState {
  if (schemaVersion > unfinishedMove) return 'unfinished'
  if (schemaVersion < migrations.length) return 'older'
  return oldestReader <= migrations.length ? 'ready' : 'newer'
}

/** Bans have an end from schema version 2 on. */
export const countsSql = (schemaVersion: number, now: number) => `SELECT count(*) AS users,
  count(*) FILTER (WHERE role = 'owner') AS owners,
  count(*) FILTER (WHERE banned = 1${schemaVersion < 2 ? '' : ` AND coalesce(banned_until > ${now}, true)`}) AS banned
FROM users`
