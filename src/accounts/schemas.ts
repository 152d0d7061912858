import { array, boolean, integer, literal, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import { secretPattern } from './key-secret.ts'
import { type ApiKey, keyScopes, maxKeyLimit, maxKeyNameLength } from './keys.ts'
import { roles } from './roles.ts'
import type { ConsoleSession } from './sessions.ts'
import { usernameForm } from './username.ts'
import type { Principal } from './users.ts'

export const exampleId = '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'
export const idSchema = (description: string) => string({ description, examples: [exampleId] })
export const id = idSchema('UUIDv7 in lower case')

export const shortUserWith = ({ username = 'alice', role = 'user', banned = false }: Partial<Principal> = {}) =>
  object(
    {
      id,
      username: string({ ...usernameForm, examples: [username] }),
      role: oneOf(roles, { title: 'Role', examples: [role] }),
      banned: boolean({ examples: [banned] }),
    },
    { title: 'User', description: 'The short user form' },
  )

const shortUser = shortUserWith()

export const toShortUser = ({ id, username: name, role, banned }: Principal) => ({ id, username: name, role, banned })

export const session = object(
  {
    user: shortUser,
    accessToken: string({
      pattern: '^Bearer ',
      description: 'Begins with `Bearer `; send it unchanged as the Authorization header',
      examples: ['Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTlhMmY2ZSJ9.c2lnbmF0dXJl'],
    }),
  },
  { title: 'Session' },
)

const keyFields = {
  id,
  name: string({ minLength: 1, maxLength: maxKeyNameLength, examples: ['photo frame'] }),
  scopes: array(oneOf(keyScopes, { title: 'KeyScope' }), { examples: [['images']] }),
  limitPerMinute: nullable(
    integer({ minimum: 1, maximum: maxKeyLimit, description: 'Null: no limit of its own', examples: [60] }),
  ),
  createdAt: timestamp({ examples: ['2026-06-01T12:00:00.000Z'] }),
  expiresAt: nullable(timestamp({ description: 'Null: never', examples: ['2026-07-01T12:00:00.000Z'] })),
  lastUsedAt: nullable(timestamp({ description: 'To the minute', examples: ['2026-06-03T08:15:00.000Z'] })),
  requests: integer({ minimum: 0, description: 'Counted requests with this key', examples: [42] }),
}

const key = object(keyFields, { title: 'ApiKey' })

export const toKey = ({ userId: _, ...key }: ApiKey) => ({
  ...key,
  createdAt: isoTime(key.createdAt),
  expiresAt: isoOrNull(key.expiresAt),
  lastUsedAt: isoOrNull(key.lastUsedAt),
})

export const keyList = object(
  { status: literal(200), keys: array(key, { description: 'Oldest first' }) },
  { title: 'KeyList' },
)

export const issuedKey = (status: 200 | 201) =>
  object(
    {
      status: literal(status),
      ...keyFields,
      key: string({
        pattern: secretPattern,
        description: 'Shown only here. Send it as `Authorization: Bearer <key>` or `X-API-Key: <key>`',
        examples: ['mng_8Jx2kQvR4tLw9ZbN6cHy1GdPs5FmTa7E0Uo3Bf'],
      }),
    },
    { title: status === 201 ? 'CreatedKey' : 'RotatedKey' },
  )

export const me = object(
  {
    status: literal(200),
    user: shortUser,
    token: nullable(
      object(
        {
          issuedAt: timestamp({ examples: ['2026-06-01T12:00:00.000Z'] }),
          expiresAt: nullable(
            timestamp({
              description: 'Null for an API key that does not expire',
              examples: ['2026-07-01T12:00:00.000Z'],
            }),
          ),
        },
        { title: 'TokenLifetime' },
      ),
    ),
    apiKey: object(
      { id, name: keyFields.name, scopes: keyFields.scopes },
      { title: 'KeyInUse', description: 'Only if the caller sent an API key' },
    ),
    limits: array(
      object(
        {
          scope: string({ description: 'As in the names of the settings', examples: ['global'] }),
          limit: integer({ minimum: 1, examples: [1000] }),
          remaining: integer({ minimum: 0, examples: [987] }),
          resetAt: nullable(
            timestamp({ description: 'Null if nothing is counted yet', examples: ['2026-06-01T12:02:00.000Z'] }),
          ),
        },
        { title: 'RateLimit' },
      ),
      { description: 'The limits that apply to the caller; for the exempt user only those of login' },
    ),
  },
  { title: 'Me', required: ['status', 'user', 'token', 'limits'] },
)

const done = (message: string) =>
  object({ status: literal(200), message: string({ examples: [message] }) }, { title: 'Done' })

export const firstOwner = object(
  {
    status: literal(201),
    message: string({ examples: ['User keeper has been created'] }),
    user: shortUserWith({ username: 'keeper', role: 'owner' }),
  },
  { title: 'FirstOwner' },
)

export const signedInUser = object({ status: literal(200), user: shortUser }, { title: 'SignedInUser' })

const consoleSession = object(
  {
    id,
    createdAt: timestamp({ examples: ['2026-06-01T12:00:00.000Z'] }),
    lastUsedAt: timestamp({
      description: 'The sign-in, or later the minute of the last request',
      examples: ['2026-06-03T08:15:00.000Z'],
    }),
    address: string({ description: 'Where the user signed in', examples: ['192.0.2.7'] }),
    browser: string({ examples: ['Firefox on Linux'] }),
    current: boolean({ description: 'Whether it sent this request', examples: [true] }),
  },
  { title: 'ConsoleSession' },
)

export const toSession = (session: ConsoleSession, currentId: string | null) => ({
  id: session.id,
  createdAt: isoTime(session.createdAt),
  lastUsedAt: isoTime(session.lastUsedAt),
  address: session.address,
  browser: session.browser,
  current: session.id === currentId,
})

export const sessionList = object(
  { status: literal(200), sessions: array(consoleSession, { description: 'Newest first' }) },
  { title: 'ConsoleSessionList' },
)

export const sessionEnded = done('Session ended')
export const signedOut = done('Signed out')
export const deleted = done('Account deleted')
export const keyRevoked = done('API key revoked')
