import { isoTime } from '../lib/moment.ts'
import type { Role } from './roles.ts'
import type { Ban, Change } from './users.ts'

/* What an act writes and what the audit tells of it: the same whether an administrator or the operator's tool acts. */

export const banned = (ban: Ban): Change => ({
  values: { ban },
  before: { banned: false },
  after: { banned: true, reason: ban.reason, until: ban.until === null ? null : isoTime(ban.until) },
})

export const unbanned: Change = { values: { ban: null }, before: { banned: true }, after: { banned: false } }

export const roleGiven = (from: Role, to: Role): Change => ({
  values: { role: to },
  before: { role: from },
  after: { role: to },
})

export const signedOut: Change = { values: { tokenHash: null } }
