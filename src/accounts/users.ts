import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Action, Details, Origin } from './audit.ts'
import type { EmbedLink } from './embed-links.ts'
import type { ApiKey, KeyHolder, KeyWrite } from './keys.ts'
import type { Role } from './roles.ts'
import type { ConsoleSession, SessionHolder, SessionWrite } from './sessions.ts'

/** The part of an account that the guard reads at every request. */
export interface Principal {
  readonly id: string
  readonly username: string
  readonly role: Role
  /** As of now: a ban ends at its `until`, without a write. */
  readonly banned: boolean
  /** SHA-256 of the newest token; null when signed out. */
  readonly tokenHash: string | null
}

export interface Ban {
  readonly reason: string | null
  readonly since: number
  /** Null: until unbanned. */
  readonly until: number | null
  /** The actor, as in the audit; null if unknown. */
  readonly by: string | null
}

export interface Account extends Principal {
  /** Null if and only if `banned` is false. */
  readonly ban: Ban | null
  readonly passwordHash: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Identifies an account; names are case-insensitive. */
export type Who = { readonly id: string } | { readonly username: string }

/** What an act writes. A change of name, role, ban or password also sets `updatedAt`. */
export interface Values {
  readonly username?: string
  readonly role?: Role
  readonly ban?: Ban | null
  readonly passwordHash?: string
  /** The same password, hashed with stronger parameters. */
  readonly rehashed?: string
  readonly tokenHash?: string | null
  /** Deletes the API keys, embed links and console sessions of the account. So does a new password. */
  readonly endsGrants?: true
  /** The console session that a new password leaves. */
  readonly keepsSession?: string | null
}

/** What to write, and the details for the audit. */
export interface Change {
  /** `delete`: removes the account and everything that belongs to it. */
  readonly values: Values | 'delete'
  readonly keys?: KeyWrite
  readonly sessions?: SessionWrite
  /** The id of an embed link to delete. */
  readonly endsLink?: string
  readonly before?: Details
  readonly after?: Details
}

export interface Act {
  readonly action: Action
  /** If the actor is an account, it is read together with the target. */
  readonly by: Origin
  readonly target: Who
  /** Also locks all owners, to check whether another one remains. */
  readonly locksOwners?: boolean
  /** Also reads the API keys of the target. */
  readonly readsKeys?: boolean
  /** Also reads the console sessions of the target. */
  readonly readsSessions?: boolean
  /** Also reads the embed links of the target. */
  readonly readsLinks?: boolean
  /** Also reads whether the target has API keys, embed links or console sessions. */
  readonly seeksGrants?: boolean
  /** Rolls everything back at the end. */
  readonly isDryRun?: boolean
}

/** Both are locked until the act ends. */
export interface Parties {
  readonly target: Account | null
  readonly actor: Account | null
  /** Whether there is an owner besides the target who is not banned. Only if the act `locksOwners`. */
  readonly hasOtherOwner?: boolean
  /** The target's keys, oldest first. Only if the act `readsKeys`. */
  readonly keys?: readonly ApiKey[]
  /** The target's console sessions, newest first. Only if the act `readsSessions`. */
  readonly sessions?: readonly ConsoleSession[]
  /** The target's live embed links, oldest first. Only if the act `readsLinks`. */
  readonly links?: readonly EmbedLink[]
  /** Only if the act `seeksGrants`. */
  readonly hasGrants?: boolean
  /** Whether the actor's console session still exists. Only if it acts with one. */
  readonly hasSession?: boolean
}

export interface ActResult {
  /** The target after the act, or before its deletion; null if there is no such account. */
  readonly account: Account | null
  readonly changed: boolean
  /** Nothing was changed, since another account has the new name. */
  readonly isNameTaken: boolean
}

/**
 * Gets the locked actor. `hasOwner` is read only for a new owner, and stays true of all instances until it is inserted:
 * no two owners are inserted at once.
 */
export type InsertCheck = (actor: Account | null, hasOwner: boolean) => void

/** The port of the accounts. Every method throws Unavailable if the database is down. */
export interface Users {
  /** The current state, whichever instance or tool changed it last. */
  findPrincipal(id: string): MaybePromise<Principal | null>
  find(who: Who): Promise<Account | null>
  /** The API key with this secret and its owner, as they are now; null if the key or the secret has expired. */
  findKey(secretHash: string): MaybePromise<KeyHolder | null>
  /** The API keys of a user, oldest first. */
  keysOf(userId: string): Promise<ApiKey[]>
  /** The console session with this secret and its user, as they are now; null if it has expired. */
  findSession(secretHash: string): MaybePromise<SessionHolder | null>
  /** The live console sessions of a user, newest first. */
  sessionsOf(userId: string): Promise<ConsoleSession[]>
  /** The id of the user who has this console session. */
  ownerOfSession(sessionId: string): Promise<string | null>
  /** The id of the user who has this API key. */
  ownerOfKey(keyId: string): Promise<string | null>
  /**
   * Inserts the account and its audit event in one transaction. False if the name is taken, case-insensitively. `check`
   * throws to refuse.
   */
  insert(account: Account, act: Omit<Act, 'target'>, check?: InsertCheck): Promise<boolean>
  /**
   * One act on one account, in one transaction: locks and reads both parties, calls `changeOf`, which throws to refuse or
   * returns what to write (null: nothing), and writes that with its audit event. A retry calls `changeOf` again.
   */
  change(act: Act, changeOf: (parties: Parties) => Change | null): Promise<ActResult>
  ownerExists(): Promise<boolean>
  isEmpty(): Promise<boolean>
}

interface AccountSeed extends Omit<Principal, 'banned'> {
  readonly passwordHash: string
  readonly now: number
}

export const newAccount = ({ now, ...seed }: AccountSeed): Account => ({
  ...seed,
  banned: false,
  ban: null,
  createdAt: now,
  updatedAt: now,
})
