import { optional, parsed, type ValuesOf } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import type { Clock } from '../../lib/clock.ts'
import { dayMs, dayOf, readMoment } from '../../lib/timestamps.ts'
import type { UsageDay } from '../directory.ts'
import { exampleId } from '../schemas.ts'
import { errors } from './errors.ts'
import { findUser, type ReadDeps } from './identify.ts'

export interface UsageDeps extends ReadDeps {
  readonly clock: Clock
  readonly keepUsageDays: number
}

const read = (text: string) => {
  const moment = readMoment(text)
  return moment && dayOf(moment.from)
}

export const dayFields = {
  from: parsed(read, { invalid: errors.badFrom, description: 'The first day; by default the oldest that is kept' }),
  to: parsed(read, { invalid: errors.badTo, description: 'The last day; today by default' }),
}

export const usageFields = {
  ...dayFields,
  userId: optional({
    empty: errors.emptyUserId,
    description: 'Only this user; by default all users together. Wins if `username` is given too',
    examples: [exampleId],
  }),
  username: optional({
    empty: errors.emptyUsername,
    description: 'Only this user; case-insensitive',
    examples: ['alice'],
  }),
}

export async function showUsage(deps: UsageDeps, query: Partial<ValuesOf<typeof usageFields>>): Promise<UsageDay[]> {
  const { directory, journal, clock, keepUsageDays } = deps
  const { to = dayOf(clock.now()), userId, username } = query
  const oldest = dayOf(clock.now() - keepUsageDays * dayMs)
  const { from = oldest } = query
  if (query.from !== undefined && from > to) refuse(errors.badRange)
  await journal.flush()
  const isOfOne = userId !== undefined || username !== undefined
  const user = isOfOne ? await findUser(directory, { userId, username }) : null
  return directory.usage({ userId: user?.id ?? null, from: from > oldest ? from : oldest, to })
}
