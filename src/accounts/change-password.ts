import { refuse } from '../http/refusal.ts'
import type { Origin } from './audit.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { LoginDeps } from './login.ts'
import type { ActResult, Who } from './users.ts'

interface PasswordChange {
  readonly currentPassword: string
  readonly newPassword: string
  /** Refuses after too many wrong passwords. */
  guess(): Promise<void>
}

/** Sets a new password and issues a new token; older tokens are invalid from then on. */
export async function changePassword(
  deps: LoginDeps,
  actor: Actor,
  { currentPassword, newPassword, guess }: PasswordChange,
  signal: AbortSignal,
) {
  const { users, passwords, tokens } = deps
  const { session, user } = actor
  const { id } = user
  actor.aim(id)
  passwords.checkRule(newPassword)
  await guess()
  const account = await users.find({ id })
  if (!account) refuse(errors.tokenInvalid)
  if (!(await passwords.verify(account.passwordHash, currentPassword, signal))) refuse(errors.badCredentials)
  const passwordHash = await passwords.hash(newPassword, signal)
  const issued = await tokens.issue(account.id)
  const tokenHash = issued.session.tokenHash
  await users.change({ action: 'password', by: actor, target: { id } }, ({ target }) => {
    if (target?.banned) refuse(errors.banned)
    // Meanwhile the user signed in or out, or changed the password.
    const isSame = target?.tokenHash === session.tokenHash && target.passwordHash === account.passwordHash
    return isSame ? { values: { passwordHash, tokenHash } } : refuse(errors.tokenInvalid)
  })
  return { account, token: issued.token }
}

/** For the operator: sets a password without the current one, and signs the account out everywhere. */
export async function setPassword(
  deps: Omit<LoginDeps, 'tokens'>,
  by: Origin,
  target: Who,
  password: string,
): Promise<ActResult> {
  const passwordHash = await deps.passwords.hash(password)
  return deps.users.change({ action: 'password', by, target }, () => ({ values: { passwordHash, tokenHash: null } }))
}
