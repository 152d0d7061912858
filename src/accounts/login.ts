import { refuse } from '../http/refusal.ts'
import type { Origin } from './audit.ts'
import { errors } from './errors.ts'
import type { Passwords } from './passwords.ts'
import type { Session, Tokens } from './tokens.ts'
import type { Account, Users } from './users.ts'

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

/** Hashes once, whether or not the name is known. Only those who know the password learn that the account is banned. */
export async function login(deps: LoginDeps, credentials: Credentials, signal: AbortSignal): Promise<SignedIn> {
  const { users, passwords, tokens } = deps
  const { username, password, from } = credentials
  const found = await users.find({ username })
  if (found) from.noteTarget?.(found.id)
  const verified = await passwords.verify(found?.passwordHash ?? null, password, signal)
  if (!found || !verified) refuse(errors.badCredentials)
  if (found.banned) refuse(errors.bannedAtLogin)
  const rehashed = passwords.isOutdated(found.passwordHash) ? await passwords.hash(password, signal) : undefined
  const { token, session } = await tokens.issue(found.id)
  const act = { action: 'login', by: { ...from, actor: found.id }, target: { id: found.id } } as const
  const { account, changed } = await users.change(act, ({ target }) => {
    if (target?.passwordHash !== found.passwordHash || target.username !== found.username) return null
    if (target.banned) refuse(errors.bannedAtLogin)
    return { values: { tokenHash: session.tokenHash, ...(rehashed !== undefined && { rehashed }) } }
  })
  // The name or the password has changed since it was read: try again.
  if (!changed || account === null) return login(deps, credentials, signal)
  return { account, token }
}

/** Ends this session, unless a newer one has replaced it. */
export async function logout({ users }: { users: Users }, by: Origin, { userId, tokenHash }: Session): Promise<void> {
  by.noteTarget?.(userId)
  await users.change({ action: 'logout', by, target: { id: userId } }, ({ target }) =>
    target?.tokenHash === tokenHash ? { values: { tokenHash: null } } : null,
  )
}
