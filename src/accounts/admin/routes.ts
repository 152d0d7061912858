import { fields, strict } from '../../http/fields.ts'
import { onlyAdministrators, onlyRoles } from '../access.ts'
import { type ApiRoute, defineApiRoute } from '../api-route.ts'
import type { CreateDeps } from '../create-account.ts'
import type { LimitedPassage } from '../limits.ts'
import { permitted } from '../roles.ts'
import { type AccessDeps, accessRoutes } from './access-routes.ts'
import { actRoutes } from './act-routes.ts'
import { createRoute } from './create-route.ts'
import { errors } from './errors.ts'
import { findUser, reading, readingUser } from './identify.ts'
import { eventFields, listEvents } from './list-events.ts'
import { listUsers, pageFields, showDashboard } from './list-users.ts'
import { resetRoute } from './reset-route.ts'
import {
  auditPage,
  banOfUser,
  dashboard,
  foundUser,
  roleCounts,
  toBan,
  toEvent,
  toListEntry,
  usage,
  userList,
} from './schemas.ts'
import { showUsage, usageFields } from './show-usage.ts'

export interface AdminDeps extends AccessDeps, CreateDeps {
  readonly keepUsageDays: number
}

export const adminRoutes: readonly ApiRoute<AdminDeps, LimitedPassage>[] = [
  ...actRoutes,
  resetRoute,
  createRoute,
  ...accessRoutes,
  defineApiRoute({
    ...readingUser,
    path: '/admin/user/ban',
    operationId: 'getBan',
    summary: 'Show a ban',
    description: 'The reason, start, end and author of a ban; null if the user is not banned.',
    access: onlyAdministrators,
    audit: 'ban.read',
    reply: { status: 200, schema: banOfUser },
    handle: async ({ query }, { directory }: AdminDeps) => ({
      status: 200,
      ban: toBan((await findUser(directory, query)).ban),
    }),
  }),
  defineApiRoute({
    ...readingUser,
    path: '/admin/user/search',
    operationId: 'findUser',
    summary: 'Show a user',
    description: 'Looks the user up by id or by name. The counters include this request.',
    access: onlyRoles(permitted.findUser),
    audit: 'user.read',
    reply: { status: 200, schema: foundUser },
    handle: async ({ query }, { journal, directory }: AdminDeps) => {
      await journal.flush()
      return { status: 200, ...toListEntry(await findUser(directory, query)) }
    },
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/users',
    operationId: 'listUsers',
    summary: 'List users',
    description: 'Returns all users as a stream or, with any parameter, a page of them.',
    access: onlyAdministrators,
    audit: 'users.read',
    query: strict(fields(pageFields)),
    isCompressed: true,
    reply: { status: 200, schema: userList },
    errors: [errors.badCursor],
    handle: ({ query }, deps: AdminDeps) => listUsers(deps, query),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/users/dashboard',
    operationId: 'getDashboard',
    summary: 'Show the dashboard',
    description: 'Returns one row per user, and sums over all users. With any parameter, returns a page of rows.',
    access: onlyAdministrators,
    audit: 'users.read',
    query: strict(fields(pageFields)),
    isCompressed: true,
    reply: { status: 200, schema: dashboard },
    errors: [errors.badCursor],
    handle: ({ query }, deps: AdminDeps) => showDashboard(deps, query),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/users/roles',
    operationId: 'countRoles',
    summary: 'Count the users by role',
    access: onlyAdministrators,
    audit: 'users.read',
    reply: { status: 200, schema: roleCounts },
    errors: [],
    handle: async (_call, { directory }: AdminDeps) => ({ status: 200, roles: await directory.roles() }),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/usage',
    operationId: 'getUsage',
    summary: 'Show requests by day',
    description: 'Counted requests of one user, or of all users together. 404 for an unknown user.',
    access: onlyAdministrators,
    audit: 'usage.read',
    query: strict(fields(usageFields)),
    isCompressed: true,
    reply: { status: 200, schema: usage },
    errors: [errors.badRange, errors.userNotFound],
    handle: async ({ query }, deps: AdminDeps) => ({ status: 200, usage: await showUsage(deps, query) }),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/audit',
    operationId: 'listAuditEvents',
    summary: 'Show the audit log',
    description:
      'Who did what, to whom, when and from where: acts, logins and refused attempts, over the API and the command line.',
    access: onlyAdministrators,
    audit: 'audit.read',
    query: strict(fields(eventFields)),
    isCompressed: true,
    reply: { status: 200, schema: auditPage },
    errors: [errors.badCursor, errors.badRange],
    handle: async ({ query }, deps: AdminDeps) => {
      const { rows, next } = await listEvents(deps, query)
      return { status: 200, events: rows.map(toEvent), next }
    },
  }),
]
