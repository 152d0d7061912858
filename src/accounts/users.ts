import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Action, Details, Origin } from './audit.ts'
import type { Role } from './roles.ts'

/** What the guard needs of an account on every request. */
export interface Principal {
  readonly id: string
  readonly username: string
  readonly role: Role
  /** As of now: a ban with an end is over when that has come. */
  readonly banned: boolean
  /** SHA-256 of the newest token; null when signed out. */
  readonly tokenHash: string | null
}

export interface Ban {
  readonly reason: string | null
  readonly since: number
  /** Null: until it is lifted. */
  readonly until: number | null
  /** Who banned, as the audit names them; null where that was not kept. */
  readonly by: string | null
}

export interface Account extends Principal {
  /** The ban that holds now; null exactly when `banned` is false. */
  readonly ban: Ban | null
  readonly passwordHash: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Who is meant; a name without regard to case. */
export type Who = { readonly id: string } | { readonly username: string }

/** What an act writes into an account. `updatedAt` follows name, role, ban and password by itself. */
export interface Values {
  readonly username?: string
  readonly role?: Role
  readonly ban?: Ban | null
  readonly passwordHash?: string
  /** The same password, hashed anew. */
  readonly rehashed?: string
  readonly tokenHash?: string | null
}

/** What is to be written, and what the audit tells of it. */
export interface Change {
  readonly values: Values
  readonly before?: Details
  readonly after?: Details
}

export interface Act {
  readonly action: Action
  /** An actor who has an account is read with the target. */
  readonly by: Origin
  readonly target: Who
  /** Everything is done, and then undone. */
  readonly isDryRun?: boolean
}

/** Both as they are while the act holds them: nobody else changes them before it is over. */
export interface Parties {
  readonly target: Account | null
  readonly actor: Account | null
}

export interface Outcome {
  /** The target after the act; null if there is none. */
  readonly account: Account | null
  readonly changed: boolean
  /** Nothing was changed, because the new name is held by another account. */
  readonly isNameTaken: boolean
}

/** The accounts, as the use cases need them. Every method throws Unavailable when the database is away. */
export interface Users {
  /** The account as of now, whichever instance or tool changed it last; null if unknown. */
  findPrincipal(id: string): MaybePromise<Principal | null>
  find(who: Who): Promise<Account | null>
  /** With its event of the audit, in one transaction. False if the name is taken, in whatever case. */
  insert(account: Account, act: Pick<Act, 'action' | 'by'>): Promise<boolean>
  /**
   * One act on one account, in one transaction: both parties are read and held, `judge` refuses by throwing or says
   * what to write (null: nothing), and that is written with its event of the audit. `judge` may be asked again.
   */
  change(act: Act, judge: (parties: Parties) => Change | null): Promise<Outcome>
  ownerExists(): Promise<boolean>
  isEmpty(): Promise<boolean>
}
