import type { Call } from '../../http/call.ts'
import { fields, required, requiredChoice, strict } from '../../http/fields.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import type { Clock } from '../../lib/clock.ts'
import { administrators, type Guarded, onlyAdministrators, onlyRoles } from '../access.ts'
import { type ApiRoute, defineApiRoute } from '../api-route.ts'
import { type Origin, originOf } from '../audit.ts'
import type { Directory } from '../directory.ts'
import type { Actor } from '../guard.ts'
import type { Journal } from '../journal.ts'
import { roles } from '../roles.ts'
import { toShortUser } from '../schemas.ts'
import { usernameForm } from '../username.ts'
import type { Account, Users, Who } from '../users.ts'
import type { Acted, ActOptions } from './act-on-user.ts'
import { ban, banFields } from './ban.ts'
import { changeRole } from './change-role.ts'
import { type DryRun, dryRunQuery, withoutDryRun } from './dry-run.ts'
import { errors } from './errors.ts'
import { findUser } from './find-user.ts'
import { either, identifiers, type Named, namedIn, whoOf } from './identify.ts'
import { eventFields, listEvents } from './list-events.ts'
import { listUsers, showDashboard } from './list-users.ts'
import { pageFields } from './page-of-users.ts'
import { rename } from './rename.ts'
import { revokeToken } from './revoke-token.ts'
import {
  auditPage,
  banOfUser,
  changedUser,
  dashboard,
  foundUser,
  toBan,
  toEvent,
  toListEntry,
  usage,
  userList,
} from './schemas.ts'
import { showUsage, usageFields } from './show-usage.ts'
import { unban } from './unban.ts'

export interface AdminDeps extends Guarded {
  readonly users: Users
  readonly directory: Directory
  readonly journal: Journal
  readonly clock: Clock
  readonly keepUsageDays: number
}

const changedReply = (message: string, user: Account, { dryRun }: DryRun) => ({
  status: 200,
  message,
  user: toShortUser(user),
  ...(dryRun && { dryRun }),
})

const access = onlyAdministrators

const partiesOf = (call: Call<Actor, Named, DryRun>): [by: Origin, who: Who] => [originOf(call), whoOf(call.body)]

const optionsOf = (call: Call<Actor, Named, DryRun>): ActOptions => ({
  isDryRun: call.query.dryRun,
  onTarget(id) {
    call.target = id
    call.about = null
  },
})

const done = ({ account, changed }: Acted, otherwise: Refusal): Account => (changed ? account : refuse(otherwise))

export const adminRoutes: readonly ApiRoute<AdminDeps, unknown>[] = [
  defineApiRoute({
    method: 'POST',
    path: '/admin/ban',
    summary: 'Ban a user',
    description:
      'Every request of the user is refused from the next one on, and so is every login. With `until` the ban ends by itself.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'ban',
    onFailure: 'Failed to ban user',
    query: dryRunQuery,
    about: namedIn,
    body: withoutDryRun(fields({ ...identifiers, ...banFields }, either)),
    reply: { status: 200, schema: changedUser('User alice has been banned', { banned: true }) },
    errors: [errors.userNotFound, errors.selfBan, errors.cannotBan, errors.alreadyBanned],
    handle: async (call, deps: AdminDeps) => {
      const user = done(await ban(deps, ...partiesOf(call), call.body, optionsOf(call)), errors.alreadyBanned)
      return changedReply(`User ${user.username} has been banned`, user, call.query)
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/admin/unban',
    summary: 'Lift a ban',
    description: 'A token from before the ban works again.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'unban',
    query: dryRunQuery,
    about: namedIn,
    body: withoutDryRun(fields(identifiers, either)),
    reply: { status: 200, schema: changedUser('User alice has been unbanned') },
    errors: [errors.userNotFound, errors.selfUnban, errors.cannotUnban, errors.notBanned],
    handle: async (call, deps: AdminDeps) => {
      const user = done(await unban(deps, ...partiesOf(call), optionsOf(call)), errors.notBanned)
      return changedReply(`User ${user.username} has been unbanned`, user, call.query)
    },
  }),
  defineApiRoute({
    method: 'GET',
    path: '/admin/user/ban',
    summary: 'Look at a ban',
    description: 'Why, since and until when, and by whom; null where the user is not banned now.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'ban.read',
    query: fields(identifiers, either),
    reply: { status: 200, schema: banOfUser },
    errors: [errors.userNotFound],
    handle: async ({ query }, { directory }: AdminDeps) => ({
      status: 200,
      ban: toBan((await findUser(directory, query)).ban),
    }),
  }),
  defineApiRoute({
    method: 'POST',
    path: '/admin/user/revoke-token',
    summary: 'Sign a user out',
    description: "The user's token is worth nothing from then on; they may sign in again.",
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'revoke-token',
    query: dryRunQuery,
    about: namedIn,
    body: withoutDryRun(fields(identifiers, either)),
    reply: { status: 200, schema: changedUser('User alice has been signed out') },
    errors: [errors.userNotFound, errors.selfRevoke, errors.cannotRevoke],
    handle: async (call, deps: AdminDeps) => {
      const { account: user } = await revokeToken(deps, ...partiesOf(call), optionsOf(call))
      return changedReply(`User ${user.username} has been signed out`, user, call.query)
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/admin/user/edit/role',
    summary: 'Change a role',
    description: 'Acts on the next request of the user. A role that is held already is answered like a change.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'role',
    onFailure: 'Failed to update user role',
    query: dryRunQuery,
    about: namedIn,
    body: withoutDryRun(
      fields({ ...identifiers, role: requiredChoice(roles, errors.roleRequired, errors.badRole) }, either),
    ),
    reply: { status: 200, schema: changedUser('User alice has been changed to moderator', { role: 'moderator' }) },
    errors: [errors.userNotFound, errors.ownRole, errors.cannotChangeRole],
    handle: async (call, deps: AdminDeps) => {
      const { account: user } = await changeRole(deps, ...partiesOf(call), call.body.role, optionsOf(call))
      return changedReply(`User ${user.username} has been changed to ${user.role}`, user, call.query)
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/admin/user/edit/username',
    summary: 'Rename a user',
    description: "The user's token stays. Another spelling of the user's own name is free.",
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'rename',
    onFailure: 'Failed to update user username',
    query: dryRunQuery,
    about: namedIn,
    body: withoutDryRun(
      fields(
        {
          ...identifiers,
          newUsername: required(errors.newUsernameRequired, {
            ...usernameForm,
            invalid: errors.badNewUsername,
            examples: ['alicia'],
          }),
        },
        either,
      ),
    ),
    reply: { status: 200, schema: changedUser('User username has been changed to alicia', { username: 'alicia' }) },
    errors: [errors.userNotFound, errors.ownUsername, errors.cannotRename, errors.usernameTaken],
    handle: async (call, deps: AdminDeps) => {
      const { account: user } = await rename(deps, ...partiesOf(call), call.body.newUsername, optionsOf(call))
      return changedReply(`User username has been changed to ${user.username}`, user, call.query)
    },
  }),
  defineApiRoute({
    method: 'GET',
    path: '/admin/user/search',
    summary: 'Look at a user',
    description: 'By id or by name. The counters have every request up to this one.',
    access: onlyRoles('support', 'moderator', ...administrators),
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'user.read',
    query: fields(identifiers, either),
    reply: { status: 200, schema: foundUser },
    errors: [errors.userNotFound],
    handle: async ({ query }, { journal, directory }: AdminDeps) => {
      await journal.flush()
      return { status: 200, ...toListEntry(await findUser(directory, query)) }
    },
  }),
  defineApiRoute({
    method: 'GET',
    path: '/admin/users',
    summary: 'List the users',
    description: 'All of them, written as they are read; with any parameter a page of them.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'users.read',
    query: strict(fields(pageFields)),
    reply: { status: 200, schema: userList },
    errors: [errors.badCursor],
    handle: ({ query }, deps: AdminDeps) => listUsers(deps, query),
  }),
  defineApiRoute({
    method: 'GET',
    path: '/admin/users/dashboard',
    summary: 'The dashboard',
    description: 'A row for each user, and sums over everybody. With any parameter a page of the rows.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'users.read',
    query: strict(fields(pageFields)),
    reply: { status: 200, schema: dashboard },
    errors: [errors.badCursor],
    handle: ({ query }, deps: AdminDeps) => showDashboard(deps, query),
  }),
  defineApiRoute({
    method: 'GET',
    path: '/admin/usage',
    summary: 'Requests by day',
    description: 'Counted requests of one user, or of everybody together, for plots. A user who is not there is a 404.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'usage.read',
    query: strict(fields(usageFields)),
    reply: { status: 200, schema: usage },
    errors: [errors.badRange, errors.userNotFound],
    handle: async ({ query }, deps: AdminDeps) => ({ status: 200, usage: await showUsage(deps, query) }),
  }),
  defineApiRoute({
    method: 'GET',
    path: '/admin/audit',
    summary: 'The audit',
    description:
      'Who did what, to whom, when and from where: acts, logins and refused attempts, of the API and of the operator’s tool. Whoever is filtered by and stands in no event gets an empty list.',
    access,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: 'audit.read',
    query: strict(fields(eventFields)),
    reply: { status: 200, schema: auditPage },
    errors: [errors.badCursor, errors.badRange],
    handle: async ({ query }, deps: AdminDeps) => {
      const { rows, next } = await listEvents(deps, query)
      return { status: 200, events: rows.map(toEvent), next }
    },
  }),
]
