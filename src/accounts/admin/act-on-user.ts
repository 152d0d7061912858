import { type Refusal, refuse } from '../../http/refusal.ts'
import { mustBeOneOf } from '../access.ts'
import { cliOrigin, type Origin } from '../audit.ts'
import type { CreateDeps } from '../create-account.ts'
import { permitted, type Role } from '../roles.ts'
import type { Account, Act, Change, Parties, Principal, Who } from '../users.ts'
import { errors } from './errors.ts'

/** One act of an administrator or the operator on an account. */
export interface UserAct<Terms>
  extends Pick<Act, 'action' | 'locksOwners' | 'readsKeys' | 'readsSessions' | 'readsLinks' | 'seeksGrants'> {
  /** Whether the actor's role allows it. The command line tool may do anything. */
  may(actor: Role, target: Role, terms: Terms): boolean
  readonly errors: { readonly self: Refusal; readonly forbidden: Refusal; readonly unknown?: Refusal }
  /** Refuses invalid terms. */
  check?(terms: Terms, now: number): void
  /** Returns null if there is nothing to change. */
  change(target: Account, terms: Terms, circumstances: Circumstances): Change | null
}

interface Circumstances extends Pick<Parties, 'actor' | 'hasOtherOwner' | 'hasGrants' | 'keys' | 'sessions' | 'links'> {
  readonly by: Origin
  readonly now: number
}

export type ActDeps = Pick<CreateDeps, 'users' | 'clock'>

/** Both accounts are checked in the transaction that writes. `changed` is false if the act had no effect. */
export async function actOnUser<Terms>(
  { users, clock }: ActDeps,
  act: UserAct<Terms>,
  by: Origin,
  who: Who,
  terms: Terms,
  isDryRun = false,
): Promise<{ readonly account: Account; readonly changed: boolean }> {
  const now = clock.now()
  const { action, locksOwners = false, seeksGrants = false } = act
  const { readsKeys = false, readsSessions = false, readsLinks = false } = act
  act.check?.(terms, now)
  const { account, changed, isNameTaken } = await users.change(
    { action, by, target: who, isDryRun, locksOwners, seeksGrants, readsKeys, readsSessions, readsLinks },
    (parties) => {
      const { target } = parties
      by.noteTarget?.(target?.id ?? null)
      const actor = administratorOf(by, parties.actor)
      if (!target) refuse(act.errors.unknown ?? errors.userNotFound)
      if (actor?.id === target.id) refuse(act.errors.self)
      if (actor && !act.may(actor.role, target.role, terms)) refuse(act.errors.forbidden)
      return act.change(target, terms, { ...parties, by, now })
    },
  )
  if (isNameTaken) refuse(errors.usernameTaken)
  if (!account) refuse(errors.userNotFound)
  return { account, changed }
}

/** Null for the command line tool. The actor's account may have changed since the guard read it. */
export function administratorOf(by: Origin, actor: Account | null): Principal | null {
  return by.actor === cliOrigin.actor ? null : mustBeOneOf(permitted.administer, actor)
}
