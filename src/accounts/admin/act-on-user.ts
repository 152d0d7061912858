import { type Refusal, refuse } from '../../http/refusal.ts'
import { administrators } from '../access.ts'
import { type Action, cliOrigin, type Origin } from '../audit.ts'
import { errors as accessErrors } from '../errors.ts'
import type { Role } from '../roles.ts'
import type { Account, Change, Users, Who } from '../users.ts'
import { errors } from './errors.ts'

export interface ActOptions {
  readonly isDryRun?: boolean | undefined
}

export interface Acted {
  readonly account: Account
  /** False if the account already was as asked. */
  readonly changed: boolean
}

interface AdminAct {
  readonly action: Action
  /** Whether the actor's role allows it. The command line tool may do anything. */
  may(actor: Role, target: Role): boolean
  readonly errors: { readonly self: Refusal; readonly forbidden: Refusal }
  /** Returns null if there is nothing to change. */
  change(target: Account): Change | null
}

/** One act of an administrator or the operator on an account; both accounts are checked in the transaction that writes. */
export async function actOnUser(
  users: Users,
  by: Origin,
  who: Who,
  act: AdminAct,
  { isDryRun = false }: ActOptions = {},
): Promise<Acted> {
  const { action } = act
  const { account, changed, isNameTaken } = await users.change({ action, by, target: who, isDryRun }, (parties) => {
    const { target } = parties
    by.aim?.(target?.id ?? null)
    const actor = by.actor === cliOrigin.actor ? null : mustStillBe(parties.actor)
    if (!target) refuse(errors.userNotFound)
    if (actor?.id === target.id) refuse(act.errors.self)
    if (actor && !act.may(actor.role, target.role)) refuse(act.errors.forbidden)
    return act.change(target)
  })
  if (isNameTaken) refuse(errors.usernameTaken)
  if (!account) refuse(errors.userNotFound)
  return { account, changed }
}

/** The actor's account may have changed since the guard read it. */
function mustStillBe(actor: Account | null): Account {
  if (!actor) refuse(accessErrors.tokenInvalid)
  if (actor.banned) refuse(accessErrors.banned)
  if (!(administrators as readonly Role[]).includes(actor.role)) refuse(accessErrors.forbidden)
  return actor
}
