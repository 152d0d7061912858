import { refuse } from '../../http/refusal.ts'
import type { Origin } from '../audit.ts'
import type { Role } from '../roles.ts'
import type { Users, Who } from '../users.ts'
import { type Acted, type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayChangeRole } from './permissions.ts'

/** Gives another role, which acts on the next request. */
export function changeRole(
  { users }: { users: Users },
  by: Origin,
  who: Who,
  role: Role,
  options?: ActOptions,
): Promise<Acted> {
  return actOnUser(
    users,
    by,
    who,
    {
      action: 'role',
      permit(actor, target) {
        if (target.id === actor.id) refuse(errors.ownRole)
        if (!mayChangeRole(actor.role, target.role, role)) refuse(errors.cannotChangeRole)
      },
      change: (target) =>
        target.role === role ? null : { values: { role }, before: { role: target.role }, after: { role } },
    },
    options,
  )
}
