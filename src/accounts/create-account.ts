import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Origin } from './audit.ts'
import type { Passwords } from './passwords.ts'
import type { Role } from './roles.ts'
import { type Account, newAccount, type Users } from './users.ts'

export interface CreateDeps {
  readonly users: Users
  readonly passwords: Passwords
  readonly clock: Clock
  readonly newId: NewId
}

/** For the operator and the first start: an account that is signed in nowhere. Null if the name is taken. */
export async function createAccount(
  { users, passwords, clock, newId }: CreateDeps,
  by: Origin,
  { username, role, password }: { username: string; role: Role; password: string },
): Promise<Account | null> {
  const passwordHash = await passwords.hash(password)
  const account = newAccount({ id: newId(), username, role, passwordHash, tokenHash: null, now: clock.now() })
  return (await users.insert(account, { action: 'create', by })) ? account : null
}
