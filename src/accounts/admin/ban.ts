import { parsed } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime, readTimestamp } from '../../lib/timestamps.ts'
import type { Origin } from '../audit.ts'
import type { Users, Who } from '../users.ts'
import { type ActOptions, actOnUser } from './act-on-user.ts'
import { errors } from './errors.ts'
import { maxReasonLength } from './limits.ts'
import { mayBan } from './permissions.ts'

/** PostgreSQL stores neither NUL nor an unpaired surrogate. */
const readReason = (text: string) =>
  [...text].length <= maxReasonLength && text.isWellFormed() && !text.includes('\0') ? text : undefined

export const banFields = {
  reason: parsed(readReason, {
    maxLength: maxReasonLength,
    invalid: errors.badReason,
    isStrict: true,
    description: 'Why the user is banned; administrators can read it',
    examples: ['Spam'],
  }),
  until: parsed(readTimestamp, {
    format: 'date-time',
    invalid: errors.badUntil,
    isStrict: true,
    description: 'When the ban ends by itself; by default it does not',
  }),
}

interface Deps {
  readonly users: Users
  readonly clock: Clock
}

export interface BanTerms {
  readonly reason?: string | null | undefined
  /** Null: until unbanned. */
  readonly until?: number | null | undefined
}

/** Every request of the user is refused from now on. */
export function ban({ users, clock }: Deps, by: Origin, who: Who, terms: BanTerms, options?: ActOptions) {
  const { reason = null, until = null } = terms
  const since = clock.now()
  if (until !== null && until <= since) refuse(errors.badUntil)
  return actOnUser(
    users,
    by,
    who,
    {
      action: 'ban',
      may: mayBan,
      errors: { self: errors.selfBan, forbidden: errors.cannotBan },
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

/** Lifts a ban; a token from before the ban works again. */
export const unban = ({ users }: Pick<Deps, 'users'>, by: Origin, who: Who, options?: ActOptions) =>
  actOnUser(
    users,
    by,
    who,
    {
      action: 'unban',
      may: mayBan,
      errors: { self: errors.selfUnban, forbidden: errors.cannotUnban },
      change: ({ banned }) =>
        banned ? { values: { ban: null }, before: { banned: true }, after: { banned: false } } : null,
    },
    options,
  )
