import type { Origin } from '../audit.ts'
import type { Users, Who } from '../users.ts'
import { type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayRename } from './permissions.ts'

/** Keeps the user's token. Whether the name is free is decided by the database's unique index. */
export const rename = ({ users }: { users: Users }, by: Origin, who: Who, username: string, options?: ActOptions) =>
  actOnUser(
    users,
    by,
    who,
    {
      action: 'rename',
      may: mayRename,
      errors: { self: errors.ownUsername, forbidden: errors.cannotRename },
      change: (target) =>
        target.username === username
          ? null
          : { values: { username }, before: { username: target.username }, after: { username } },
    },
    options,
  )
