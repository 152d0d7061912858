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
import { isoTime } from '../../lib/timestamps.ts'
import type { AuditEvent } from '../audit.ts'
import type { ListedUser, RequestsRecord } from '../directory.ts'
import { roles } from '../roles.ts'
import { shortUserWith } from '../schemas.ts'
import { usernameForm } from '../username.ts'
import type { Ban, Principal } from '../users.ts'

const isoOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms))

const id = (description: string) => string({ description, examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'] })
const count = (description: string, example: number) => integer({ minimum: 0, description, examples: [example] })

const userFields = {
  id: id('UUIDv7 in lower case'),
  username: string({ ...usernameForm, examples: ['alice'] }),
  role: oneOf(roles),
  banned: boolean({ examples: [false] }),
  createdAt: timestamp({ examples: ['2026-01-15T09:30:00.000Z'] }),
  updatedAt: timestamp({ description: 'Of the last change of name, role, ban or password' }),
  collection: literal('users'),
}

const counters = {
  auth: count('Requests under /auth', 3),
  admin: count('Requests under /admin', 0),
  images: count('Requests under /images', 39),
  total: count('auth + admin + images', 42),
}

const fullUser = object(userFields, { description: 'The full user form' })

const requestsRecord = nullable(
  object({
    id: id('Of the record'),
    ...counters,
    createdAt: timestamp(),
    updatedAt: timestamp(),
    collection: literal('requests'),
  }),
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
    id: requests.id,
    auth: requests.auth,
    admin: requests.admin,
    images: requests.images,
    total: requests.total,
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
  string({ description: 'The cursor of the next page; null on the last one. Only where a page was asked for' }),
)

export const changedUser = (message: string, user?: Partial<Principal>) =>
  object(
    {
      status: literal(200),
      message: string({ examples: [message] }),
      user: shortUserWith(user),
      dryRun: literal(true, { description: 'Only in the reply of a dry run' }),
    },
    { required: ['status', 'message', 'user'] },
  )

export const foundUser = object({ status: literal(200), ...entry })

export const userList = object(
  { status: literal(200), users: record(object(entry), { description: 'Keyed by username' }), next },
  { required: ['status', 'users'] },
)

const summary = object({
  totalUsers: count('All accounts', 120),
  bannedUsers: count('Banned as of now', 2),
  totalRequests: count('Counted requests of everybody', 4096),
  adminRequests: count('Of these under /admin', 96),
  authRequests: count('Of these under /auth', 800),
  imageRequests: count('Of these under /images', 3200),
})

const dashboardRow = object({
  ...userFields,
  requestsId: nullable(id('Null until the first counted request')),
  ...counters,
  requestsCreatedAt: nullable(timestamp()),
  requestsUpdatedAt: nullable(timestamp()),
  requestsCollection: nullable(literal('requests')),
})

export const dashboard = object(
  { status: literal(200), summary, users: array(dashboardRow), next },
  { required: ['status', 'summary', 'users'] },
)

export const banOfUser = object({
  status: literal(200),
  ban: nullable(
    object(
      {
        reason: nullable(string({ examples: ['Spam'] })),
        since: timestamp(),
        until: nullable(timestamp({ description: 'Null: until it is lifted' })),
        by: nullable(
          string({
            description: 'The id of the account that banned, or `cli`; null for a ban from before that was kept',
            examples: ['cli'],
          }),
        ),
      },
      { description: 'Null where the user is not banned now' },
    ),
  ),
})

export const usage = object({
  status: literal(200),
  usage: array(
    object({
      day: string({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-01-15'] }),
      ...counters,
    }),
    { description: 'By day, in UTC; days without a counted request are left out' },
  ),
})

const details = (description: string, example: object) => nullable(record({}, { description, examples: [example] }))

export const auditPage = object({
  status: literal(200),
  events: array(
    object({
      id: id('UUIDv7'),
      at: timestamp(),
      action: string({ description: 'What was done or tried', examples: ['role'] }),
      outcome: string({
        description: '`success`; or `refused: ` or `failed: ` and the message that was answered',
        examples: ['success'],
      }),
      actor: nullable(
        string({
          description:
            'The id of the account that acted; `cli` for the operator’s tool, `system` for the service itself; null where nobody was known',
          examples: ['cli'],
        }),
      ),
      target: nullable(id('The account that it was about')),
      address: nullable(string({ description: 'Of the first, where there were several', examples: ['192.0.2.7'] })),
      requestId: nullable(id('As answered in X-Request-Id; of the first, where there were several')),
      count: integer({
        minimum: 1,
        description: 'How many times it was tried, since repetitions within about a second are one event',
        examples: [1],
      }),
      before: details('What was changed, as it was', { role: 'user' }),
      after: details('What was changed, as it is since', { role: 'moderator' }),
    }),
    { description: 'Newest first' },
  ),
  next: nullable(string({ description: 'The cursor of the next page; null on the last one' })),
})
