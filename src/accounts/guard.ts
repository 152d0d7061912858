import type { Call } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
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
  /** The bearer of a valid token who is not banned and, if roles are given, has one of them. */
  admit(call: Call, allowed?: readonly Role[]): MaybePromise<Actor>
  /** As `admit`, for a path that no route has under `/images/` or `/admin/`; it is counted to nobody. */
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
  const check = (call: Call, session: Session, user: Principal | null, allowed?: readonly Role[]): Actor => {
    // Both are hashes of signed random tokens; nothing can be learned from how long they take to differ.
    if (!user || user.tokenHash !== session.tokenHash) refuse(errors.tokenInvalid)
    call.userId = user.id
    // From here on it counts, whatever becomes of it.
    if (call.route !== null) journal.count(user.id, tagsOf(call.route).counts)
    if (user.banned) refuse(errors.banned)
    if (allowed && !allowed.includes(user.role)) refuse(errors.forbidden)
    return { user, session }
  }
  const withSession = (call: Call, session: Session | null, allowed?: readonly Role[]): MaybePromise<Actor> => {
    if (!session) refuse(errors.tokenInvalid)
    const user = users.findPrincipal(session.userId)
    if (isPromise(user)) return user.then((found) => check(call, session, found, allowed))
    return check(call, session, user, allowed)
  }
  const admit: Guard['admit'] = (call, allowed) => {
    const { authorization = '' } = call.req.headers
    if (authorization.trim() === '') refuse(errors.tokenRequired)
    const session = tokens.read(authorization)
    if (isPromise(session)) return session.then((found) => withSession(call, found, allowed))
    return withSession(call, session, allowed)
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

  return {
    admit,
    unmatched: (call) => (/^\/(images|admin)\//.test(plainPathOf(call.path)) ? admit(call) : null),
    identify,
  }
}
