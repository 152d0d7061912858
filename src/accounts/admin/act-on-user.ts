import type { Call } from '../../http/call.ts'
import { refuse } from '../../http/refusal.ts'
import { administrators } from '../access.ts'
import { type Action, originOf } from '../audit.ts'
import { errors as accessErrors } from '../errors.ts'
import type { Actor } from '../guard.ts'
import type { Role } from '../roles.ts'
import type { Account, Change, Users } from '../users.ts'
import { errors } from './errors.ts'
import { type Named, whoOf } from './identify.ts'

export type AdminCall<Body extends Named, Query = null> = Call<Actor, Body, Query>

interface AdminAct {
  readonly action: Action
  readonly isDryRun?: boolean | undefined
  /** Refuses by throwing; null: there is nothing to change. */
  judge(target: Account, actor: Account): Change | null
}

/** One act of an administrator on a user. Actor and target are judged as they are when it is written. */
export async function actOnUser<Body extends Named>(
  users: Users,
  call: AdminCall<Body, unknown>,
  { action, isDryRun = false, judge }: AdminAct,
): Promise<Account> {
  const act = { action, by: originOf(call), target: whoOf(call.body), isDryRun }
  const { account, isNameTaken } = await users.change(act, ({ target, actor }) => {
    call.target = target?.id ?? null
    call.about = null
    const stillMay = mustStillBe(actor)
    if (!target) refuse(errors.userNotFound)
    return judge(target, stillMay)
  })
  if (isNameTaken) refuse(errors.usernameTaken)
  if (!account) refuse(errors.userNotFound)
  return account
}

/** What the guard saw may have changed since. */
function mustStillBe(actor: Account | null): Account {
  if (!actor) refuse(accessErrors.tokenInvalid)
  if (actor.banned) refuse(accessErrors.banned)
  if (!(administrators as readonly Role[]).includes(actor.role)) refuse(accessErrors.forbidden)
  return actor
}
