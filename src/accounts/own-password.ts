import { refuse } from '../http/refusal.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import type { Passwords } from './passwords.ts'
import type { Account, Users } from './users.ts'

export interface OwnPassword {
  readonly password: string
  /** Refuses after too many wrong passwords. */
  guess(): Promise<void>
}

/** The caller's account, if this is its password. */
export async function provePassword(
  { users, passwords }: { readonly users: Users; readonly passwords: Passwords },
  { userId: id }: Actor['session'],
  { password, guess }: OwnPassword,
  signal: AbortSignal,
): Promise<Account> {
  await guess()
  const account = await users.find({ id })
  if (!account) refuse(errors.tokenInvalid)
  if (!(await passwords.verify(account.passwordHash, password, signal))) refuse(errors.badCredentials)
  return account
}

/** Refuses if the user was banned, signed in or out, or got another password since it was proven. */
export function mustBeAsProven(target: Account | null, proven: Account, { tokenHash }: Actor['session']): Account {
  if (target?.banned) refuse(errors.banned)
  const isSame = target?.tokenHash === tokenHash && target.passwordHash === proven.passwordHash
  return isSame ? target : refuse(errors.tokenInvalid)
}
