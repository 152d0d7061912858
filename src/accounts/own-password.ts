import { refuse } from '../http/refusal.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { Guesses } from './limits.ts'
import type { Passwords } from './passwords.ts'
import type { Account, Users } from './users.ts'

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

/** Refuses if the user has been banned, signed in or out, or got another password since this one (if any) was proven. */
export function mustBeAsProven(target: Account | null, proven: Account | null, session: Actor['session']): Account {
  const account = mustBeSignedIn(target, session)
  return proven === null || account.passwordHash === proven.passwordHash ? account : refuse(errors.tokenInvalid)
}

/** Refuses if the user has been banned or this session has ended since the guard read it. */
export function mustBeSignedIn(target: Account | null, { tokenHash }: Pick<Actor['session'], 'tokenHash'>): Account {
  if (target?.banned) refuse(errors.banned)
  return target?.tokenHash === tokenHash ? target : refuse(errors.tokenInvalid)
}
