import { parsed } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime, readTimestamp } from '../../lib/timestamps.ts'
import type { Origin } from '../audit.ts'
import type { Users, Who } from '../users.ts'
import { type Acted, type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mostReason } from './limits.ts'
import { mayBan } from './permissions.ts'

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

export interface BanTerms {
  readonly reason?: string | null | undefined
  /** Null: until it is lifted. */
  readonly until?: number | null | undefined
}

/** Every request of the user is refused from now on. */
export function ban(
  { users, clock }: Deps,
  by: Origin,
  who: Who,
  { reason = null, until = null }: BanTerms,
  options?: ActOptions,
): Promise<Acted> {
  const since = clock.now()
  if (until !== null && until <= since) refuse(errors.badUntil)
  return actOnUser(
    users,
    by,
    who,
    {
      action: 'ban',
      permit(actor, target) {
        if (target.id === actor.id) refuse(errors.selfBan)
        if (!mayBan(actor.role, target.role)) refuse(errors.cannotBan)
      },
      change: ({ banned }) =>
        banned
          ? null
          : {
              values: { ban: { reason, since, until, by: by.actor } },
              before: { banned: false },
              after: { banned: true, reason, until: until === null ? null : isoTime(until) },
            },
    },
    options,
  )
}
