import { actRefusals as refusals } from '../../../../src/accounts/admin/act-errors.ts'
import { mayBan, mayChangeRole, mayCreate, mayRename } from '../../../../src/accounts/admin/permissions.ts'
import { type Role, roles } from '../../../../src/accounts/roles.ts'
import type { User } from '../../session/session.ts'

export { mayCreate }

export type Action = 'ban' | 'unban' | 'role' | 'rename' | 'sign out' | 'reset password' | 'delete'

/** What a dialog asks about before. */
export type AskedAction = Exclude<Action, 'unban'>

interface Rule {
  readonly self: { readonly message: string }
  readonly forbidden: { readonly message: string }
  may(actor: Role, target: Role): boolean
}

export const rolesToGive = (actor: Role, target: Role) => roles.filter((role) => mayChangeRole(actor, target, role))

/** The service's rules and messages. The service decides again when it acts. */
const rules: Readonly<Record<Action | 'end session' | 'revoke key' | 'revoke link', Rule>> = {
  ban: { may: mayBan, self: refusals.selfBan, forbidden: refusals.cannotBan },
  unban: { may: mayBan, self: refusals.selfUnban, forbidden: refusals.cannotUnban },
  role: {
    may: (actor, target) => rolesToGive(actor, target).length > 0,
    self: refusals.ownRole,
    forbidden: refusals.cannotChangeRole,
  },
  rename: { may: mayRename, self: refusals.ownUsername, forbidden: refusals.cannotRename },
  'sign out': { may: mayBan, self: refusals.selfRevoke, forbidden: refusals.cannotRevoke },
  'reset password': { may: mayBan, self: refusals.selfReset, forbidden: refusals.cannotReset },
  delete: { may: mayBan, self: refusals.selfDelete, forbidden: refusals.cannotDelete },
  'end session': { may: mayBan, self: refusals.selfEndSession, forbidden: refusals.cannotEndSession },
  'revoke link': { may: mayBan, self: refusals.selfRevokeLink, forbidden: refusals.cannotRevokeLink },
  'revoke key': { may: mayBan, self: refusals.selfRevokeKey, forbidden: refusals.cannotRevokeKey },
}

/** Why the service would refuse; null if it would not. */
export function refusalOf(action: keyof typeof rules, actor: User, target: Pick<User, 'id' | 'role'>): string | null {
  const { may, self, forbidden } = rules[action]
  if (actor.id === target.id) return self.message
  return may(actor.role, target.role) ? null : forbidden.message
}
