import { refuse } from '../../http/refusal.ts'
import type { Origin } from '../audit.ts'
import { type CreateDeps, createAccount } from '../create-account.ts'
import type { Role } from '../roles.ts'
import type { Account } from '../users.ts'
import { administratorOf } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayCreate } from './permissions.ts'

interface NewUser {
  readonly username: string
  readonly role: Role
  /** If unset, one is generated. */
  readonly password?: string | undefined
}

/**
 * On behalf of an administrator, whose role is checked in the transaction that writes, or of the operator.
 * `madePassword` is known to nobody else; null if the caller gave one or this is a dry run.
 */
export async function createUser(
  deps: CreateDeps,
  by: Origin,
  { username, role, password }: NewUser,
  { isDryRun = false, signal }: { readonly isDryRun?: boolean; readonly signal?: AbortSignal } = {},
) {
  if (password !== undefined) deps.passwords.checkRule(password)
  const check = (account: Account | null) => {
    const actor = administratorOf(by, account)
    if (actor && !mayCreate(actor.role, role)) refuse(errors.cannotCreate)
  }
  const newUser = { username, role, password: password ?? deps.passwords.make() }
  const account = await createAccount(deps, by, newUser, { isDryRun, check, signal })
  if (!account) refuse(errors.usernameTaken)
  return { account, madePassword: password === undefined && !isDryRun ? newUser.password : null }
}
