import { refuse } from '../../http/refusal.ts'
import type { Origin } from '../audit.ts'
import type { Users, Who } from '../users.ts'
import { type Acted, type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayBan } from './permissions.ts'

/** A token from before the ban works again. */
export function unban({ users }: { users: Users }, by: Origin, who: Who, options?: ActOptions): Promise<Acted> {
  return actOnUser(
    users,
    by,
    who,
    {
      action: 'unban',
      permit(actor, target) {
        if (target.id === actor.id) refuse(errors.selfUnban)
        if (!mayBan(actor.role, target.role)) refuse(errors.cannotUnban)
      },
      change: ({ banned }) =>
        banned ? { values: { ban: null }, before: { banned: true }, after: { banned: false } } : null,
    },
    options,
  )
}
