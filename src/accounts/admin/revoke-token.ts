import { refuse } from '../../http/refusal.ts'
import { signedOut } from '../changes.ts'
import type { Account, Users } from '../users.ts'
import { type AdminCall, actOnUser } from './act-on-user.ts'
import type { DryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import type { Named } from './identify.ts'
import { mayBan } from './permissions.ts'

/** Signs a user out; he may sign in again. */
export function revokeToken({ users }: { users: Users }, call: AdminCall<Named, DryRun>): Promise<Account> {
  return actOnUser(users, call, {
    action: 'revoke-token',
    isDryRun: call.query.dryRun,
    judge(target, actor) {
      if (target.id === actor.id) refuse(errors.selfRevoke)
      if (!mayBan(actor.role, target.role)) refuse(errors.cannotRevoke)
      return target.tokenHash === null ? null : signedOut
    },
  })
}
