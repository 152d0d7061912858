import { required, requiredChoice } from '../../http/fields.ts'
import type { ApiRoute } from '../api-route.ts'
import { roles } from '../roles.ts'
import { usernameForm } from '../username.ts'
import { type ActDeps, actRoute } from './act-route.ts'
import { ban, banFields, unban } from './ban.ts'
import { changeRole } from './change-role.ts'
import { errors } from './errors.ts'
import { rename } from './rename.ts'
import { revokeToken } from './revoke-token.ts'

const newUsername = required(errors.newUsernameRequired, {
  ...usernameForm,
  invalid: errors.badNewUsername,
  examples: ['alicia'],
})

/** What administrators may do to an account; permissions.ts says who may. */
export const actRoutes: readonly ApiRoute<ActDeps, unknown>[] = [
  actRoute({
    path: '/admin/ban',
    summary: 'Ban a user',
    description:
      'Every request of the user is refused from the next one on, and so is every login. With `until` the ban ends by itself.',
    audit: 'ban',
    onFailure: 'Failed to ban user',
    terms: banFields,
    example: { banned: true },
    errors: [errors.selfBan, errors.cannotBan],
    unchanged: errors.alreadyBanned,
    act: ban,
    message: ({ username }) => `User ${username} has been banned`,
  }),
  actRoute({
    path: '/admin/unban',
    summary: 'Lift a ban',
    description: 'A token from before the ban works again.',
    audit: 'unban',
    errors: [errors.selfUnban, errors.cannotUnban],
    unchanged: errors.notBanned,
    act: (deps, by, who, _, options) => unban(deps, by, who, options),
    message: ({ username }) => `User ${username} has been unbanned`,
  }),
  actRoute({
    path: '/admin/user/revoke-token',
    summary: 'Sign a user out',
    description: "Revokes the user's token; the user may sign in again.",
    audit: 'revoke-token',
    errors: [errors.selfRevoke, errors.cannotRevoke],
    act: (deps, by, who, _, options) => revokeToken(deps, by, who, options),
    message: ({ username }) => `User ${username} has been signed out`,
  }),
  actRoute({
    path: '/admin/user/edit/role',
    summary: 'Change a role',
    description:
      'Takes effect at the next request of the user. A role that the user already has is answered like a change.',
    audit: 'role',
    onFailure: 'Failed to update user role',
    terms: { role: requiredChoice(roles, errors.roleRequired, errors.badRole) },
    example: { role: 'moderator' },
    errors: [errors.ownRole, errors.cannotChangeRole],
    act: (deps, by, who, { role }, options) => changeRole(deps, by, who, role, options),
    message: ({ username, role }) => `User ${username} has been changed to ${role}`,
  }),
  actRoute({
    path: '/admin/user/edit/username',
    summary: 'Rename a user',
    description: "Keeps the user's token. Users may get another spelling of their own name.",
    audit: 'rename',
    onFailure: 'Failed to update user username',
    terms: { newUsername },
    example: { username: 'alicia' },
    errors: [errors.ownUsername, errors.cannotRename, errors.usernameTaken],
    act: (deps, by, who, terms, options) => rename(deps, by, who, terms.newUsername, options),
    message: ({ username }) => `User username has been changed to ${username}`,
  }),
]
