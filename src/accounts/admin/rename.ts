import { refuse } from '../../http/refusal.ts'
import type { Account, Users } from '../users.ts'
import { type AdminCall, actOnUser } from './act-on-user.ts'
import type { DryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import type { Named } from './identify.ts'
import { mayRename } from './permissions.ts'

interface Rename extends Named {
  readonly newUsername: string
}

/** Gives another name; the token stays. That the name is free is for the write to find out. */
export function rename({ users }: { users: Users }, call: AdminCall<Rename, DryRun>): Promise<Account> {
  const username = call.body.newUsername
  return actOnUser(users, call, {
    action: 'rename',
    isDryRun: call.query.dryRun,
    judge(target, actor) {
      if (target.id === actor.id) refuse(errors.ownUsername)
      if (!mayRename(actor.role, target.role)) refuse(errors.cannotRename)
      if (target.username === username) return null
      return { values: { username }, before: { username: target.username }, after: { username } }
    },
  })
}
