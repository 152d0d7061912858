import { refuse } from '../http/refusal.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { LoginDeps } from './login.ts'
import { mustBeAsProven, type OwnPassword, provePassword } from './own-password.ts'
import type { Account, Change, Parties } from './users.ts'

/** Refuses to delete the last owner who is not banned: nobody could administer the service without one. */
export function deletionOf(target: Account, { hasOtherOwner = false }: Pick<Parties, 'hasOtherOwner'>): Change {
  const { username, role } = target
  if (role === 'owner' && !hasOtherOwner) refuse(errors.lastOwner)
  return { values: 'delete', before: { username, role } }
}

export async function deleteOwnAccount(
  deps: Pick<LoginDeps, 'users' | 'passwords'>,
  actor: Actor,
  own: OwnPassword,
  signal: AbortSignal,
): Promise<void> {
  const { login } = actor
  const id = login.userId
  actor.noteTarget(id)
  const account = await provePassword(deps, actor, own, signal)
  const act = { action: 'delete', by: actor, target: { id }, locksOwners: true } as const
  await deps.users.change(act, (parties) => deletionOf(mustBeAsProven(parties, account, login), parties))
}
