import { dayMs } from '../lib/timestamps.ts'
import type { Principal } from './users.ts'

/* Sessions of the console: sign-ins by cookie, beside the one token of an account, which knows nothing of them. */

export const maxSessions = 20
export const sessionLifetimeMs = 30 * dayMs

export interface ConsoleSession {
  readonly id: string
  readonly userId: string
  readonly createdAt: number
  readonly expiresAt: number
  /** The sign-in, or later the minute of the last request; written with the counters. */
  readonly lastUsedAt: number
  /** Where the user signed in. */
  readonly address: string
  /** Such as `Firefox on Linux`. */
  readonly browser: string
}

/** What the guard reads at every request. */
export type SessionInUse = Pick<ConsoleSession, 'id' | 'userId' | 'createdAt'>

/** A session and its user. */
export interface SessionHolder {
  readonly session: SessionInUse
  readonly user: Principal
}

/** What an act changes about the sessions of its target. */
export type SessionWrite =
  /** Removes expired ones, the one that it `replaces`, and the oldest beyond `max`. */
  | {
      readonly add: ConsoleSession
      readonly secretHash: string
      readonly replaces: string | null
      readonly max: number
    }
  | { readonly remove: string }
