import { refuse } from '../http/refusal.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Origin } from './audit.ts'
import { errors } from './errors.ts'
import type { Login } from './guard.ts'
import type { Passwords } from './passwords.ts'
import type { Tokens } from './tokens.ts'
import type { Account, Change, Users, Values } from './users.ts'

export interface LoginDeps {
  readonly users: Users
  readonly passwords: Passwords
  readonly tokens: Tokens
}

export interface SignedIn {
  readonly account: Account
  readonly token: string
}

export interface Credentials {
  readonly username: string
  readonly password: string
  readonly from: Origin
}

/** What a sign-in gives to the caller, and what it writes. */
interface Issued {
  readonly secret: string
  readonly change: Pick<Change, 'sessions' | 'after'> & { readonly values: Values }
}

/** Hashes once, whether or not the name is known. Only those who know the password learn that the account is banned. */
export async function signIn(
  deps: Pick<LoginDeps, 'users' | 'passwords'>,
  credentials: Credentials,
  issue: (account: Account) => MaybePromise<Issued>,
  signal: AbortSignal,
): Promise<{ readonly account: Account; readonly secret: string }> {
  const { users, passwords } = deps
  const { username, password, from } = credentials
  const found = await users.find({ username })
  if (found) from.noteTarget?.(found.id)
  const verified = await passwords.verify(found?.passwordHash ?? null, password, signal)
  if (!found || !verified) refuse(errors.badCredentials)
  if (found.banned) refuse(errors.bannedAtLogin)
  const rehashed = passwords.isOutdated(found.passwordHash) ? await passwords.hash(password, signal) : undefined
  const { secret, change } = await issue(found)
  const act = { action: 'login', by: { ...from, actor: found.id }, target: { id: found.id } } as const
  const { account, changed } = await users.change(act, ({ target }) => {
    if (target?.passwordHash !== found.passwordHash || target.username !== found.username) return null
    if (target.banned) refuse(errors.bannedAtLogin)
    return { ...change, values: { ...change.values, ...(rehashed !== undefined && { rehashed }) } }
  })
  // The name or the password has changed since it was read: try again.
  if (!changed || account === null) return signIn(deps, credentials, issue, signal)
  return { account, secret }
}

/** Issues a token, which replaces the account's last one. */
export async function login(deps: LoginDeps, credentials: Credentials, signal: AbortSignal): Promise<SignedIn> {
  const issue = async ({ id }: Account): Promise<Issued> => {
    const { token, verified } = await deps.tokens.issue(id)
    return { secret: token, change: { values: { tokenHash: verified.tokenHash } } }
  }
  const { account, secret } = await signIn(deps, credentials, issue, signal)
  return { account, token: secret }
}

/** Ends what the caller signed in with: its session, or its token unless a newer one has replaced it. */
export async function logout({ users }: { users: Users }, by: Origin, signedIn: Login): Promise<void> {
  const { userId } = signedIn
  by.noteTarget?.(userId)
  await users.change({ action: 'logout', by, target: { id: userId } }, ({ target }) => {
    if (!('tokenHash' in signedIn)) return { values: {}, sessions: { remove: signedIn.id } }
    return target?.tokenHash === signedIn.tokenHash ? { values: { tokenHash: null } } : null
  })
}
