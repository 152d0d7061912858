import { refuse } from '../../http/refusal.ts'
import { unbanned } from '../changes.ts'
import type { Account, Users } from '../users.ts'
import { type AdminCall, actOnUser } from './act-on-user.ts'
import type { DryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import type { Named } from './identify.ts'
import { mayBan } from './permissions.ts'

/** Lifts a ban; a token from before it works again. */
export function unban({ users }: { users: Users }, call: AdminCall<Named, DryRun>): Promise<Account> {
  return actOnUser(users, call, {
    action: 'unban',
    isDryRun: call.query.dryRun,
    judge(target, actor) {
      if (target.id === actor.id) refuse(errors.selfUnban)
      if (!mayBan(actor.role, target.role)) refuse(errors.cannotUnban)
      if (!target.banned) refuse(errors.notBanned)
      return unbanned
    },
  })
}
