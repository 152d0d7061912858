import { refuse } from '../../http/refusal.ts'
import type { Origin } from '../audit.ts'
import type { Users, Who } from '../users.ts'
import { type Acted, type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayBan } from './permissions.ts'

/** Signs a user out, who may sign in again. */
export function revokeToken({ users }: { users: Users }, by: Origin, who: Who, options?: ActOptions): Promise<Acted> {
  return actOnUser(
    users,
    by,
    who,
    {
      action: 'revoke-token',
      permit(actor, target) {
        if (target.id === actor.id) refuse(errors.selfRevoke)
        if (!mayBan(actor.role, target.role)) refuse(errors.cannotRevoke)
      },
      change: ({ tokenHash }) => (tokenHash === null ? null : { values: { tokenHash: null } }),
    },
    options,
  )
}
