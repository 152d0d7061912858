import { refuse } from '../../http/refusal.ts'
import { isoTime } from '../../lib/timestamps.ts'
import { keyRevocation } from '../change-keys.ts'
import { sessionEnd } from '../change-sessions.ts'
import { deletionOf } from '../delete-account.ts'
import { linkRevocation } from '../embed-acts.ts'
import { errors as accountErrors } from '../errors.ts'
import type { Role } from '../roles.ts'
import type { UserAct } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayBan, mayChangeRole, mayRename } from './permissions.ts'

/* What administrators and the operator may do to an account; permissions.ts says who may. */

export interface BanTerms {
  readonly reason?: string | null | undefined
  /** Null: until unbanned. */
  readonly until?: number | null | undefined
}

/** Refuses every request of the user from now on. */
export const ban: UserAct<BanTerms> = {
  action: 'ban',
  may: mayBan,
  errors: { self: errors.selfBan, forbidden: errors.cannotBan },
  check({ until = null }, now) {
    if (until !== null && until <= now) refuse(errors.badUntil)
  },
  change({ banned }, { reason = null, until = null }, { by, now: since }) {
    if (banned) return null
    return {
      values: { ban: { reason, since, until, by: by.actor } },
      before: { banned: false },
      after: { banned: true, reason, until: until === null ? null : isoTime(until) },
    }
  },
}

/** Lifts a ban; a token from before the ban works again. */
export const unban: UserAct<unknown> = {
  action: 'unban',
  may: mayBan,
  errors: { self: errors.selfUnban, forbidden: errors.cannotUnban },
  change: ({ banned }) =>
    banned ? { values: { ban: null }, before: { banned: true }, after: { banned: false } } : null,
}

/** Signs a user out everywhere and ends all grants; the user may sign in again. */
export const revokeToken: UserAct<unknown> = {
  action: 'revoke-token',
  may: mayBan,
  errors: { self: errors.selfRevoke, forbidden: errors.cannotRevoke },
  seeksGrants: true,
  change: ({ tokenHash }, _, { hasGrants }) =>
    tokenHash === null && !hasGrants ? null : { values: { tokenHash: null, endsGrants: true } },
}

/** Revokes one API key of the user. */
export const revokeUserKey: UserAct<{ readonly keyId: string }> = {
  action: 'revoke-key',
  may: mayBan,
  errors: { self: errors.selfRevokeKey, forbidden: errors.cannotRevokeKey, unknown: accountErrors.keyNotFound },
  readsKeys: true,
  change: (_, { keyId }, { keys = [] }) => keyRevocation(keys, keyId),
}

/** Signs the user out in one browser. */
export const endUserSession: UserAct<{ readonly sessionId: string }> = {
  action: 'end-session',
  may: mayBan,
  errors: { self: errors.selfEndSession, forbidden: errors.cannotEndSession, unknown: accountErrors.sessionNotFound },
  readsSessions: true,
  change: (_, { sessionId }, { sessions = [] }) => sessionEnd(sessions, sessionId),
}

/** Revokes one embed link of the user. */
export const revokeUserLink: UserAct<{ readonly linkId: string }> = {
  action: 'revoke-embed',
  may: mayBan,
  errors: { self: errors.selfRevokeLink, forbidden: errors.cannotRevokeLink, unknown: accountErrors.linkNotFound },
  readsLinks: true,
  change: (_, { linkId }, { links = [] }) => linkRevocation(links, linkId),
}

/** Deletes the account and everything that belongs to it. */
export const deleteUser: UserAct<unknown> = {
  action: 'delete',
  may: mayBan,
  errors: { self: errors.selfDelete, forbidden: errors.cannotDelete },
  locksOwners: true,
  change: (target, _, circumstances) => deletionOf(target, circumstances),
}

/** Takes effect at the user's next request. */
export const changeRole: UserAct<{ readonly role: Role }> = {
  action: 'role',
  may: (actor, target, { role }) => mayChangeRole(actor, target, role),
  errors: { self: errors.ownRole, forbidden: errors.cannotChangeRole },
  change: (target, { role }) =>
    target.role === role ? null : { values: { role }, before: { role: target.role }, after: { role } },
}

/** Keeps the user's token. The database's unique index decides whether the name is free. */
export const rename: UserAct<{ readonly newUsername: string }> = {
  action: 'rename',
  may: mayRename,
  errors: { self: errors.ownUsername, forbidden: errors.cannotRename },
  change: ({ username }, { newUsername }) =>
    username === newUsername
      ? null
      : { values: { username: newUsername }, before: { username }, after: { username: newUsername } },
}
