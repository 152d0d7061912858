import type { Origin } from '../audit.ts'
import type { Users, Who } from '../users.ts'
import { type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayBan } from './permissions.ts'

/** Signs a user out, who may sign in again. */
export const revokeToken = ({ users }: { users: Users }, by: Origin, who: Who, options?: ActOptions) =>
  actOnUser(
    users,
    by,
    who,
    {
      action: 'revoke-token',
      may: mayBan,
      errors: { self: errors.selfRevoke, forbidden: errors.cannotRevoke },
      change: ({ tokenHash }) => (tokenHash === null ? null : { values: { tokenHash: null } }),
    },
    options,
  )
