import { refuse } from '../http/refusal.ts'
import type { Origin } from './audit.ts'
import { errors } from './errors.ts'
import type { Passwords } from './passwords.ts'
import type { Tokens } from './tokens.ts'
import type { Account, Users } from './users.ts'

export interface LoginDeps {
  readonly users: Users
  readonly passwords: Passwords
  readonly tokens: Tokens
}

interface Credentials {
  readonly username: string
  readonly password: string
  readonly from: Origin
  /** Called with the account that the name belongs to, whether the password is right or not. */
  onKnown(id: string): void
}

/** One hash, whether the name is known or not; that an account is banned is told only to who knows its password. */
export async function login(
  deps: LoginDeps,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<{ account: Account; token: string }> {
  const { users, passwords, tokens } = deps
  const { username, password, from, onKnown } = credentials
  const account = await users.find({ username })
  if (account) onKnown(account.id)
  const verified = await passwords.verify(account?.passwordHash ?? null, password, signal)
  if (!account || !verified) refuse(errors.badCredentials)
  if (account.banned) refuse(errors.bannedAtLogin)
  const verifiedHash = account.passwordHash
  const rehashed = passwords.isOutdated(verifiedHash) ? await passwords.hash(password, signal) : undefined
  const { token, session } = await tokens.issue(account.id)
  const act = { action: 'login', by: { ...from, actor: account.id }, target: { id: account.id } } as const
  const { changed } = await users.change(act, ({ target }) => {
    if (target?.banned) refuse(errors.bannedAtLogin)
    if (target?.passwordHash !== verifiedHash) return null
    return { values: { tokenHash: session.tokenHash, ...(rehashed !== undefined && { rehashed }) } }
  })
  // Given another password since it was read: judge it again as it is now.
  if (!changed) return login(deps, credentials, signal)
  return { account, token }
}
