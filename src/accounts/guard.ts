import type { Call } from '../http/call.ts'
import { protocol, refuse } from '../http/refusal.ts'
import type { Access } from '../http/route.ts'
import { plainPathOf } from '../http/router.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { tagsOf } from './api-route.ts'
import { errors } from './errors.ts'
import type { Journal } from './journal.ts'
import type { Role } from './roles.ts'
import type { Session, Tokens } from './tokens.ts'
import type { Principal, Users } from './users.ts'

export interface Actor {
  readonly user: Principal
  readonly session: Session
}

export interface Guard {
  /** Anyone with a valid token who is not banned. */
  readonly signedIn: Access<Actor>
  roles(...allowed: readonly Role[]): Access<Actor>
  /** As `signedIn`, for a path that no route has under `/images/` or `/admin/`; it is counted to nobody. */
  unmatched(call: Call): MaybePromise<unknown>
  /** Whose valid token this request has; null where it has none, or that cannot be found out now. Refuses nobody. */
  identify(call: Call): MaybePromise<Principal | null>
}

/** The order of refusals: 401, then 403 banned, then 403 role. The account is read as it is now, on every request. */
export function createGuard({
  users,
  tokens,
  journal,
}: {
  users: Pick<Users, 'findPrincipal'>
  tokens: Pick<Tokens, 'read'>
  journal: Pick<Journal, 'count'>
}): Guard {
  const access = (label: string, allowed: readonly Role[] | null): Access<Actor> => {
    const check = (call: Call, session: Session, user: Principal | null): Actor => {
      // Both are hashes of signed random tokens; nothing can be learned from how long they take to differ.
      if (!user || user.tokenHash !== session.tokenHash) refuse(errors.tokenInvalid)
      call.userId = user.id
      // From here on it counts, whatever becomes of it.
      if (call.route !== null) journal.count(user.id, tagsOf(call.route).counts)
      if (user.banned) refuse(errors.banned)
      if (allowed && !allowed.includes(user.role)) refuse(errors.forbidden)
      return { user, session }
    }
    const withSession = (call: Call, session: Session | null): MaybePromise<Actor> => {
      if (!session) refuse(errors.tokenInvalid)
      const user = users.findPrincipal(session.userId)
      return isPromise(user) ? user.then((found) => check(call, session, found)) : check(call, session, user)
    }
    return {
      label,
      errors: [
        ...[errors.tokenRequired, errors.tokenInvalid, errors.banned, ...(allowed ? [errors.forbidden] : [])],
        protocol.unavailable,
      ],
      admit(call) {
        const { authorization = '' } = call.req.headers
        if (authorization.trim() === '') refuse(errors.tokenRequired)
        const session = tokens.read(authorization)
        return isPromise(session) ? session.then((found) => withSession(call, found)) : withSession(call, session)
      },
    }
  }
  const identify = (call: Call): MaybePromise<Principal | null> => {
    const found = (session: Session | null): MaybePromise<Principal | null> => {
      const isValid = (user: Principal | null) => user?.tokenHash === session?.tokenHash && user?.banned === false
      const proven = (user: Principal | null) => (isValid(user) ? user : null)
      const user = session && users.findPrincipal(session.userId)
      return isPromise(user) ? user.then(proven) : proven(user)
    }
    try {
      const session = tokens.read(call.req.headers.authorization ?? '')
      const user = isPromise(session) ? session.then(found) : found(session)
      return isPromise(user) ? user.catch(() => null) : user
    } catch {
      return null
    }
  }

  const signedIn = access('any signed-in user', null)
  return {
    signedIn,
    unmatched: (call) => (/^\/(images|admin)\//.test(plainPathOf(call.path)) ? signedIn.admit(call) : null),
    roles: (...allowed) => access(allowed.join(', '), allowed),
    identify,
  }
}
