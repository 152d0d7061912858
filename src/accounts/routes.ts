import { fields, required } from '../http/fields.ts'
import { protocol } from '../http/refusal.ts'
import { defineRoute, open, type Route } from '../http/route.ts'
import { usernameForm } from '../lib/username.ts'
import { changePassword } from './change-password.ts'
import { errors } from './errors.ts'
import type { Guard } from './guard.ts'
import { login } from './login.ts'
import { type RegisterDeps, register } from './register.ts'
import { me, session, signedOut, toShortUser } from './schemas.ts'
import type { Principal } from './users.ts'

export interface AccountDeps extends RegisterDeps {
  readonly guard: Guard
}

const bodyLimitBytes = 16_384

const nameField = required(errors.usernameRequired, {
  ...usernameForm,
  invalid: errors.badUsername,
  description: 'Looked up without regard to case; the spelling is kept',
  examples: ['alice'],
})

const passwordField = required(errors.passwordRequired, {
  description: 'Any content; hashed as sent, never cut or normalised',
  examples: ['correct horse battery'],
})

const sessionReply = (user: Principal, token: string) => ({ user: toShortUser(user), accessToken: `Bearer ${token}` })

export function accountRoutes(deps: AccountDeps): Route[] {
  const { guard, users } = deps
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/register',
      summary: 'Register',
      description: 'Makes an account with role `user` and signs it in.',
      access: open,
      envelope: 'error',
      onFailure: 'Could not register user',
      body: fields({ username: nameField, password: passwordField }),
      bodyLimitBytes,
      reply: { status: 201, schema: session },
      errors: [errors.badPassword, errors.usernameTaken, errors.tooManyLogins],
      async handle(call) {
        const { account, token } = await register(deps, call.body, call.signal)
        call.userId = account.id
        return sessionReply(account, token)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/login',
      summary: 'Sign in',
      description: 'Answers a new token; the one before it is worth nothing from then on.',
      access: open,
      envelope: 'error',
      body: fields({ username: nameField, password: passwordField }),
      bodyLimitBytes,
      reply: { status: 200, schema: session },
      errors: [errors.badCredentials, errors.bannedAtLogin, errors.tooManyLogins, protocol.unavailable],
      async handle(call) {
        const { account, token } = await login(deps, call.body, call.signal)
        call.userId = account.id
        return sessionReply(account, token)
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/auth/me',
      summary: 'Who am I',
      description: 'The account that the token belongs to, and how long the token lives.',
      access: guard.signedIn,
      envelope: 'error',
      reply: { status: 200, schema: me },
      errors: [],
      handle: ({ actor: { user, session: current } }) => ({
        status: 200,
        user: toShortUser(user),
        token: { issuedAt: current.issuedAt, expiresAt: current.expiresAt },
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/logout',
      summary: 'Sign out',
      description: 'The token is worth nothing from then on.',
      access: guard.signedIn,
      envelope: 'error',
      reply: { status: 200, schema: signedOut },
      errors: [],
      async handle({ actor }) {
        await users.endSession(actor.user.id, actor.session.tokenHash)
        return { status: 200, message: 'Signed out' }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/password',
      summary: 'Change the password',
      description: 'Answers a new token; every older one is worth nothing from then on.',
      access: guard.signedIn,
      envelope: 'error',
      body: fields({
        currentPassword: required(errors.currentPasswordRequired, { examples: ['correct horse battery'] }),
        newPassword: required(errors.newPasswordRequired, { examples: ['another horse, another battery'] }),
      }),
      bodyLimitBytes,
      reply: { status: 200, schema: session },
      errors: [errors.badPassword, errors.badCredentials, errors.tooManyLogins],
      async handle(call) {
        const { account, token } = await changePassword(deps, call.actor, call.body, call.signal)
        return sessionReply(account, token)
      },
    }),
  ]
}
