import { ClientGone } from '../http/json-body.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Origin } from './audit.ts'
import type { Passwords } from './passwords.ts'
import type { Role } from './roles.ts'
import { type Account, type InsertCheck, newAccount, type Users } from './users.ts'

export interface CreateDeps {
  readonly users: Users
  readonly passwords: Passwords
  readonly clock: Clock
  readonly newId: NewId
}

interface NewUser {
  readonly id?: string
  readonly username: string
  readonly role: Role
  readonly password: string
}

interface CreateOptions {
  readonly isDryRun?: boolean
  readonly check?: InsertCheck
  readonly signal?: AbortSignal | undefined
}

/** Creates an account without a session. Null if the name is taken. If the client disconnects, creates nothing. */
export async function createAccount(
  { users, passwords, clock, newId }: CreateDeps,
  by: Origin,
  { id = newId(), username, role, password }: NewUser,
  { isDryRun = false, check, signal }: CreateOptions = {},
): Promise<Account | null> {
  const passwordHash = isDryRun ? '' : await passwords.hash(password, signal)
  if (signal?.aborted) throw new ClientGone()
  const account = newAccount({ id, username, role, passwordHash, tokenHash: null, now: clock.now() })
  return (await users.insert(account, { action: 'create', by, isDryRun }, check)) ? account : null
}
