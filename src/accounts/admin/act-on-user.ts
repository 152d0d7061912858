import { refuse } from '../../http/refusal.ts'
import { administrators } from '../access.ts'
import { type Action, cliOrigin, type Origin } from '../audit.ts'
import { errors as accessErrors } from '../errors.ts'
import type { Role } from '../roles.ts'
import type { Account, Change, Users, Who } from '../users.ts'
import { errors } from './errors.ts'

export interface ActOptions {
  readonly isDryRun?: boolean | undefined
  /** Called with the target's id, or null if there is no such account, before anything can be refused. */
  readonly onTarget?: (id: string | null) => void
}

export interface Acted {
  readonly account: Account
  /** False if it was so already. */
  readonly changed: boolean
}

interface AdminAct {
  readonly action: Action
  /** Refuses by throwing. The operator's tool may do anything, so it is not asked for it. */
  permit(actor: Account, target: Account): void
  /** Null if there is nothing to change. */
  change(target: Account): Change | null
}

/** One act of an administrator or the operator on an account. Both parties are judged as they are when it is written. */
export async function actOnUser(
  users: Users,
  by: Origin,
  who: Who,
  { action, permit, change }: AdminAct,
  { isDryRun = false, onTarget }: ActOptions = {},
): Promise<Acted> {
  const { account, changed, isNameTaken } = await users.change({ action, by, target: who, isDryRun }, (parties) => {
    const { target } = parties
    onTarget?.(target?.id ?? null)
    const actor = by.actor === cliOrigin.actor ? null : mustStillBe(parties.actor)
    if (!target) refuse(errors.userNotFound)
    if (actor) permit(actor, target)
    return change(target)
  })
  if (isNameTaken) refuse(errors.usernameTaken)
  if (!account) refuse(errors.userNotFound)
  return { account, changed }
}

/** What the guard saw may have changed since. */
function mustStillBe(actor: Account | null): Account {
  if (!actor) refuse(accessErrors.tokenInvalid)
  if (actor.banned) refuse(accessErrors.banned)
  if (!(administrators as readonly Role[]).includes(actor.role)) refuse(accessErrors.forbidden)
  return actor
}
