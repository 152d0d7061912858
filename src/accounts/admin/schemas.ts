import {
  array,
  boolean,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  record,
  string,
  timestamp,
} from '../../http/schema.ts'
import { isoOrNull, isoTime } from '../../lib/timestamps.ts'
import type { AuditEvent } from '../audit.ts'
import type { ListedUser, RequestsRecord } from '../directory.ts'
import { roles } from '../roles.ts'
import { id, idSchema, shortUserWith } from '../schemas.ts'
import { usernameForm } from '../username.ts'
import type { Ban, Principal } from '../users.ts'

const count = (description: string, example: number) => integer({ minimum: 0, description, examples: [example] })

const userFields = {
  id,
  username: string({ ...usernameForm, examples: ['alice'] }),
  role: oneOf(roles, { title: 'Role' }),
  banned: boolean({ examples: [false] }),
  createdAt: timestamp({ examples: ['2026-01-15T09:30:00.000Z'] }),
  updatedAt: timestamp({ description: 'The last change of name, role, ban or password' }),
  collection: literal('users'),
}

const counters = {
  auth: count('Requests under /auth', 3),
  admin: count('Requests under /admin', 0),
  images: count('Requests under /images', 39),
  total: count('auth + admin + images', 42),
}

const fullUser = object(userFields, { title: 'FullUser', description: 'The full user form' })

const requestsRecord = nullable(
  object(
    {
      id: idSchema('Id of the record'),
      ...counters,
      createdAt: timestamp(),
      updatedAt: timestamp(),
      collection: literal('requests'),
    },
    { title: 'RequestCounts', description: 'Counted requests of a user' },
  ),
)

const toFullUser = (user: ListedUser) => ({
  id: user.id,
  username: user.username,
  role: user.role,
  banned: user.banned,
  createdAt: isoTime(user.createdAt),
  updatedAt: isoTime(user.updatedAt),
  collection: 'users',
})

const toRequests = (requests: RequestsRecord | null) =>
  requests && {
    ...requests,
    createdAt: isoTime(requests.createdAt),
    updatedAt: isoTime(requests.updatedAt),
    collection: 'requests',
  }

export const toListEntry = (user: ListedUser) => ({ user: toFullUser(user), requests: toRequests(user.requests) })

export const toDashboardRow = (user: ListedUser) => {
  const { requests } = user
  return {
    ...toFullUser(user),
    requestsId: requests?.id ?? null,
    auth: requests?.auth ?? 0,
    admin: requests?.admin ?? 0,
    images: requests?.images ?? 0,
    total: requests?.total ?? 0,
    requestsCreatedAt: requests ? isoTime(requests.createdAt) : null,
    requestsUpdatedAt: requests ? isoTime(requests.updatedAt) : null,
    requestsCollection: requests ? 'requests' : null,
  }
}

export const toBan = (ban: Ban | null) =>
  ban && { reason: ban.reason, since: isoTime(ban.since), until: isoOrNull(ban.until), by: ban.by }

export const toEvent = (event: AuditEvent) => ({ ...event, at: isoTime(event.at) })

const entry = { user: fullUser, requests: requestsRecord }
const next = nullable(
  string({ description: 'The `cursor` of the next page; null on the last. Only if a page was requested' }),
)

const changed = (message: string, user?: Partial<Principal>) => ({
  status: literal(200),
  message: string({ examples: [message] }),
  user: shortUserWith(user),
  dryRun: literal(true, { description: 'Only in the reply to a dry run' }),
})
const always = { title: 'UserChange', required: ['status', 'message', 'user'] }

export const changedUser = (message: string, user?: Partial<Principal>) => object(changed(message, user), always)

export const createdUser = object(
  {
    ...changed('User alice has been created'),
    password: string({ description: 'Only if it was generated', examples: ['k7wq3hzt9mcx2fnb5rvj8dpa'] }),
  },
  { ...always, title: 'CreatedUser' },
)

export const resetUser = object(
  {
    ...changed('Password of alice has been reset'),
    password: string({ description: 'Absent from the reply to a dry run', examples: ['k7wq3hzt9mcx2fnb5rvj8dpa'] }),
  },
  { ...always, title: 'PasswordReset' },
)

export const foundUser = object({ status: literal(200), ...entry }, { title: 'FoundUser' })

export const userList = object(
  {
    status: literal(200),
    users: record(object(entry, { title: 'UserEntry' }), { description: 'Keyed by username' }),
    next,
  },
  { title: 'UserList', required: ['status', 'users'] },
)

const summary = object(
  {
    totalUsers: count('All accounts', 120),
    bannedUsers: count('Currently banned', 2),
    totalRequests: count('Counted requests of all users', 4096),
    adminRequests: count('Of these, under /admin', 96),
    authRequests: count('Of these, under /auth', 800),
    imageRequests: count('Of these, under /images', 3200),
  },
  { title: 'DashboardSummary' },
)

const dashboardRow = object(
  {
    ...userFields,
    requestsId: nullable(idSchema('Null until the first counted request')),
    ...counters,
    requestsCreatedAt: nullable(timestamp()),
    requestsUpdatedAt: nullable(timestamp()),
    requestsCollection: nullable(literal('requests')),
  },
  { title: 'DashboardUser' },
)

export const dashboard = object(
  { status: literal(200), summary, users: array(dashboardRow), next },
  { title: 'Dashboard', required: ['status', 'summary', 'users'] },
)

export const roleCounts = object(
  {
    status: literal(200),
    roles: object(Object.fromEntries(roles.map((role) => [role, count('Accounts with this role', 1)])), {
      title: 'RoleCounts',
    }),
  },
  { title: 'UsersByRole' },
)

export const banOfUser = object(
  {
    status: literal(200),
    ban: nullable(
      object(
        {
          reason: nullable(string({ examples: ['Spam'] })),
          since: timestamp(),
          until: nullable(timestamp({ description: 'Null: until unbanned' })),
          by: nullable(
            string({
              description: 'Id of the account that imposed the ban, or `cli`; null if unknown',
              examples: ['cli'],
            }),
          ),
        },
        { title: 'Ban' },
      ),
    ),
  },
  { title: 'BanOfUser' },
)

export const usage = object(
  {
    status: literal(200),
    usage: array(
      object(
        {
          day: string({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-01-15'] }),
          ...counters,
          keys: count('How many of these were made with API keys; absent if none', 12),
        },
        { title: 'DailyRequests', required: ['day', ...Object.keys(counters)] },
      ),
      { description: 'By day, in UTC; days without a counted request are omitted' },
    ),
  },
  { title: 'Usage' },
)

const details = (description: string, example: object) => nullable(record({}, { description, examples: [example] }))

export const auditPage = object(
  {
    status: literal(200),
    events: array(
      object(
        {
          id: idSchema('UUIDv7'),
          at: timestamp(),
          action: string({ description: 'What was done or attempted', examples: ['role'] }),
          outcome: string({
            description: '`success`; or `refused: ` or `failed: ` with the message of the response',
            examples: ['success'],
          }),
          actor: nullable(
            string({
              description:
                'Id of the account that acted; `cli` for the command line tool, `system` for the service; null if unknown',
              examples: ['cli'],
            }),
          ),
          target: nullable(
            idSchema(
              'What was acted on: the id of an account, `<bucket>/<name>` of an object, or an id or name in the status worker',
            ),
          ),
          address: nullable(
            string({
              description: 'Client address, or that of the first attempt',
              examples: ['192.0.2.7'],
            }),
          ),
          requestId: nullable(idSchema('The X-Request-Id of the response, or of the first one')),
          count: integer({
            minimum: 1,
            description: 'Number of attempts: repetitions within about a second are one event',
            examples: [1],
          }),
          before: details('The changed values, before', { role: 'user' }),
          after: details('The changed values, after', { role: 'moderator' }),
        },
        { title: 'AuditEvent' },
      ),
      { description: 'Newest first' },
    ),
    next: nullable(string({ description: 'The `cursor` of the next page; null on the last' })),
  },
  { title: 'AuditPage' },
)
