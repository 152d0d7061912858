import type { Call } from '../http/call.ts'
import { protocolErrors } from '../http/errors.ts'
import { fields, required, titled } from '../http/fields.ts'
import { JsonResponse } from '../http/responses.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import { type Guarded, signedIn } from './access.ts'
import { type ApiRoute, defineApiRoute } from './api-route.ts'
import { anyone, type Caller, newcomers } from './caller.ts'
import { changePassword } from './change-password.ts'
import { countRequest } from './count-request.ts'
import { deleteOwnAccount } from './delete-account.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { Journal } from './journal.ts'
import type { LimitedPassage } from './limits.ts'
import { login, logout, type SignedIn } from './login.ts'
import { type RegisterDeps, register } from './register.ts'
import { deleted, me, session, signedOut, toShortUser } from './schemas.ts'
import { noSessionCookie } from './session-cookie.ts'
import { usernameForm } from './username.ts'
import type { Principal } from './users.ts'

export interface AccountDeps extends RegisterDeps, Guarded {
  readonly journal: Pick<Journal, 'count'>
  readonly isRegistrationOpen: boolean
}

const common = { envelope: 'error', counts: 'auth', bodyLimitBytes: 16_384, keyScope: null } as const

const nameField = required(errors.usernameRequired, {
  ...usernameForm,
  invalid: errors.badUsername,
  description: 'Case-insensitive; the spelling is kept',
  examples: ['alice'],
})

const passwordField = required(errors.passwordRequired, {
  description: 'Any content; hashed as sent, never truncated or normalised',
  examples: ['correct horse battery'],
})

export const credentialFields = { username: nameField, password: passwordField }
export const credentials = titled('Credentials', fields(credentialFields))

const sessionReply = (user: Principal, token: string) => ({ user: toShortUser(user), accessToken: `Bearer ${token}` })

/** The lifetime of the token or API key that the caller sent. */
function credentialOf(actor: Actor) {
  if (actor.key) {
    const { id, name, scopes, createdAt, expiresAt } = actor.key
    return { token: { issuedAt: isoTime(createdAt), expiresAt: isoOrNull(expiresAt) }, apiKey: { id, name, scopes } }
  }
  const { login } = actor
  return { token: 'tokenHash' in login ? { issuedAt: login.issuedAt, expiresAt: login.expiresAt } : null }
}

/** Replies with a new session. From here on, the caller is known and the request counts. */
function signedInReply(call: Call<Caller>, { journal }: AccountDeps, { account, token }: SignedIn) {
  call.actor.userId = account.id
  countRequest(journal, call.route, account.id)
  return sessionReply(account, token)
}

/** For the reply to a request that ended its own session, if it has one. */
const withoutCookie = ({ sessionId }: Actor) => (sessionId === null ? {} : noSessionCookie)

export const accountRoutes: readonly ApiRoute<AccountDeps, LimitedPassage>[] = [
  defineApiRoute({
    method: 'POST',
    path: '/auth/register',
    operationId: 'register',
    samples: [{}],
    summary: 'Register',
    description: 'Creates an account with role `user`, and signs it in.',
    access: newcomers,
    ...common,
    limit: 'register',
    audit: 'register',
    onFailure: 'Could not register user',
    body: credentials,
    reply: { status: 201, schema: session },
    errors: [errors.badPassword, errors.usernameTaken, errors.tooManyLogins],
    async handle(call, deps: AccountDeps) {
      return signedInReply(call, deps, await register(deps, { ...call.body, from: call.actor }, call.signal))
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/auth/login',
    operationId: 'login',
    samples: [{}],
    summary: 'Sign in',
    description: 'Returns a new token; the previous one is invalid from then on.',
    access: anyone,
    ...common,
    limit: 'login',
    audit: 'login',
    body: credentials,
    reply: { status: 200, schema: session },
    errors: [errors.badCredentials, errors.bannedAtLogin, errors.tooManyLogins, protocolErrors.unavailable],
    async handle(call, deps: AccountDeps, passage: LimitedPassage) {
      await passage.guess(call.body.username)
      return signedInReply(call, deps, await login(deps, { ...call.body, from: call.actor }, call.signal))
    },
  }),
  defineApiRoute({
    method: 'GET',
    path: '/auth/me',
    operationId: 'getMe',
    summary: 'Show the caller',
    description:
      'The account, the lifetime of the token or API key (null for a console session), and the remaining rate limits.',
    access: signedIn,
    ...common,
    limit: 'me',
    audit: null,
    keyScope: 'any',
    reply: { status: 200, schema: me },
    errors: [],
    async handle({ actor }, _deps: AccountDeps, passage: LimitedPassage) {
      const { user } = actor
      return {
        status: 200,
        user: toShortUser(user),
        ...credentialOf(actor),
        limits: await passage.remainingLimits(user),
      }
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/auth/logout',
    operationId: 'logout',
    summary: 'Sign out',
    description: 'The token is invalid from then on; with a console session, the session ends and the token stays.',
    access: signedIn,
    ...common,
    limit: 'auth',
    audit: 'logout',
    reply: { status: 200, schema: signedOut },
    errors: [],
    async handle(call, deps: AccountDeps) {
      const { actor } = call
      await logout(deps, actor, actor.login)
      return new JsonResponse(200, { status: 200, message: 'Signed out' }, withoutCookie(actor))
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/auth/password',
    operationId: 'changePassword',
    summary: 'Change the password',
    description:
      'Returns a new token. All older tokens, all API keys and embed links, and all console sessions but the current one are invalid from then on.',
    access: signedIn,
    ...common,
    limit: 'password',
    audit: 'password',
    body: fields({
      currentPassword: required(errors.currentPasswordRequired, { examples: ['correct horse battery'] }),
      newPassword: required(errors.newPasswordRequired, { examples: ['another horse, another battery'] }),
    }),
    reply: { status: 200, schema: session },
    errors: [errors.badPassword, errors.badCredentials, errors.tooManyLogins],
    async handle(call, deps: AccountDeps, passage: LimitedPassage) {
      const { actor, signal } = call
      const { account, token } = await changePassword(deps, actor, { ...call.body, guesses: passage }, signal)
      return sessionReply(account, token)
    },
  }),
  defineApiRoute({
    method: 'POST',
    path: '/auth/delete',
    operationId: 'deleteAccount',
    summary: 'Delete the account of the caller',
    description:
      'Permanently deletes the account and its counters. The audit log keeps its id, and the name is free again.',
    access: signedIn,
    ...common,
    limit: 'password',
    audit: 'delete',
    body: fields({ password: required(errors.passwordRequired, { examples: ['correct horse battery'] }) }),
    reply: { status: 200, schema: deleted },
    errors: [errors.badCredentials, errors.lastOwner, errors.tooManyLogins],
    async handle({ actor, body, signal }, deps: AccountDeps, passage: LimitedPassage) {
      await deleteOwnAccount(deps, actor, { ...body, guesses: passage }, signal)
      return new JsonResponse(200, { status: 200, message: 'Account deleted' }, withoutCookie(actor))
    },
  }),
]
