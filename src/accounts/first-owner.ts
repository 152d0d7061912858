import { refuse } from '../http/refusal.ts'
import { isFromThisMachine, type SentRequest } from '../lib/this-machine.ts'
import type { Origin } from './audit.ts'
import { type CreateDeps, createAccount } from './create-account.ts'
import { errors } from './errors.ts'
import type { OwnerCode } from './owner-code.ts'
import type { Account, Users } from './users.ts'

export interface OfferDeps {
  readonly users: Pick<Users, 'ownerExists'>
  readonly ownerCode: OwnerCode
}

/** What becomes of the first owner in a browser: `closed` if there is none, and the code has ended. */
export async function offerTo(sent: SentRequest, { users, ownerCode }: OfferDeps) {
  if (!ownerCode.wasOpened() || !isFromThisMachine(sent) || (await users.ownerExists())) return 'none'
  return ownerCode.isOpen() ? 'first owner' : 'closed'
}
export type Offer = Awaited<ReturnType<typeof offerTo>>

interface FirstOwner {
  readonly code: string
  readonly username: string
  readonly password: string
}

/** One of any number of concurrent callers with the right code succeeds, on any number of instances. */
export async function createFirstOwner(
  deps: CreateDeps & OfferDeps,
  by: Origin,
  { code, username, password }: FirstOwner,
  signal: AbortSignal,
): Promise<Account> {
  const { passwords, ownerCode } = deps
  passwords.checkRule(password)
  if (!ownerCode.isOpen()) refuse(errors.noOwnerCode)
  if (!ownerCode.check(code)) refuse(errors.badOwnerCode)
  const check = (_: Account | null, hasOwner: boolean) => {
    if (hasOwner) refuse(errors.noOwnerCode)
  }
  // As of a registration, the actor is the new account.
  const id = deps.newId()
  const owner = { id, username, role: 'owner', password } as const
  const account = await createAccount(deps, { ...by, actor: id }, owner, { check, signal })
  if (!account) refuse(errors.usernameTaken)
  ownerCode.end()
  return account
}
