import { parsed } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import type { Clock } from '../../lib/clock.ts'
import { readTimestamp } from '../../lib/moment.ts'
import { banned } from '../changes.ts'
import type { Account, Users } from '../users.ts'
import { type AdminCall, actOnUser } from './act-on-user.ts'
import type { DryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import type { Named } from './identify.ts'
import { mostReason } from './limits.ts'
import { mayBan } from './permissions.ts'

interface BanRequest extends Named {
  readonly reason?: string | undefined
  readonly until?: number | undefined
}

/** PostgreSQL holds neither a NUL nor half a character. */
const readReason = (text: string) =>
  [...text].length <= mostReason && text.isWellFormed() && !text.includes('\0') ? text : undefined

export const banFields = {
  reason: parsed(readReason, {
    maxLength: mostReason,
    invalid: errors.badReason,
    isStrict: true,
    description: 'Why; administrators can read it',
    examples: ['Spam'],
  }),
  until: parsed(readTimestamp, {
    format: 'date-time',
    invalid: errors.badUntil,
    isStrict: true,
    description: 'When it ends by itself; never by default',
  }),
}

interface Deps {
  readonly users: Users
  readonly clock: Clock
}

/** Bans, for good or until a time; every request of the user is refused from now on. */
export function ban({ users, clock }: Deps, call: AdminCall<BanRequest, DryRun>): Promise<Account> {
  const { reason = null, until = null } = call.body
  const since = clock.now()
  if (until !== null && until <= since) refuse(errors.badUntil)
  return actOnUser(users, call, {
    action: 'ban',
    isDryRun: call.query.dryRun,
    judge(target, actor) {
      if (target.id === actor.id) refuse(errors.selfBan)
      if (!mayBan(actor.role, target.role)) refuse(errors.cannotBan)
      if (target.banned) refuse(errors.alreadyBanned)
      return banned({ reason, since, until, by: actor.id })
    },
  })
}
