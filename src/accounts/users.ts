import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Role } from './roles.ts'

/** What the guard needs of an account on every request. */
export interface Principal {
  readonly id: string
  readonly username: string
  readonly role: Role
  readonly banned: boolean
  /** SHA-256 of the newest token; null when signed out. */
  readonly tokenHash: string | null
}

export interface Account extends Principal {
  readonly passwordHash: string
  readonly createdAt: number
  readonly updatedAt: number
}

export interface NewSession {
  readonly id: string
  readonly tokenHash: string
  /** The hash that the password was checked against; the write happens only while it still stands. */
  readonly verifiedHash: string
  /** Set when the parameters of hashing have risen since. */
  readonly rehashed: string | null
}

export interface NewPassword {
  readonly id: string
  readonly passwordHash: string
  readonly tokenHash: string
  readonly verifiedHash: string
  /** The token that the request came with; the write happens only while it is the newest. */
  readonly currentTokenHash: string
  readonly at: number
}

/**
 * The accounts, as the use cases need them. Every method throws Unavailable when the database is away.
 * Writes repeat their condition, so that a concurrent change cannot slip between check and act.
 */
export interface Users {
  /** The account as of now, whichever instance or tool changed it last; null if unknown. */
  findPrincipal(id: string): MaybePromise<Principal | null>
  findById(id: string): Promise<Account | null>
  /** Without regard to case. */
  findByName(username: string): Promise<Account | null>
  /** False if the name is taken, in whatever case. */
  insert(account: Account): Promise<boolean>
  /** Makes this token the only one. False if meanwhile the account was banned or its password changed. */
  startSession(session: NewSession): Promise<boolean>
  /** Ends the session of exactly this token; false if it is not the newest any more. */
  endSession(id: string, tokenHash: string): Promise<boolean>
  /** False if meanwhile the account was banned, signed in anew, or its password changed. */
  changePassword(change: NewPassword): Promise<boolean>
  ownerExists(): Promise<boolean>
  isEmpty(): Promise<boolean>
}

/** Every given condition holds at once. */
export interface AccountFilter {
  readonly role?: Role
  readonly banned?: boolean
  /** Stands in the username, without regard to case; no character in it is special. */
  readonly query?: string
}

/**
 * What only the operator's tool does: no permission is asked, and every act is one write. False where there was
 * nothing to change: no such account, or it is so already.
 */
export interface UsersForOperator {
  /** Sets the password and signs the account out everywhere. */
  setPassword(id: string, passwordHash: string, at: number): Promise<boolean>
  setRole(id: string, role: Role, at: number): Promise<boolean>
  setBanned(id: string, banned: boolean, at: number): Promise<boolean>
  revokeToken(id: string): Promise<boolean>
  /** By id, `limit` accounts after the given one. */
  list(afterId: string | null, limit: number, filter?: AccountFilter): Promise<Account[]>
}
