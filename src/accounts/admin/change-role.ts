import { refuse } from '../../http/refusal.ts'
import { roleGiven } from '../changes.ts'
import type { Role } from '../roles.ts'
import type { Account, Users } from '../users.ts'
import { type AdminCall, actOnUser } from './act-on-user.ts'
import type { DryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import type { Named } from './identify.ts'
import { mayChangeRole } from './permissions.ts'

interface RoleChange extends Named {
  readonly role: Role
}

/** Gives another role, which acts on the next request. */
export function changeRole({ users }: { users: Users }, call: AdminCall<RoleChange, DryRun>): Promise<Account> {
  const { role } = call.body
  return actOnUser(users, call, {
    action: 'role',
    isDryRun: call.query.dryRun,
    judge(target, actor) {
      if (target.id === actor.id) refuse(errors.ownRole)
      if (!mayChangeRole(actor.role, target.role, role)) refuse(errors.cannotChangeRole)
      if (target.role === role) return null
      return roleGiven(target.role, role)
    },
  })
}
