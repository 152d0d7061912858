import type { Call } from '../http/call.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { plainPathOf } from '../http/router.ts'
import { chain, isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { tagsOf } from './api-route.ts'
import { Caller } from './caller.ts'
import { countRequest } from './count-request.ts'
import { bearerOnly, errors, keyErrors, twoCredentials } from './errors.ts'
import type { Journal } from './journal.ts'
import { readSecret } from './key-secret.ts'
import type { KeyHolder, KeyInUse } from './keys.ts'
import type { KeyPassage } from './limits.ts'
import { readSessionCookie } from './session-cookie.ts'
import type { SessionHolder, SessionInUse } from './sessions.ts'
import type { Tokens, VerifiedToken } from './tokens.ts'
import type { Principal, Users } from './users.ts'

/** What the caller signed in with: the newest token, or a console session. */
export type Login = VerifiedToken | SessionInUse

export class Actor extends Caller {
  readonly user: Principal
  /** Null for a login. */
  readonly key: KeyInUse | null
  /** Why the key does not open this route. */
  readonly keyRefusal: Refusal | null
  /** Null for a token or key. */
  readonly sessionId: string | null
  readonly #login: Login | null

  constructor(call: Pick<Call, 'address' | 'requestId' | 'route'>, user: Principal, proof: Login | KeyInUse) {
    super(call, user.id)
    this.user = user
    const isKey = 'scopes' in proof
    this.key = isKey ? proof : null
    this.#login = isKey ? null : proof
    this.sessionId = isKey || 'tokenHash' in proof ? null : proof.id
    this.keyRefusal = isKey && call.route ? keyRefusalOf(tagsOf(call.route), proof) : null
  }

  /** Refuses keys, whatever the tags of the route say. */
  get login(): Login {
    return this.#login ?? refuse(keyErrors.null)
  }

  get signedInAt(): number {
    const { login } = this
    return 'tokenHash' in login ? login.issuedAtMs : login.createdAt
  }
}

function keyRefusalOf({ keyScope }: ReturnType<typeof tagsOf>, { scopes }: KeyInUse): Refusal | null {
  if (keyScope === null) return keyErrors.null
  const isOpen = keyScope === 'any' || scopes.includes(keyScope) || (keyScope === 'upload' && scopes.includes('store'))
  return isOpen ? null : keyErrors[keyScope]
}

/** Refuses banned users, and keys without the scope. */
export function mayEnter({ user, keyRefusal }: Actor): void {
  if (user.banned) refuse(errors.banned)
  if (keyRefusal) refuse(keyRefusal)
}

const hasScheme = ({ req }: Call) => /^\s*bearer(?:\s|$)/i.test(req.headers.authorization ?? '')
const isGiven = (header: string | undefined): header is string => header !== undefined && header.trim() !== ''

/** Node keeps the first of several Authorization headers; a server in front may have checked another. */
function hasOtherAuthorization({ req: { headers, rawHeaders } }: Call): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 13 && name.toLowerCase() === 'authorization' && rawHeaders[index + 1] !== headers.authorization)
      return true
  }
  return false
}

export interface GuardDeps {
  readonly users: Pick<Users, 'findPrincipal' | 'findKey' | 'findSession'>
  readonly tokens: Pick<Tokens, 'read'>
  readonly journal: Pick<Journal, 'count'>
  readonly cookies: SessionCookies
}

export interface SessionCookies {
  /** CONSOLE; without it, a cookie is nothing. */
  readonly areRead: boolean
  /** The origin of BASE_URL. */
  readonly baseOrigin: string | null
}

export function createGuard({ users, tokens, journal, cookies }: GuardDeps) {
  /** The hash of the request's API key; null if it is invalid, undefined if there is only a login token. */
  const secretOf = ({ req: { headers } }: Call): string | null | undefined => {
    const { authorization } = headers
    const apiKey = headers['x-api-key'] as string | undefined
    if (!isGiven(apiKey)) return authorization === undefined ? undefined : readSecret(authorization)
    const secret = readSecret(`Bearer ${apiKey.trim()}`) ?? null
    if (isGiven(authorization) && readSecret(authorization) !== secret) refuse(errors.tokenInvalid, twoCredentials)
    return secret
  }

  const checkKey = (call: Call, holder: KeyHolder | null, passage?: KeyPassage): MaybePromise<Actor> => {
    if (!holder) refuse(errors.tokenInvalid)
    const { key, user } = holder
    const admitted = () => {
      countRequest(journal, call.route, user.id, { type: 'key', id: key.id })
      return new Actor(call, user, key)
    }
    const counted = passage && key.limitPerMinute !== null ? passage.countKey(key.id, key.limitPerMinute) : undefined
    return chain(counted, admitted)
  }

  const checkToken = (call: Call, token: VerifiedToken, user: Principal | null): Actor => {
    // A constant-time comparison would gain nothing: both are hashes of signed random tokens.
    if (!user || user.tokenHash !== token.tokenHash) refuse(errors.tokenInvalid)
    countRequest(journal, call.route, user.id)
    return new Actor(call, user, token)
  }
  const withToken = (call: Call, token: VerifiedToken | null): MaybePromise<Actor> => {
    if (!token) refuse(errors.tokenInvalid, hasScheme(call) ? {} : bearerOnly)
    return chain(users.findPrincipal(token.userId), (user) => checkToken(call, token, user))
  }

  /** Requests whose session could not be read for its limit: they do not wait for the database a second time. */
  const failures = new WeakMap<Call, unknown>()
  /** A cookie that does not count is as none. */
  const findSession = ({ req }: Call): MaybePromise<SessionHolder | null> => {
    const hash = cookies.areRead ? readSessionCookie(req.headers, cookies.baseOrigin) : null
    return hash === null ? null : users.findSession(hash)
  }
  const checkSession = (call: Call, holder: SessionHolder | null): Actor => {
    if (holder === null) refuse(errors.tokenRequired)
    const { session, user } = holder
    countRequest(journal, call.route, user.id, { type: 'session', id: session.id })
    return new Actor(call, user, session)
  }
  /**
   * The sender of a valid login token, API key or console session, as of now. Else refuses: with 401, or 429 for a key
   * over its limit.
   */
  const admit = (call: Call, passage?: KeyPassage): MaybePromise<Actor> => {
    if (hasOtherAuthorization(call)) refuse(errors.tokenInvalid, twoCredentials)
    const secret = secretOf(call)
    if (secret !== undefined) {
      const holder = secret === null ? null : users.findKey(secret)
      return chain(holder, (found) => checkKey(call, found, passage))
    }
    const { authorization } = call.req.headers
    if (!isGiven(authorization)) {
      if (failures.has(call)) throw failures.get(call)
      return chain(findSession(call), (holder) => checkSession(call, holder))
    }
    return chain(tokens.read(authorization), (token) => withToken(call, token))
  }

  /** The console session of a request, for its limit; null if there is none or the database is down. Never refuses. */
  const sessionOf = (call: Call): MaybePromise<SessionHolder | null> => {
    const failed = (error: unknown) => {
      failures.set(call, error)
      return null
    }
    try {
      const holder = findSession(call)
      return isPromise(holder) ? holder.catch(failed) : holder
    } catch (error) {
      return failed(error)
    }
  }

  /**
   * Returns the owner of the request's valid login token; null if there is none or the database is down. Never refuses,
   * and ignores API keys: those of an exempt user are not exempt.
   */
  const identify = (call: Call): MaybePromise<Principal | null> => {
    const { authorization = '' } = call.req.headers
    const found = (token: VerifiedToken | null): MaybePromise<Principal | null> => {
      const isValid = (user: Principal | null) => user?.tokenHash === token?.tokenHash && user?.banned === false
      const proven = (user: Principal | null) => (isValid(user) ? user : null)
      const user = token && users.findPrincipal(token.userId)
      return chain(user, proven)
    }
    try {
      if (readSecret(authorization) !== undefined) return null
      const user = chain(tokens.read(authorization), found)
      return isPromise(user) ? user.catch(() => null) : user
    } catch {
      return null
    }
  }

  return {
    admit,
    findSession,
    sessionOf,
    cookies,
    /** Paths under `/images/` and `/admin/` need a token even if no route matches; such a request is not counted. */
    unmatched: {
      admit: (call: Call): MaybePromise<Actor | null> =>
        /^\/(images|admin)\//.test(plainPathOf(call.path)) ? admit(call) : null,
      permit: (actor: Actor | null) => actor && mayEnter(actor),
    },
    identify,
  }
}

export type Guard = ReturnType<typeof createGuard>
