import type { Origin } from './audit.ts'
import type { Passwords } from './passwords.ts'
import type { ActResult, Users, Who } from './users.ts'

interface Deps {
  readonly users: Users
  readonly passwords: Passwords
}

/** For the operator: sets a password without the present one, and signs the account out everywhere. */
export async function setPassword(deps: Deps, by: Origin, target: Who, password: string): Promise<ActResult> {
  const passwordHash = await deps.passwords.hash(password)
  return deps.users.change({ action: 'password', by, target }, () => ({ values: { passwordHash, tokenHash: null } }))
}
