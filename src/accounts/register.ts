import { ClientGone } from '../http/json-body.ts'
import { refuse } from '../http/refusal.ts'
import type { CreateDeps } from './create-account.ts'
import { errors } from './errors.ts'
import type { Credentials, LoginDeps } from './login.ts'
import { newAccount } from './users.ts'

export interface RegisterDeps extends CreateDeps, LoginDeps {}

/** Creates an account with role `user` and signs it in. If the client disconnects before the hash, creates nothing. */
export async function register(deps: RegisterDeps, { username, password, from }: Credentials, signal: AbortSignal) {
  const { users, passwords, tokens, clock, newId } = deps
  passwords.checkRule(password)
  if (await users.find({ username })) refuse(errors.usernameTaken)
  const passwordHash = await passwords.hash(password, signal)
  if (signal.aborted) throw new ClientGone()
  const id = newId()
  const { token, verified } = await tokens.issue(id)
  const { tokenHash } = verified
  const account = newAccount({ id, username, role: 'user', passwordHash, tokenHash, now: clock.now() })
  if (!(await users.insert(account, { action: 'register', by: { ...from, actor: id } }))) refuse(errors.usernameTaken)
  return { account, token }
}
