import { refuse } from '../http/refusal.ts'
import { errors } from './errors.ts'
import type { Actor, Login } from './guard.ts'
import type { Guesses } from './limits.ts'
import type { Passwords } from './passwords.ts'
import type { Account, Parties, Users } from './users.ts'

export interface OwnPassword {
  readonly password: string
  readonly guesses: Guesses
}

/** The caller's account if this is its password; otherwise refuses. */
export async function provePassword(
  { users, passwords }: { readonly users: Pick<Users, 'find'>; readonly passwords: Pick<Passwords, 'verify'> },
  { user: { id, username } }: Actor,
  { password, guesses }: OwnPassword,
  signal: AbortSignal,
): Promise<Account> {
  await guesses.guess(username)
  const account = await users.find({ id })
  if (!account) refuse(errors.tokenInvalid)
  if (!(await passwords.verify(account.passwordHash, password, signal))) refuse(errors.badCredentials)
  guesses.guessedRight()
  return account
}

/** The parties of an act, as locked in its transaction. */
type Locked = Pick<Parties, 'target' | 'hasSession'>

/**
 * Refuses if the caller has been banned, signed in or out since the guard read the account, or has got another password
 * since this one (if any) was proven.
 */
export function mustBeAsProven({ target, hasSession }: Locked, proven: Account | null, login: Login): Account {
  if (target?.banned) refuse(errors.banned)
  const isSignedIn = 'tokenHash' in login ? target?.tokenHash === login.tokenHash : hasSession
  if (!target || !isSignedIn) refuse(errors.tokenInvalid)
  return proven === null || target.passwordHash === proven.passwordHash ? target : refuse(errors.tokenInvalid)
}
