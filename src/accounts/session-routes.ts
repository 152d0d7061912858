import { protocolErrors } from '../http/errors.ts'
import { fields } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { JsonResponse } from '../http/responses.ts'
import type { Access } from '../http/route.ts'
import { type Guarded, ownAccess } from './access.ts'
import { type ApiRoute, defineApiRoute } from './api-route.ts'
import { browserNameOf } from './browser-name.ts'
import { Caller } from './caller.ts'
import { endSession, startSession } from './change-sessions.ts'
import { countRequest } from './count-request.ts'
import type { CreateDeps } from './create-account.ts'
import { errors } from './errors.ts'
import type { Journal } from './journal.ts'
import type { KeyPassage, LimitedPassage } from './limits.ts'
import { logout } from './login.ts'
import { passwordAgainErrors, passwordAgainField, requirePasswordAgain } from './password-again.ts'
import { credentials } from './routes.ts'
import { idSchema, sessionEnded, sessionList, signedInUser, signedOut, toSession, toShortUser } from './schemas.ts'
import { isSameOrigin, isSecureOrigin, noSessionCookie, sessionCookie } from './session-cookie.ts'

export interface SessionRouteDeps extends CreateDeps, Guarded {
  readonly journal: Pick<Journal, 'count' | 'flush'>
}

/** No other site can sign a visitor in or out. */
const sameOrigin: Access<Caller, Guarded> = {
  label: 'the console of this origin',
  errors: [errors.otherSite, protocolErrors.unavailable],
  admit(call, { guard }) {
    if (!isSameOrigin(call.req.headers, guard.cookies.baseOrigin)) refuse(errors.otherSite)
    return new Caller(call)
  },
}

export const consoleSessionRoutes: readonly ApiRoute<SessionRouteDeps, LimitedPassage>[] = [
  defineApiRoute({
    method: 'POST',
    path: '/console/session',
    operationId: 'startSession',
    summary: 'Sign in to the console',
    description:
      'Sets a cookie for 30 days, and leaves the token of the account as it is. An account has at most 20 such sessions; the oldest goes. Needs `Sec-Fetch-Site: same-origin`, as browsers send it, or else `X-Menagerie-Console: 1`; an `Origin` must be that of the request.',
    access: sameOrigin,
    envelope: 'error',
    limit: 'login',
    counts: 'auth',
    keyScope: null,
    audit: 'login',
    bodyLimitBytes: 16_384,
    body: credentials,
    reply: { status: 200, schema: signedInUser },
    errors: [errors.badCredentials, errors.bannedAtLogin, errors.tooManyLogins],
    async handle(call, deps: SessionRouteDeps, passage: LimitedPassage) {
      const { actor, address, body, req, signal } = call
      await passage.guess(body.username)
      const browser = browserNameOf(req.headers['user-agent'])
      const last = await deps.guard.findSession(call)
      const newSession = { address, browser, replaces: last?.session.id ?? null }
      const { account, secret } = await startSession(deps, { ...body, from: actor }, newSession, signal)
      actor.userId = account.id
      countRequest(deps.journal, call.route, account.id)
      const isSecure = isSecureOrigin(req.headers, deps.guard.cookies.baseOrigin)
      return new JsonResponse(200, { status: 200, user: toShortUser(account) }, sessionCookie(secret, isSecure))
    },
  }),
  defineApiRoute({
    method: 'DELETE',
    path: '/console/session',
    operationId: 'endCurrentSession',
    summary: 'Sign out of the console',
    description: 'Clears the cookie, whether or not its session is still alive.',
    access: sameOrigin,
    envelope: 'error',
    limit: null,
    counts: 'auth',
    keyScope: null,
    audit: 'logout',
    reply: { status: 200, schema: signedOut },
    errors: [],
    async handle(call, deps: SessionRouteDeps) {
      const { actor } = call
      const holder = await deps.guard.findSession(call)
      if (holder) {
        actor.userId = holder.user.id
        countRequest(deps.journal, call.route, holder.user.id)
        await logout(deps, actor, holder.session)
      }
      return new JsonResponse(200, { status: 200, message: 'Signed out' }, noSessionCookie)
    },
  }),
]

export const sessionRoutes: readonly ApiRoute<SessionRouteDeps, LimitedPassage & KeyPassage>[] = [
  defineApiRoute({
    method: 'GET',
    path: '/auth/sessions',
    operationId: 'listSessions',
    summary: 'List the console sessions of the caller',
    ...ownAccess,
    audit: null,
    reply: { status: 200, schema: sessionList },
    errors: [],
    async handle({ actor }, { journal, users }: SessionRouteDeps) {
      await journal.flush()
      const sessions = await users.sessionsOf(actor.user.id)
      return { status: 200, sessions: sessions.map((session) => toSession(session, actor.sessionId)) }
    },
  }),
  defineApiRoute({
    method: 'DELETE',
    path: '/auth/sessions/:id',
    params: { id: idSchema('Id of the session') },
    operationId: 'endSession',
    summary: 'End a console session of the caller',
    description: 'Any but the current one needs the password again.',
    ...ownAccess,
    limit: 'passwordAgain',
    audit: 'end-session',
    body: fields({ password: passwordAgainField }),
    reply: { status: 200, schema: sessionEnded },
    errors: [errors.sessionNotFound, ...passwordAgainErrors],
    async handle({ actor, body, params, signal }, deps: SessionRouteDeps, guesses: LimitedPassage) {
      const id = params.id as string
      const isCurrent = id === actor.sessionId
      const { password } = body
      const needsNoProof = isCurrent && password === undefined
      const proven = needsNoProof ? null : await requirePasswordAgain(deps, actor, { password, guesses }, signal)
      await endSession(deps, actor, id, proven)
      return new JsonResponse(200, { status: 200, message: 'Session ended' }, isCurrent ? noSessionCookie : {})
    },
  }),
]
