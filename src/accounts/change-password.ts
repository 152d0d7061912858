import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { LoginDeps } from './login.ts'

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
}

/** Sets a new password and a new token; every older token dies. */
export async function changePassword(
  deps: LoginDeps & { clock: Clock },
  { user, session }: Actor,
  { currentPassword, newPassword }: PasswordChange,
  signal: AbortSignal,
) {
  const { users, passwords, tokens, clock } = deps
  passwords.checkRule(newPassword)
  const account = await users.findById(user.id)
  if (!account) refuse(errors.tokenInvalid)
  if (!(await passwords.verify(account.passwordHash, currentPassword, signal))) refuse(errors.badCredentials)
  const passwordHash = await passwords.hash(newPassword, signal)
  const issued = await tokens.issue(account.id)
  const changed = await users.changePassword({
    id: account.id,
    passwordHash,
    tokenHash: issued.session.tokenHash,
    verifiedHash: account.passwordHash,
    currentTokenHash: session.tokenHash,
    at: clock.now(),
  })
  if (!changed) refuse((await users.findById(user.id))?.banned ? errors.banned : errors.tokenInvalid)
  return { account, token: issued.token }
}
