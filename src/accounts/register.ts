import { ClientGone } from '../http/json-body.ts'
import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Origin } from './audit.ts'
import { errors } from './errors.ts'
import { newAccount } from './new-account.ts'
import type { Passwords } from './passwords.ts'
import type { Tokens } from './tokens.ts'
import type { Users } from './users.ts'

export interface RegisterDeps {
  readonly users: Users
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly clock: Clock
  readonly newId: NewId
}

interface Registration {
  readonly username: string
  readonly password: string
  readonly from: Origin
}

/** Creates an account with role `user`, and signs it in. If the client leaves before its password is hashed, creates nothing. */
export async function register(deps: RegisterDeps, { username, password, from }: Registration, signal: AbortSignal) {
  const { users, passwords, tokens, clock, newId } = deps
  passwords.checkRule(password)
  if (await users.find({ username })) refuse(errors.usernameTaken)
  const passwordHash = await passwords.hash(password, signal)
  if (signal.aborted) throw new ClientGone()
  const id = newId()
  const { token, session } = await tokens.issue(id)
  const { tokenHash } = session
  const account = newAccount({ id, username, role: 'user', passwordHash, tokenHash, now: clock.now() })
  if (!(await users.insert(account, { action: 'register', by: { ...from, actor: id } }))) refuse(errors.usernameTaken)
  return { account, token }
}
