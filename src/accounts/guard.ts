import type { Call } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
import { plainPathOf } from '../http/router.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { Caller } from './caller.ts'
import { countRequest } from './count-request.ts'
import { bearerOnly, errors } from './errors.ts'
import type { Journal } from './journal.ts'
import type { Session, Tokens } from './tokens.ts'
import type { Principal, Users } from './users.ts'

export class Actor extends Caller {
  readonly user: Principal
  readonly session: Session

  constructor(call: Pick<Call, 'address' | 'requestId'>, user: Principal, session: Session) {
    super(call, user.id)
    this.user = user
    this.session = session
  }
}

export function notBanned({ user }: Actor): void {
  if (user.banned) refuse(errors.banned)
}

const hasScheme = ({ req }: Call) => /^\s*bearer(?:\s|$)/i.test(req.headers.authorization ?? '')

export function createGuard({
  users,
  tokens,
  journal,
}: {
  users: Pick<Users, 'findPrincipal'>
  tokens: Pick<Tokens, 'read'>
  journal: Pick<Journal, 'count'>
}) {
  const check = (call: Call, session: Session, user: Principal | null): Actor => {
    // Comparing in constant time would gain nothing: both are hashes of signed random tokens.
    if (!user || user.tokenHash !== session.tokenHash) refuse(errors.tokenInvalid)
    countRequest(journal, call.route, user.id)
    return new Actor(call, user, session)
  }
  const withSession = (call: Call, session: Session | null): MaybePromise<Actor> => {
    if (!session) refuse(errors.tokenInvalid, hasScheme(call) ? {} : bearerOnly)
    const user = users.findPrincipal(session.userId)
    if (isPromise(user)) return user.then((found) => check(call, session, found))
    return check(call, session, user)
  }
  /** Returns the bearer of a valid token, or refuses with 401. The account is read as it is now. */
  const admit = (call: Call): MaybePromise<Actor> => {
    const { authorization = '' } = call.req.headers
    if (authorization.trim() === '') refuse(errors.tokenRequired)
    const session = tokens.read(authorization)
    if (isPromise(session)) return session.then((found) => withSession(call, found))
    return withSession(call, session)
  }
  /** Returns the owner of the request's valid token; null if there is none, or the database is down. Never refuses. */
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
    /** Paths under `/images/` and `/admin/` need a token even where no route matches; such a request is not counted. */
    unmatched: {
      admit: (call: Call): MaybePromise<Actor | null> =>
        /^\/(images|admin)\//.test(plainPathOf(call.path)) ? admit(call) : null,
      permit: (actor: Actor | null) => actor && notBanned(actor),
    },
    identify,
  }
}

export type Guard = ReturnType<typeof createGuard>
