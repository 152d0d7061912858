import type { Origin } from './audit.ts'
import type { Actor } from './guard.ts'
import type { LoginDeps } from './login.ts'
import { mustBeAsProven, type OwnPassword, provePassword } from './own-password.ts'
import type { ActResult, Who } from './users.ts'

interface PasswordChange extends Pick<OwnPassword, 'guesses'> {
  readonly currentPassword: string
  readonly newPassword: string
}

/** Sets a new password and issues a new token; older tokens, other sessions and all grants are invalid from then on. */
export async function changePassword(
  deps: LoginDeps,
  actor: Actor,
  { currentPassword, newPassword, guesses }: PasswordChange,
  signal: AbortSignal,
) {
  const { users, passwords, tokens } = deps
  const { login, sessionId } = actor
  const id = login.userId
  actor.noteTarget(id)
  passwords.checkRule(newPassword)
  const account = await provePassword(deps, actor, { password: currentPassword, guesses }, signal)
  const passwordHash = await passwords.hash(newPassword, signal)
  const issued = await tokens.issue(account.id)
  const { tokenHash } = issued.verified
  await users.change({ action: 'password', by: actor, target: { id } }, (parties) => {
    mustBeAsProven(parties, account, login)
    return { values: { passwordHash, tokenHash, keepsSession: sessionId } }
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
