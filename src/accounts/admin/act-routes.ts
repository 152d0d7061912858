import { type Field, type Fields, fields, parsed, required, requiredChoice, titled } from '../../http/fields.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import { readStorable } from '../../lib/read-text.ts'
import { readTimestamp } from '../../lib/timestamps.ts'
import { type Guarded, onlyAdministrators } from '../access.ts'
import { type ApiRoute, administration, defineApiRoute } from '../api-route.ts'
import type { KeyPassage } from '../limits.ts'
import { roles } from '../roles.ts'
import { toShortUser } from '../schemas.ts'
import { usernameForm } from '../username.ts'
import type { Principal } from '../users.ts'
import { type ActDeps, actOnUser, type UserAct } from './act-on-user.ts'
import { ban, changeRole, deleteUser, rename, revokeToken, unban } from './acts.ts'
import { dryRunQuery, withoutDryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import { either, identifiers, type Named, namedIn, whoOf } from './identify.ts'
import { maxReasonLength } from './limits.ts'
import { changedUser } from './schemas.ts'

/** What the routes of acts have in common. */
export const acting = {
  method: 'POST',
  access: onlyAdministrators,
  ...administration,
  keyScope: null,
  query: dryRunQuery,
} as const

export const changedReply = (message: string, user: Principal, dryRun = false) => ({
  status: 200,
  message,
  user: toShortUser(user),
  ...(dryRun && { dryRun }),
})

interface ActRoute<Terms> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly onFailure?: string
  readonly act: UserAct<Terms>
  /** Fields of the body besides the target. */
  readonly terms?: { readonly [Name in keyof Terms]: Field<Terms[Name]> }
  /** For the reference: how the resulting user differs from `alice`, role `user`. */
  readonly example?: Partial<Principal>
  readonly errors?: readonly Refusal[]
  /** Refuses an act that would change nothing. */
  readonly unchanged?: Refusal
  message(user: Pick<Principal, 'username' | 'role'>): string
}

/** The route of one act of administrators on an account: `spec` is all that differs between them. */
function actRoute<Terms>(spec: ActRoute<Terms>): ApiRoute<ActDeps & Guarded, KeyPassage> {
  const { path, operationId, summary, description, onFailure, act, example = {}, unchanged, message } = spec
  const body = fields({ ...identifiers, ...spec.terms }, either) as Fields<Named & Terms>
  return defineApiRoute({
    ...acting,
    path,
    operationId,
    summary,
    description,
    audit: act.action,
    ...(onFailure !== undefined && { onFailure }),
    preview(read, caller) {
      caller.named = namedIn(read)
    },
    body: withoutDryRun(spec.terms ? body : titled('UserIdentifier', body)),
    reply: {
      status: 200,
      schema: changedUser(message({ username: 'alice', role: 'user', ...example }), example),
    },
    errors: [
      ...[errors.userNotFound, act.errors.self, act.errors.forbidden],
      ...(spec.errors ?? []),
      ...(unchanged ? [unchanged] : []),
    ],
    async handle({ actor, body: terms, query: { dryRun } }, deps: ActDeps & Guarded) {
      const { account, changed } = await actOnUser(deps, act, actor, whoOf(terms), terms, dryRun)
      if (!changed && unchanged) refuse(unchanged)
      return changedReply(message(account), account, dryRun)
    },
  })
}

export const actRoutes: readonly ApiRoute<ActDeps & Guarded, KeyPassage>[] = [
  actRoute({
    path: '/admin/ban',
    operationId: 'banUser',
    summary: 'Ban a user',
    description: 'Refuses every request and login of the user from now on. With `until`, the ban ends at that time.',
    onFailure: 'Failed to ban user',
    act: ban,
    terms: {
      reason: parsed(readStorable(maxReasonLength), {
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
        description: 'When the ban ends; by default never',
      }),
    },
    example: { banned: true },
    unchanged: errors.alreadyBanned,
    message: ({ username }) => `User ${username} has been banned`,
  }),
  actRoute({
    path: '/admin/unban',
    operationId: 'unbanUser',
    summary: 'Lift a ban',
    description: 'A token from before the ban works again.',
    act: unban,
    unchanged: errors.notBanned,
    message: ({ username }) => `User ${username} has been unbanned`,
  }),
  actRoute({
    path: '/admin/user/revoke-token',
    operationId: 'revokeToken',
    summary: 'Sign a user out',
    description: "Ends the user's token, console sessions, API keys and embed links. The user may sign in again.",
    act: revokeToken,
    message: ({ username }) => `User ${username} has been signed out`,
  }),
  actRoute({
    path: '/admin/user/delete',
    operationId: 'deleteUser',
    summary: 'Delete a user',
    description:
      'Permanently deletes the account and its counters; its token is invalid from now on. The audit log keeps its id, the sums of the dashboard keep its requests, and the name is free again.',
    act: deleteUser,
    message: ({ username }) => `User ${username} has been deleted`,
  }),
  actRoute({
    path: '/admin/user/edit/role',
    operationId: 'changeRole',
    summary: 'Change a role',
    description: "Takes effect on the user's next request. Setting the role that the user already has also succeeds.",
    onFailure: 'Failed to update user role',
    act: changeRole,
    terms: { role: requiredChoice(roles, errors.roleRequired, errors.badRole, { title: 'Role' }) },
    example: { role: 'moderator' },
    message: ({ username, role }) => `User ${username} has been changed to ${role}`,
  }),
  actRoute({
    path: '/admin/user/edit/username',
    operationId: 'renameUser',
    summary: 'Rename a user',
    description: "Keeps the user's token. A new name that differs from the old one only in case is allowed.",
    onFailure: 'Failed to update user username',
    act: rename,
    terms: {
      newUsername: required(errors.newUsernameRequired, {
        ...usernameForm,
        invalid: errors.badNewUsername,
        examples: ['alicia'],
      }),
    },
    example: { username: 'alicia' },
    errors: [errors.usernameTaken],
    message: ({ username }) => `User username has been changed to ${username}`,
  }),
]
