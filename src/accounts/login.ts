import { refuse } from '../http/refusal.ts'
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
}

/** One hash, whether the name is known or not; that an account is banned is told only to who knows its password. */
export async function login(
  deps: LoginDeps,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<{ account: Account; token: string }> {
  const { users, passwords, tokens } = deps
  const { username, password } = credentials
  const account = await users.findByName(username)
  const verified = await passwords.verify(account?.passwordHash ?? null, password, signal)
  if (!account || !verified) refuse(errors.badCredentials)
  if (account.banned) refuse(errors.bannedAtLogin)
  const verifiedHash = account.passwordHash
  const rehashed = passwords.isOutdated(verifiedHash) ? await passwords.hash(password, signal) : null
  const { token, session } = await tokens.issue(account.id)
  const started = await users.startSession({ id: account.id, tokenHash: session.tokenHash, verifiedHash, rehashed })
  // Banned, or given another password, since it was read: judge it again as it is now.
  if (!started) return login(deps, credentials, signal)
  return { account, token }
}
