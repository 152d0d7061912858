import { refuse } from '../../http/refusal.ts'
import type { Origin } from '../audit.ts'
import type { Users, Who } from '../users.ts'
import { type Acted, type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayRename } from './permissions.ts'

/** Gives another name; the token stays. The write finds out whether the name is free. */
export function rename(
  { users }: { users: Users },
  by: Origin,
  who: Who,
  username: string,
  options?: ActOptions,
): Promise<Acted> {
  return actOnUser(
    users,
    by,
    who,
    {
      action: 'rename',
      permit(actor, target) {
        if (target.id === actor.id) refuse(errors.ownUsername)
        if (!mayRename(actor.role, target.role)) refuse(errors.cannotRename)
      },
      change: (target) =>
        target.username === username
          ? null
          : { values: { username }, before: { username: target.username }, after: { username } },
    },
    options,
  )
}
