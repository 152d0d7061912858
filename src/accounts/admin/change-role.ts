import type { Origin } from '../audit.ts'
import type { Role } from '../roles.ts'
import type { Users, Who } from '../users.ts'
import { type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayChangeRole } from './permissions.ts'

/** Takes effect at the user's next request. */
export const changeRole = ({ users }: { users: Users }, by: Origin, who: Who, role: Role, options?: ActOptions) =>
  actOnUser(
    users,
    by,
    who,
    {
      action: 'role',
      may: (actor, target) => mayChangeRole(actor, target, role),
      errors: { self: errors.ownRole, forbidden: errors.cannotChangeRole },
      change: (target) =>
        target.role === role ? null : { values: { role }, before: { role: target.role }, after: { role } },
    },
    options,
  )
